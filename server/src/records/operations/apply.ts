import type { Actor } from '../../audit/audit-log.ts';
import { WriteFailure, type WriteFailureKind } from '../../db/errors.ts';
import { Aborted } from '../../lib/aborted.ts';
import type { ErrorDetail } from '../../lib/error-codes.ts';
import { ApiError } from '../../lib/field-errors.ts';
import { required } from '../../lib/required.ts';
import type { PasswordHasher } from '../../passwords/hash-pool.ts';
import { ThreadEnded } from '../../passwords/hash-thread.ts';
import type { CheckedRecord } from '../check/batch.ts';
import type { Operation } from '../check/operation.ts';
import { requireApproved } from '../check/plan.ts';
import {
  outcomeOf,
  type PrincipalChange,
  passwordsIn,
  type ReservedIds,
  readyChange,
} from '../write/change.ts';
import { IdReservation } from '../write/id-reservation.ts';
import { type Outcome, type RecordReference, refused } from '../write/outcome.ts';
import type { RecordWriter } from '../write/record-writer.ts';

/** Maximum number of attempts to write a record that conflicts with concurrent writes. */
const attemptsMax = 10;

/** The client or job on whose behalf records are applied. */
export interface Requester {
  readonly actor: Actor;
  /** Key for fair sharing of the bulk lane of the hash pool. */
  readonly share: string;
  /** The hash that was verified when a signed-in user changes its own password. */
  readonly expectedCurrentHash?: string;
  report(error: unknown): void;
}

/** A checked record with its place in the call and the IDs that are reserved for it. */
interface RecordToApply extends CheckedRecord {
  readonly ids: ReservedIds;
  /** Null if the record belongs to no stored call. */
  readonly reference: RecordReference | null;
  /** The approved effect; see `PlanReview.add`. Absent or null: any effect. */
  readonly approved?: string | null;
}

/** Everything that the records of one call or chunk have in common while they are applied. */
interface ApplyContext {
  readonly operation: Operation;
  readonly requester: Requester;
  readonly hashes: PasswordHasher;
  readonly writer: RecordWriter;
  /** The outcome of the last record of each principal, which the next record of the principal waits for. */
  readonly lastOutcomes: Map<number, Promise<Outcome | null>>;
}

/** Returns the number of passwords of the valid records that have to be hashed. */
export function hashesNeeded(records: readonly CheckedRecord[]): number {
  return records.reduce(
    (sum, { parsed, change }) => sum + (parsed.errors.none ? hashesNeededBy(change) : 0),
    0,
  );
}

/** Returns the number of passwords to hash. */
export function hashesNeededBy(change: PrincipalChange | null): number {
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
  return Promise.all(
    records.map((record) => {
      const { parsed, change } = record;
      if (!change || !parsed.errors.none) return refused(parsed);
      const { principalId } = change;
      if (principalId === null) return applyRecord(record, change, undefined, context);
      const outcome = applyRecord(record, change, context.lastOutcomes.get(principalId), context);
      context.lastOutcomes.set(principalId, outcome);
      return outcome;
    }),
  );
}

async function applyRecord(
  record: RecordToApply,
  change: PrincipalChange,
  before: Promise<Outcome | null> | undefined,
  context: ApplyContext,
): Promise<Outcome | null> {
  const { parsed } = record;
  try {
    await hashPasswords(change, context.hashes);
    const earlier = before && (await before);
    // The earlier record may be sent again, and would then undo the change of this one.
    if (earlier && !isFinal(earlier)) return refused(parsed, { code: 'NOT_APPLIED', variant: 'earlier' });
    return await writeRecord(record, change, context);
  } catch (error) {
    if (error instanceof Aborted) throw error;
    const kind = kindOf(error);
    if (kind === 'hasOutcome') return null;
    context.requester.report(error);
    return refused(parsed, failureDetails[kind]);
  }
}

/** Returns true if an outcome is final; false if the record may be tried again or its commit is unconfirmed. */
export function isFinal(outcome: Outcome): boolean {
  const code = outcome.error?.code;
  return code !== 'NOT_APPLIED' && code !== 'OUTCOME_UNKNOWN';
}

