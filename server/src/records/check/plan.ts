import { createHash, type Hmac } from 'node:crypto';
import { ApiError } from '../../lib/field-errors.ts';
import { isUnchanged, type PrincipalChange, usersTo } from '../write/change.ts';
import { mainError } from '../write/outcome.ts';
import { type CheckedRecord, changeToWrite } from './batch.ts';
import type { CallOptions } from './operation.ts';

/** Number of users that a call may always disable or delete. The limit of each principal is at least as high. */
export const removalsAlwaysAllowed = 20;

/** The effect of a record that is approved. */
export type Approval =
  /** The effect with this tag, which is a part of the plan that the call was sent with. */
  | { readonly kind: 'effect'; readonly tag: string }
  /** Any effect that removes at most this number of users. */
  | { readonly kind: 'removals'; readonly atMost: number }
  /** No effect: the approval of a record of a resumed call was not stored. */
  | { readonly kind: 'nothing' };

/** The approvals of a call, by position. A record without one may have any effect. */
export type Approvals = readonly (Approval | null)[];

const removalsPrefix = 'removals ';
const nothing = 'unknown';

/** Returns the form in which an approval is stored with its call or chunk. */
export function approvalText(approval: Approval): string {
  if (approval.kind === 'nothing') return nothing;
  return approval.kind === 'effect' ? approval.tag : `${removalsPrefix}${approval.atMost}`;
}

export function readApproval(text: string): Approval {
  if (text === nothing) return { kind: 'nothing' };
  return text.startsWith(removalsPrefix)
    ? { kind: 'removals', atMost: Number(text.slice(removalsPrefix.length)) }
    : { kind: 'effect', tag: text };
}

interface PlanRules {
  readonly options: CallOptions;
  /** The plan that the client has seen in a dry run; null if the call was sent without one. */
  readonly expected: string | null;
  /** Maximum share of the stored users, of each principal and of all, that a call without a plan may disable or delete, in percent. */
  readonly maxRemovals: number;
  /**
   * The stored approvals of a call of which a part is applied, by position; null for a new call. The plan of a resumed
   * call cannot be computed, but its other records must still have the effects that were approved.
   */
  readonly resumed: Approvals | null;
  readonly dryRun: boolean;
  /** Returns a new keyed hash. */
  newDigest(): Hmac;
}

/**
 * Reviews a call before anything is hashed or written. The plan is a keyed digest of the records, the options and the
 * effect of each record. A call that was sent with a plan is refused if its plan is another one by now; a call without
 * a plan is refused if it would disable or delete too many users.
 */
export class PlanReview {
  readonly #rules: PlanRules;
  readonly #digest: Hmac | null;
  /** The principals that lose users, by their IDs. Several records, such as those of an undo, may be about one principal. */
  readonly #losing = new Map<number | null, { users: number; removals: number; lastPosition: number }>();
  /** The principals that lose users to others, by their IDs. */
  readonly #sources = new Map<number, { users: number; moved: number }>();

  constructor(rules: PlanRules) {
    this.#rules = rules;
    const { missing, passwords, existing, similar, moves, run } = rules.options;
    const options = [missing, passwords, existing, similar, moves, ...(run === null ? [] : [run])];
    const needsPlan = rules.dryRun || rules.expected !== null;
    this.#digest = needsPlan ? rules.newDigest().update(`plan\n${JSON.stringify(options)}\n`) : null;
  }

  /**
   * Adds the next record of the call, in the order sent. `text` is the record as sent. Returns what is approved if the
   * call is; null for any effect. A record of a resumed call gets an error if its effect is not approved.
   */
  approve(record: CheckedRecord, text: Buffer): Approval | null {
    const { resumed, expected, options } = this.#rules;
    if (resumed) {
      const unknown: Approval | null = expected === null ? null : { kind: 'nothing' };
      const approval = resumed[record.position] ?? unknown;
      requireApproved(record, approval);
      return approval;
    }
    this.#countRemovals(record);
    this.#countMoves(record.change);
    const tag = this.#digest && tagOf(record);
    this.#digest?.update(`${text.length}\n`).update(text).update(`\n${tag}\n`);
    if (tag !== null && expected !== null) return { kind: 'effect', tag };
    if (options.missing === 'keep' && options.moves === 'refuse' && options.run === null) return null;
    return { kind: 'removals', atMost: removalsOf(record.change) };
  }

