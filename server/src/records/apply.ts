import type { Actor } from '../audit/audit-log.ts';
import { WriteFailure, type WriteFailureKind } from '../db/errors.ts';
import type { ErrorDetail } from '../lib/error-codes.ts';
import { ApiError } from '../lib/field-errors.ts';
import { Aborted, type Hasher } from '../passwords/hash-pool.ts';
import type { Demand, HashBatch } from '../passwords/hash-reservation.ts';
import { ThreadEnded } from '../passwords/hash-thread.ts';
import type { Operation, ReservedIds } from './operation.ts';
import {
  applied,
  type Outcome,
  type RecordReference,
  refused,
  type WriteContext,
  type Written,
} from './outcome.ts';
import { type ParsedRecord, required } from './parsed-record.ts';
import type { UserItem } from './user-item.ts';
import type { RecordWriter } from './write/record-writer.ts';

/** Maximum number of attempts to write a record that conflicts with concurrent writes. */
const attemptsMax = 10;

/** The client or job on whose behalf records are applied. */
export interface Requester {
  readonly actor: Actor;
  /** Key for fair sharing of the bulk lane of the hash pool. */
  readonly share: string;
  /** Aborts work that may wait without limit, such as a job. Null if a client waits for the answer. */
  readonly signal: AbortSignal | null;
  /** The hash that was verified when a signed-in user changes its own password. */
  readonly expectedCurrentHash?: string;
  report(error: unknown): void;
}

/** A record that has been checked, with its place in the call and the IDs that are reserved for it. */
interface CheckedRecord<D extends ParsedRecord = ParsedRecord> {
  readonly parsed: D;
  readonly ids: ReservedIds;
  /** Null if the record belongs to no stored call. */
  readonly reference: RecordReference | null;
}

/** Everything that the records of one call or chunk have in common while they are applied. */
interface ApplyContext<D extends ParsedRecord = ParsedRecord> {
  readonly operation: Operation<D>;
  readonly requester: Requester;
  readonly hashes: HashBatch;
  readonly writer: RecordWriter;
  /** The outcome of the last record of each principal, which the next record of the principal waits for. */
  readonly lastOutcomes: Map<number, Promise<Outcome | null>>;
}

/** Throws the `ApiError` `OVERLOADED` if the passwords of the valid records would wait too long to be hashed. */
export function admitPasswords(
  parsedRecords: readonly ParsedRecord[],
  { share, signal }: Requester,
  hasher: Hasher,
): HashBatch {
  const { lane, count } = demandOf(parsedRecords);
  return hasher.admit({ lane: signal ? 'bulk' : lane, share, count, signal });
}

/** Returns the number of passwords of the valid records and their lane. */
export function demandOf(parsedRecords: readonly ParsedRecord[]): Demand {
  const count = parsedRecords.reduce(
    (sum, parsed) => sum + (parsed.errors.none ? passwordsOf(parsed) : 0),
    0,
  );
  return demandFor(count);
}

/** A single password goes before the others. */
export function demandFor(count: number): Demand {
  return { lane: count === 1 ? 'interactive' : 'bulk', count };
}

export function passwordsOf(parsed: ParsedRecord): number {
  return parsed.users.filter(({ password }) => password !== null).length;
}

/**
 * Hashes the passwords of checked records and writes the records. Records of one principal are written in the order
 * given. Returns one outcome per record; null if another node has settled the record meanwhile.
 */
export function applyRecords<D extends ParsedRecord>(
  records: readonly CheckedRecord<D>[],
  context: ApplyContext<D>,
): Promise<(Outcome | null)[]> {
  return Promise.all(
    records.map((record) => {
      const { parsed } = record;
      if (!parsed.errors.none) return refused(parsed);
      const principal = context.operation.order(parsed);
      if (principal === null) return applyRecord(record, undefined, context);
      const outcome = applyRecord(record, context.lastOutcomes.get(principal), context);
      context.lastOutcomes.set(principal, outcome);
      return outcome;
    }),
  );
}

async function applyRecord<D extends ParsedRecord>(
  record: CheckedRecord<D>,
  before: Promise<Outcome | null> | undefined,
  context: ApplyContext<D>,
): Promise<Outcome | null> {
  const { parsed, ids, reference } = record;
  const { operation, requester } = context;
  try {
    const hashes = new Map<UserItem, string>();
    await hashPasswords(parsed, hashes, context.hashes);
    const earlier = before && (await before);
    // The unsettled earlier record may be sent again, and would then undo the change of this one.
    if (earlier && !isSettled(earlier)) return refused(parsed, { code: 'NOT_APPLIED', variant: 'earlier' });
    const { actor, expectedCurrentHash = null } = requester;
    return await writeRecord(record, hashes, { actor, reference, expectedCurrentHash }, context);
  } catch (error) {
    if (error instanceof Aborted) throw error;
    const kind = kindOf(error);
    if (kind === 'settled') return null;
    requester.report(error);
    const id = kind === 'unknown' ? operation.idOf(parsed, ids) : parsed.sentId;
    return { ...refused(parsed, failureDetails[kind]), id };
  }
}

