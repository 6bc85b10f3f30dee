import { createHash, type Hmac } from 'node:crypto';
import { ApiError } from '../../lib/field-errors.ts';
import { isUnchanged } from '../write/change.ts';
import { mainError } from '../write/outcome.ts';
import type { CheckedRecord } from './batch.ts';
import type { UpsertOptions } from './operation.ts';

/** Number of users that a call may always disable or delete. The limit of each principal is at least as high. */
export const removalsAlwaysAllowed = 20;

interface PlanRules {
  readonly options: UpsertOptions;
  /** The plan that the client has seen in a dry run; null if the call was sent without one. */
  readonly expected: string | null;
  /** Maximum share of the stored users, of each principal and of all, that a call without a plan may disable or delete, in percent. */
  readonly maxRemovals: number;
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
  #removals = 0;
  #storedUsers = 0;
  #records = 0;
  /** The first record that removes too many users of its principal. */
  #excessiveRecord: ApiError | null = null;

  constructor(rules: PlanRules, { dryRun = false } = {}) {
    this.#rules = rules;
    const { missing, passwords, existing } = rules.options;
    const needsPlan = dryRun || rules.expected !== null;
    this.#digest = needsPlan
      ? rules.newDigest().update(`plan\n${JSON.stringify([missing, passwords, existing])}\n`)
      : null;
  }

  /**
   * Adds the next record of the call, in the order sent. `text` is the record as sent. Returns what is approved if the
   * call is: the tag of the record if the call was sent with a plan, otherwise the number of removals, such as
   * `removals 3`. Null: any effect is accepted.
   */
  add(record: CheckedRecord, text: Buffer): string | null {
    const removals = removalsOf(record);
    const storedUsers = record.change?.storedUsers ?? 0;
    this.#removals += removals;
    this.#storedUsers += storedUsers;
    this.#excessiveRecord ??= this.#excess('record', removals, storedUsers);
    this.#records++;
    const limit = this.#rules.options.missing === 'keep' ? null : `${removalLimit}${removals}`;
    if (!this.#digest) return limit;
    const tag = tagOf(record);
    this.#digest.update(`${text.length}\n`).update(text).update(`\n${tag}\n`);
    return this.#rules.expected === null ? limit : tag;
  }

  /**
   * Takes the place of the approval of a record in a resumed call if it was not stored: no effect has this tag. Null if
   * the call was sent without a plan.
   */
  get unknownApproval(): string | null {
    return this.#rules.expected === null ? null : 'unknown';
  }

  /** Number of users that the records would disable or delete because they do not contain them. */
  get removals(): number {
    return this.#removals;
  }

  /** Throws an `ApiError` if the call must not be applied. Returns the plan; null if it was not needed. */
  finish({ dryRun = false } = {}): string | null {
    const plan = this.#digest?.digest('base64url') ?? null;
    const { expected } = this.#rules;
    if (expected !== null && plan !== expected) throw new ApiError('PLAN_OUTDATED', { variant: 'call' });
    if (expected === null && !dryRun) this.#limitRemovals();
    return plan;
  }

  /** The share of each principal counts too: a large principal that loses no user must not hide one that loses all. */
  #limitRemovals(): void {
    const error = this.#excess('call', this.#removals, this.#storedUsers) ?? this.#excessiveRecord;
    if (error) throw error;
  }

  #excess(variant: 'call' | 'record', removals: number, users: number): ApiError | null {
    const allowed = Math.max(removalsAlwaysAllowed, Math.floor((users * this.#rules.maxRemovals) / 100));
    if (removals <= allowed) return null;
    const figures = { removals, users, allowed, ...(variant === 'record' && { position: this.#records }) };
    return new ApiError('TOO_MANY_REMOVALS', { variant, figures });
  }
}

/** Returns the number of users that the record disables or deletes because it does not contain them. */
function removalsOf({ change }: CheckedRecord): number {
  return (change?.applied ?? []).filter(({ operation }) => operation === 'disable' || operation === 'delete')
    .length;
}

/**
 * Returns a digest of what the record would do. It contains the version of a principal that the record changes: the plan
 * shows the values that were stored then. A record that changes nothing depends only on being equal.
 */
function tagOf({ parsed, change }: CheckedRecord): string {
  if (!parsed.errors.none || !change) return `failed ${mainError(parsed.errors, 'done').code}`;
  const { principal, principalId, expectedVersion, applied } = change;
  if (isUnchanged(change)) return `unchanged ${principalId}`;
  const fields = principal.kind === 'edit' ? principal.changed : [];
  const users = applied.map(({ id, username, operation, changed }) => [id ?? username, operation, changed]);
  const effect = JSON.stringify([principal.kind, principalId, expectedVersion, fields, users]);
  return createHash('sha256').update(effect).digest('base64url');
}

/** Begins an approval of a number of removals. */
const removalLimit = 'removals ';

/** Adds an error if the effect of the record is not the approved one; see `PlanReview.add`. */
export function requireApproved(record: CheckedRecord, approved: string): void {
  const { sentId, errors } = record.parsed;
  const place = sentId === null ? 'ExternalKey' : 'ID';
  if (approved.startsWith(removalLimit)) {
    const allowed = Number(approved.slice(removalLimit.length));
    const removals = removalsOf(record);
    if (removals > allowed)
      errors.add(place, 'PLAN_OUTDATED', { variant: 'removals', figures: { allowed, removals } });
  } else if (tagOf(record) !== approved) {
    errors.add(place, 'PLAN_OUTDATED', { variant: 'record' });
  }
}