  #countRemovals({ change, position }: CheckedRecord): void {
    const removed = removalsOf(change, removingOperations);
    if (!change || change.storedUsers + removed === 0) return;
    const { users, removals } = this.#losing.get(change.principalId) ?? { users: 0, removals: 0 };
    this.#losing.set(change.principalId, {
      users: Math.max(users, change.storedUsers),
      removals: removals + removed,
      lastPosition: position,
    });
  }

  #countMoves(change: PrincipalChange | null): void {
    for (const [id, users] of change?.sourceUsers ?? [])
      this.#sources.set(id, this.#sources.get(id) ?? { users, moved: 0 });
    for (const { from } of change ? usersTo(change, 'move') : []) {
      const source = this.#sources.get(from);
      if (source) source.moved++;
    }
  }

  /** Number of users that the records would disable or delete because they do not contain them. */
  get removals(): number {
    return sumOf([...this.#losing.values()], 'removals');
  }

  /** Throws an `ApiError` if the call must not be applied. Returns the plan; null if it was not needed. */
  finish(): string | null {
    const { expected, dryRun, resumed } = this.#rules;
    if (resumed) return null;
    const plan = this.#digest?.digest('base64url') ?? null;
    if (expected !== null && plan !== expected) throw new ApiError('PLAN_OUTDATED', { variant: 'call' });
    if (expected === null && !dryRun) this.#limitRemovals();
    return plan;
  }

  /** The share of each principal counts too: a large principal that loses no user must not hide one that loses all. */
  #limitRemovals(): void {
    const principals = [...this.#losing.values()];
    const inTotal = this.#beyondLimit(this.removals, sumOf(principals, 'users'));
    if (inTotal) throw new ApiError('TOO_MANY_REMOVALS', { variant: 'call', figures: inTotal });
    for (const { removals, users, lastPosition: position } of principals) {
      const figures = this.#beyondLimit(removals, users);
      if (figures)
        throw new ApiError('TOO_MANY_REMOVALS', { variant: 'record', figures: { ...figures, position } });
    }
    const error = this.#excessOfMoves();
    if (error) throw error;
  }

  /** A file that has the users of a principal under the key of another one must not move all of them. */
  #excessOfMoves(): ApiError | null {
    let total = 0;
    let stored = 0;
    for (const [id, { users, moved }] of this.#sources) {
      const figures = this.#beyondLimit(moved, users);
      if (figures)
        return new ApiError('TOO_MANY_REMOVALS', { variant: 'source', figures: { ...figures, id } });
      total += moved;
      stored += users;
    }
    const figures = this.#beyondLimit(total, stored);
    return figures && new ApiError('TOO_MANY_REMOVALS', { variant: 'moves', figures });
  }

  /** Returns the figures of an error if more than the allowed share of the users is removed. */
  #beyondLimit(removals: number, users: number) {
    const allowed = Math.max(removalsAlwaysAllowed, Math.floor((users * this.#rules.maxRemovals) / 100));
    return removals > allowed ? { removals, users, allowed } : null;
  }
}

function sumOf<Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}

/** The operations on users that a record does not contain. */
const removingOperations: readonly string[] = ['disable', 'delete'];

/** Returns the number of users that a record takes from a principal: those that it disables, deletes or moves. */
function removalsOf(
  change: PrincipalChange | null,
  operations: readonly string[] = [...removingOperations, 'move'],
): number {
  if (change?.principal.kind === 'delete') return change.storedUsers;
  return (change?.applied ?? []).filter(({ operation }) => operations.includes(operation)).length;
}

/**
 * Returns a digest of what the record would do. It contains the version of a principal that the record changes: the plan
 * shows the values that were stored then. A record that changes nothing depends only on being equal.
 */
function tagOf(record: Pick<CheckedRecord, 'parsed' | 'change'>): string {
  const change = changeToWrite(record);
  if (!change) return `failed ${mainError(record.parsed.errors, 'done').code}`;
  const { principal, principalId, expectedVersion, applied } = change;
  if (isUnchanged(change)) return `unchanged ${principalId}`;
  const fields = principal.kind === 'edit' ? principal.changed : [];
  const users = applied.map(({ id, username, operation, changed }) => [id ?? username, operation, changed]);
  const moved = usersTo(change, 'move').map(({ id, from, expectedVersion: version }) => [id, from, version]);
  const version = change.dependsOnVersion === false ? null : expectedVersion;
  const merged = change.merged ? [change.merged] : [];
  const effect = JSON.stringify([principal.kind, principalId, version, fields, users, moved, ...merged]);
  return createHash('sha256').update(effect).digest('base64url');
}

/** Adds an error if the effect of the record is not approved. */
export function requireApproved(
  { parsed, change }: Pick<CheckedRecord, 'parsed' | 'change'>,
  approval: Approval | null,
): void {
  if (!approval) return;
  const place = parsed.sentId === null ? 'ExternalKey' : 'ID';
  if (approval.kind === 'removals') {
    const { atMost: allowed } = approval;
    const removals = removalsOf(change);
    if (removals > allowed)
      parsed.errors.add(place, 'PLAN_OUTDATED', { variant: 'removals', figures: { allowed, removals } });
  } else if (approval.kind === 'nothing' || tagOf({ parsed, change }) !== approval.tag) {
    parsed.errors.add(place, 'PLAN_OUTDATED', { variant: 'record' });
  }
}