/**
 * An `ApiError` means that a read of the store failed, `ThreadEnded` that a password could not be hashed: nothing was
 * written, and a retry may succeed.
 */
function kindOf(error: unknown): WriteFailureKind {
  if (error instanceof WriteFailure) return error.kind;
  return error instanceof ApiError || error instanceof ThreadEnded ? 'notWritten' : 'refused';
}

/** Hashes the passwords that have no hash yet. */
async function hashPasswords(change: PrincipalChange, batch: PasswordHasher): Promise<void> {
  await Promise.all(
    passwordsIn(change).map(async (password) => {
      if (password.hash === null) password.hash = await batch.hash(required(password.text));
    }),
  );
}

const failureDetails: Readonly<Record<Exclude<WriteFailureKind, 'hasOutcome'>, ErrorDetail>> = {
  conflict: { code: 'NOT_APPLIED', variant: 'conflict', figures: { attempts: attemptsMax } },
  notWritten: { code: 'NOT_APPLIED', variant: 'database' },
  refused: { code: 'RECORD_FAILED' },
  unknown: { code: 'OUTCOME_UNKNOWN' },
};

/**
 * Writes a record. After a conflict it is checked again, which finds the cause unless a concurrent write is undone. The
 * check may then find other users to register than before, for which IDs and hashes are still missing.
 */
async function writeRecord(
  record: RecordToApply,
  change: PrincipalChange,
  context: ApplyContext,
): Promise<Outcome> {
  const { principalId } = change;
  // A record that is being retried must not conflict with one that is written for the first time.
  if (principalId !== null) await retries.get(principalId)?.catch(() => undefined);
  try {
    return await writeChange(record, change, context);
  } catch (error) {
    if (!isConflict(error)) throw error;
    return inTurn(principalId, () => checkAndWrite(record, context));
  }
}

async function checkAndWrite(record: RecordToApply, context: ApplyContext): Promise<Outcome> {
  const { parsed, approved } = record;
  for (let attempt = 2; ; attempt++) {
    const [change = null] = await context.operation.newCheck()([parsed]);
    if (approved) requireApproved({ parsed, change }, approved);
    if (!change || !parsed.errors.none) return refused(parsed);
    await hashPasswords(change, context.hashes);
    try {
      return await writeChange(record, change, context);
    } catch (error) {
      if (!isConflict(error) || attempt === attemptsMax) throw error;
    }
  }
}

async function writeChange(
  { parsed, ids, reference }: RecordToApply,
  change: PrincipalChange,
  { requester, writer }: ApplyContext,
): Promise<Outcome> {
  const { actor, report } = requester;
  const expectedCurrentHash = requester.expectedCurrentHash ?? null;
  const isComplete =
    change.registrations.length <= ids.users.length &&
    (change.principal.kind !== 'insert' || ids.principal !== null);
  // The record may have been checked again since its IDs were reserved.
  const ready = readyChange(change, isComplete ? ids : await newIds(change, writer), {
    actor,
    reference,
    expectedCurrentHash,
  });
  try {
    await writer.write(ready);
    return outcomeOf(ready, parsed.errors);
  } catch (error) {
    if (kindOf(error) !== 'unknown') throw error;
    report(error);
    return { ...refused(parsed, failureDetails.unknown), id: ready.principalId };
  }
}

async function newIds(change: PrincipalChange, writer: RecordWriter): Promise<ReservedIds> {
  const reservation = new IdReservation();
  const idsOfChange = reservation.add(change);
  await reservation.reserve(writer.store);
  return idsOfChange();
}

function isConflict(error: unknown): boolean {
  return error instanceof WriteFailure && error.kind === 'conflict';
}

/** The last retry of each principal, in all calls of this node. */
const retries = new Map<number, Promise<unknown>>();

/** Retries the records of a principal one after the other: together, each would conflict with the others again. */
async function inTurn<Result>(principal: number | null, retry: () => Promise<Result>): Promise<Result> {
  if (principal === null) return retry();
  const before = retries.get(principal);
  const running = (async () => {
    await before?.catch(() => undefined);
    return retry();
  })();
  retries.set(principal, running);
  try {
    return await running;
  } finally {
    if (retries.get(principal) === running) retries.delete(principal);
  }
}
