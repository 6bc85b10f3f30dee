import type { Actor } from '../../audit/audit-log.ts';
import { WriteFailure, type WriteFailureKind } from '../../db/errors.ts';
import { Aborted } from '../../lib/aborted.ts';
import type { ErrorDetail } from '../../lib/error-codes.ts';
import { ApiError, FieldErrors } from '../../lib/field-errors.ts';
import { required } from '../../lib/required.ts';
import type { PasswordHasher } from '../../passwords/hash-pool.ts';
import { ThreadEnded } from '../../passwords/hash-thread.ts';
import type { CodeIssuer } from '../../passwords/password-code.ts';
import { type CheckedRecord, changeToWrite } from '../check/batch.ts';
import type { Operation } from '../check/operation.ts';
import { type Approval, requireApproved } from '../check/plan.ts';
import type { ParsedRecord } from '../parse/parsed-record.ts';
import {
  outcomeOf,
  type PrincipalChange,
  passwordsIn,
  principalsOf,
  type ReservedIds,
  type WritableChange,
  writableChange,
} from '../write/change.ts';
import { enoughIds } from '../write/id-reservation.ts';
import { type NewCall, type Outcome, refused } from '../write/outcome.ts';
import type { RecordWriter } from '../write/record-writer.ts';

/** Maximum number of attempts to write a record that conflicts with concurrent writes. */
const writesMax = 10;

export interface RecordToApply extends Omit<CheckedRecord, 'fields'> {
  /** The IDs that are reserved for what the record inserts. */
  readonly ids: ReservedIds;
  /** The approved effect; null for any effect. */
  readonly approval: Approval | null;
}

/** Everything that the records of one call or chunk have in common while they are applied. */
interface ApplyContext {
  readonly operation: Operation;
  readonly actor: Actor;
  /** The call that the outcomes are stored with, and its row if that is not stored yet; null if they are not stored. */
  readonly call: { readonly id: string; readonly newCall: NewCall | null } | null;
  /** The hash that was verified when a signed-in user changes its own password. */
  readonly expectedCurrentHash?: string;
  /** The digest, in hexadecimal, of the code with which a user sets its password. */
  readonly expectedCode?: string;
  /** Issues the codes of invited users; absent if they are issued later. */
  readonly issueCode?: CodeIssuer | null;
  readonly hashes: PasswordHasher;
  readonly writer: RecordWriter;
  /** The outcome of the last record of each principal, which the next record of the principal waits for. */
  readonly lastOutcomes: Map<number, Promise<Outcome | null>>;
  report(error: unknown): void;
}

/** Returns the number of passwords that have to be hashed, unless the record is refused. */
export function hashesNeeded(record: Pick<CheckedRecord, 'parsed' | 'change'>): number {
  const change = changeToWrite(record);
  return change ? passwordsIn(change).filter(({ hash }) => hash === null).length : 0;
}

/**
 * Hashes the passwords of checked records and writes the records. Records of one principal are written in the order
 * given. Returns one outcome per record; null if another node has settled the record meanwhile.
 */
export function applyRecords(
  records: readonly RecordToApply[],
  context: ApplyContext,
): Promise<(Outcome | null)[]> {
  const { lastOutcomes } = context;
  return Promise.all(
    records.map((record) => {
      const change = changeToWrite(record);
      if (!change) return refused(record.parsed);
      const principals = principalsOf(change);
      const earlier = principals.flatMap((id) => lastOutcomes.get(id) ?? []);
      const outcome = applyRecord(record, change, earlier, context);
      for (const id of principals) lastOutcomes.set(id, outcome);
      return outcome;
    }),
  );
}

/** Hashes and writes a valid record. `earlier` are the outcomes of the records of the same principals before it. */
async function applyRecord(
  record: RecordToApply,
  change: PrincipalChange,
  earlier: readonly Promise<Outcome | null>[],
  context: ApplyContext,
): Promise<Outcome | null> {
  const { parsed } = record;
  const { writer } = context;
  let id = change.principalId;
  try {
    await hashPasswords(change, context.hashes);
    const before = await Promise.all(earlier);
    // The earlier record may be sent again, and would then undo the change of this one.
    if (before.some((outcome) => outcome && !isFinal(outcome)))
      return refused(parsed, { code: 'NOT_APPLIED', variant: 'earlier' });
    // A record that is being retried must not conflict with one that is written for the first time.
    await writer.retries.ended(change.principalId);
    const ready = await withReservedIds(change, record, context);
    id = ready.principalId;
    await writer.write(ready);
    return outcomeOf(ready, parsed.errors);
  } catch (error) {
    // The next record of the principal waits for this one alone.
    await Promise.all(earlier);
    if (!isConflict(error)) return outcomeOfFailure(error, parsed, id, context);
    return writer.retries.run(change.principalId, () => applyAgain(record, context));
  }
}