/** Returns true if an outcome is final; false if the record may be tried again or its commit is unconfirmed. */
export function isSettled(outcome: Outcome): boolean {
  const code = outcome.error?.code;
  return code !== 'NOT_APPLIED' && code !== 'OUTCOME_UNKNOWN';
}

/**
 * An `ApiError` means that a read of the store failed, `ThreadEnded` that a password could not be hashed: nothing was
 * written, and a retry may succeed.
 */
function kindOf(error: unknown): WriteFailureKind {
  if (error instanceof WriteFailure) return error.kind;
  return error instanceof ApiError || error instanceof ThreadEnded ? 'away' : 'refused';
}

/** Adds the imported hashes, and hashes the passwords that have no hash yet. */
async function hashPasswords(
  parsed: ParsedRecord,
  hashes: Map<UserItem, string>,
  batch: HashBatch,
): Promise<void> {
  await Promise.all(
    parsed.users.map(async (item) => {
      if (item.passwordHash !== null) hashes.set(item, item.passwordHash);
      else if (item.password !== null && !hashes.has(item)) hashes.set(item, await batch.hash(item.password));
    }),
  );
}

const failureDetails: Readonly<Record<Exclude<WriteFailureKind, 'settled'>, ErrorDetail>> = {
  conflict: { code: 'NOT_APPLIED', variant: 'conflict', figures: { attempts: attemptsMax } },
  away: { code: 'NOT_APPLIED', variant: 'database' },
  refused: { code: 'RECORD_FAILED' },
  unknown: { code: 'OUTCOME_UNKNOWN' },
};

/**
 * Writes a record. After a conflict it is checked again, which finds the cause unless a concurrent write is undone. The
 * check may then find other users to register than before, for which IDs and hashes are still missing.
 */
async function writeRecord<D extends ParsedRecord>(
  record: CheckedRecord<D>,
  hashes: Map<UserItem, string>,
  writeContext: WriteContext,
  context: ApplyContext<D>,
): Promise<Outcome> {
  const { parsed } = record;
  const { operation, writer } = context;
  const principal = operation.order(parsed);
  // A record that is being retried must not conflict with one that is written for the first time.
  if (principal !== null) await retries.get(principal)?.catch(() => undefined);
  // The record of a job may have been checked again since its IDs were reserved.
  const ids = hasEnoughIds(record, operation) ? record.ids : await newIds(parsed, operation);
  try {
    return outcomeOf(await writer.write(operation, { parsed, ids, hashes, context: writeContext }), parsed);
  } catch (error) {
    if (!isConflict(error)) throw error;
    return inTurn(principal, () => checkAndWrite(record, hashes, writeContext, context));
  }
}

async function checkAndWrite<D extends ParsedRecord>(
  record: CheckedRecord<D>,
  hashes: Map<UserItem, string>,
  writeContext: WriteContext,
  { operation, writer, hashes: batch }: ApplyContext<D>,
): Promise<Outcome> {
  const { parsed } = record;
  let { ids } = record;
  for (let attempt = 2; ; attempt++) {
    await operation.newCheck().run([parsed]);
    if (!parsed.errors.none) return refused(parsed);
    await hashPasswords(parsed, hashes, batch);
    if (!hasEnoughIds({ parsed, ids }, operation)) ids = await newIds(parsed, operation);
    try {
      return outcomeOf(await writer.write(operation, { parsed, ids, hashes, context: writeContext }), parsed);
    } catch (error) {
      if (!isConflict(error) || attempt === attemptsMax) throw error;
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof WriteFailure && error.kind === 'conflict';
}

function outcomeOf({ id, users, principal }: Written, parsed: ParsedRecord): Outcome {
  return applied(id, users, parsed, principal);
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

function hasEnoughIds<D extends ParsedRecord>(
  { parsed, ids }: Pick<CheckedRecord<D>, 'parsed' | 'ids'>,
  operation: Operation<D>,
): boolean {
  const { principals, users } = operation.need(parsed);
  return users <= ids.users.length && (principals === 0 || ids.principal !== null);
}

async function newIds<D extends ParsedRecord>(parsed: D, operation: Operation<D>): Promise<ReservedIds> {
  const [reserved] = await operation.reserveIds([operation.need(parsed)]);
  return required(reserved);
}