/**
 * Checks and writes a record again after a conflict, until it is written or the check finds the cause: a concurrent write
 * may be undone. The check may find other users to register than before, for which IDs and hashes are still missing.
 */
async function applyAgain(record: RecordToApply, context: ApplyContext): Promise<Outcome | null> {
  let id: number | null = null;
  for (let attempt = 2; ; attempt++) {
    const parsed = { ...record.parsed, errors: new FieldErrors() };
    try {
      const tools = { keptUsernames: new Set(record.change?.kept) };
      const [checked = null] = await context.operation.newCheck(tools)([parsed]);
      requireApproved({ parsed, change: checked }, record.approval);
      const change = changeToWrite({ parsed, change: checked });
      if (!change) return refused(parsed);
      await hashPasswords(change, context.hashes);
      const ready = await withReservedIds(change, record, context);
      id = ready.principalId;
      await context.writer.write(ready);
      return outcomeOf(ready, parsed.errors);
    } catch (error) {
      if (!isConflict(error) || attempt === writesMax) return outcomeOfFailure(error, parsed, id, context);
    }
  }
}

/** Hashes the passwords that have no hash yet. */
async function hashPasswords(change: PrincipalChange, hasher: PasswordHasher): Promise<void> {
  await Promise.all(
    passwordsIn(change).map(async (password) => {
      if (password.hash === null) password.hash = await hasher.hash(required(password.text));
    }),
  );
}

/** Returns the change with the IDs of what it inserts. */
async function withReservedIds(
  change: PrincipalChange,
  { ids, position }: RecordToApply,
  { writer, actor, call, expectedCurrentHash, expectedCode, issueCode }: ApplyContext,
): Promise<WritableChange> {
  const reference = call && { callId: call.id, newCall: call.newCall, position };
  const context = {
    actor,
    reference,
    expectedCurrentHash: expectedCurrentHash ?? null,
    issueCode: issueCode ?? null,
    ...(expectedCode !== undefined && { expectedCode }),
  };
  return writableChange(change, await enoughIds(change, ids, writer.store), context);
}

/** Returns true if an outcome is final; false if the record may be tried again or its commit is unconfirmed. */
export function isFinal(outcome: Outcome): boolean {
  const code = outcome.error?.code;
  return code !== 'NOT_APPLIED' && code !== 'OUTCOME_UNKNOWN';
}

const failureDetails: Readonly<Record<Exclude<WriteFailureKind, 'hasOutcome'>, ErrorDetail>> = {
  conflict: { code: 'NOT_APPLIED', variant: 'conflict', figures: { attempts: writesMax } },
  notWritten: { code: 'NOT_APPLIED', variant: 'database' },
  refused: { code: 'RECORD_FAILED' },
  unknown: { code: 'OUTCOME_UNKNOWN' },
};

/**
 * Returns the outcome of a record that could not be written, or may be; null if another node has stored its outcome. `id`
 * is the principal that the record may have been written to.
 */
function outcomeOfFailure(
  error: unknown,
  parsed: ParsedRecord,
  id: number | null,
  { report }: ApplyContext,
): Outcome | null {
  if (error instanceof Aborted) throw error;
  const kind = kindOf(error);
  if (kind === 'hasOutcome') return null;
  report(error);
  const outcome = refused(parsed, failureDetails[kind]);
  return kind === 'unknown' ? { ...outcome, id } : outcome;
}

/**
 * An `ApiError` means that a read of the store failed, `ThreadEnded` that a password could not be hashed: nothing was
 * written, and a retry may succeed.
 */
function kindOf(error: unknown): WriteFailureKind {
  if (error instanceof WriteFailure) return error.kind;
  return error instanceof ApiError || error instanceof ThreadEnded ? 'notWritten' : 'refused';
}

function isConflict(error: unknown): boolean {
  return error instanceof WriteFailure && error.kind === 'conflict';
}
