import { clientActor } from '../audit/audit-log.ts';
import type { CallerTags } from '../db/visibility.ts';
import { type KeyRing, MasterKeyMissing } from '../encryption/key-ring.ts';
import { Aborted } from '../lib/aborted.ts';
import type { CodeWithOneText } from '../lib/error-codes.ts';
import { ErrorBudget, FieldErrors } from '../lib/field-errors.ts';
import { inGroups } from '../lib/in-groups.ts';
import type { Fields } from '../lib/request-fields.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import { type CheckedRecord, checkRecords } from '../records/check/batch.ts';
import { type Operation, type Operations, operationOf } from '../records/check/operation.ts';
import { requireApproved } from '../records/check/plan.ts';
import { applyRecords } from '../records/operations/apply.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import { sentIdOf } from '../records/parse/parsed-record.ts';
import { type Failure, storedFailures } from '../records/write/failed-records.ts';
import type { Outcome } from '../records/write/outcome.ts';
import type { RecordWriter } from '../records/write/record-writer.ts';
import { isFinal } from '../records/write/write-failures.ts';
import type { ChunkStore } from './chunks.store.ts';
import { chunkName, decryptRecords, type WaitingRecord } from './encrypted-chunk.ts';

/** Weight of a group, in passwords to hash. The records of a group are looked up, hashed and written together. */
const groupWeight = 64;
/** Number of users whose failures are stored together: the records of one principal may form a chunk of any size. */
const usersPerFailureGroup = 500;
/** Number of groups in progress: while one is hashed, the next one is prepared. */
const groupsAtOnce = 2;
/** Number of attempts to run a chunk after which its remaining records fail. */
const runsMax = 100;

export interface ChunkTools {
  readonly store: ChunkStore;
  readonly operations: Operations;
  readonly hasher: HashPool;
  readonly keyRing: KeyRing;
  /** Shared by all chunks of this node, so that connections stay free for synchronous calls. */
  readonly writer: RecordWriter;
  /** Called with outcomes once they are final. */
  onOutcomes(operation: OperationName, outcomes: readonly Outcome[]): void;
  report(error: unknown): void;
}

interface ChunkContext {
  readonly callId: string;
  readonly clientId: number | null;
  readonly callerTags: CallerTags;
  readonly operation: Operation;
  readonly tools: ChunkTools;
  readonly signal: AbortSignal;
}

/**
 * Applies the remaining records of a chunk. The outcome of a record is written in the same transaction as the record, so
 * that a chunk can be aborted at any point, retried, or run by two nodes at once, and no record is applied twice.
 */
export async function runChunk(
  callId: string,
  number: number,
  tools: ChunkTools,
  signal: AbortSignal,
): Promise<void> {
  const begun = await begin(callId, number, tools);
  if (!begun) return;
  const { chunk, left, readable } = begun;
  const operation = operationOf(tools.operations, chunk.operation, chunk.options);
  const { callerTags = null } = chunk.options ?? {};
  const context = { callId, clientId: chunk.clientId, callerTags, operation, tools, signal };
  if (chunk.cancelled) await refuseAll(left, 'CANCELLED', context);
  else if (!readable || chunk.attempts > runsMax) await refuseAll(left, 'RECORD_FAILED', context);
  else await applyAll(left, context);
  await tools.store.end(callId, number);
}

/** Returns the records that have no outcome yet. A later attempt to read unreadable ones would fail too. */
async function begin(callId: string, number: number, tools: ChunkTools) {
  const begun = await tools.store.begin(callId, number);
  if (!begun) return null;
  const { wrappedKey, bytes, positions, done, ...chunk } = begun;
  const encryptedRecords = await tools.store.readRecords(callId, number, bytes);
  if (!encryptedRecords) return null;
  const decrypted = await decryptChunk(encryptedRecords, wrappedKey, callId, number, tools);
  const records = decrypted ?? positions.map(unreadable);
  const left = records.filter(({ position }) => !done.has(position));
  return { chunk, left, readable: decrypted !== null };
}

async function decryptChunk(
  encryptedRecords: Buffer,
  wrappedKey: Buffer,
  callId: string,
  number: number,
  { keyRing, report }: ChunkTools,
): Promise<WaitingRecord[] | null> {
  try {
    const key = await openJobKey(wrappedKey, callId, keyRing);
    return await decryptRecords(encryptedRecords, { key, name: chunkName(callId, number) });
  } catch (error) {
    if (error instanceof MasterKeyMissing) throw error;
    report(error);
    return null;
  }
}

/** A key that cannot be opened may be encrypted with a master key that this node has not read yet. */
async function openJobKey(wrappedKey: Buffer, callId: string, keyRing: KeyRing): Promise<Buffer> {
  try {
    return keyRing.openJobKey(wrappedKey, callId);
  } catch {
    await keyRing.refresh();
    return keyRing.openJobKey(wrappedKey, callId);
  }
}

/** Replaces a record that could not be decrypted. Only its position is known. */
function unreadable(position: number): WaitingRecord {
  return {
    position,
    users: 0,
    weight: 0,
    ids: { principal: null, users: [] },
    approval: null,
    namedElsewhere: [],
    fields: async () => ({}),
  };
}

async function applyAll(records: readonly WaitingRecord[], context: ChunkContext): Promise<void> {
  const { operation } = context;
  const lastOutcomes = new Map<number, Promise<Outcome | null>>();
  const running = new Set<Promise<void>>();
  try {
    // Groups are checked one after the other, so that records of one principal are applied in the order sent.
    for (const group of inGroups(records, groupWeight, ({ weight }) => weight)) {
      if (running.size >= groupsAtOnce) await Promise.race(running);
      await context.tools.hasher.waitForInteractive();
      if (context.signal.aborted) throw new Aborted('the service is stopping');
      if (await context.tools.store.isCancelled(context.callId)) {
        await refuseAll(group, 'CANCELLED', context);
        continue;
      }
      const check = operation.startChecks({
        namedElsewhere: new Set(group.flatMap(({ namedElsewhere }) => namedElsewhere)),
      });
      const checked = await checkRecords(group, operation, check, new ErrorBudget());
      for (const record of checked) requireApproved(record, record.approval);
      const applying = applyGroup(checked, lastOutcomes, context);
      running.add(applying);
      applying.then(() => running.delete(applying)).catch(() => undefined);
    }
  } finally {
    await Promise.allSettled(running);
  }
  await Promise.all(running);
}

async function applyGroup(
  group: readonly (WaitingRecord & CheckedRecord)[],
  lastOutcomes: Map<number, Promise<Outcome | null>>,
  context: ChunkContext,
): Promise<void> {
  const { callId, clientId, callerTags, operation, tools, signal } = context;
  const outcomes = await applyRecords(group, {
    operation,
    actor: clientActor(clientId),
    call: { id: callId, unstoredCall: null },
    callerTags,
    hashes: tools.hasher.forJob(String(clientId), signal),
    writer: tools.writer,
    lastOutcomes,
    report: tools.report,
  });
  await settle(group, outcomes, context);
}

async function settle(
  group: readonly WaitingRecord[],
  outcomes: readonly (Outcome | null)[],
  context: ChunkContext,
): Promise<void> {
  const { operation, tools } = context;
  const own = outcomes.filter((outcome) => outcome !== null);
  const final = own.filter(isFinal);
  const failed = group.flatMap(({ position, fields }, at): Failure[] => {
    const outcome = outcomes[at];
    return outcome?.error && isFinal(outcome) ? [{ position, fields, outcome }] : [];
  });
  const applied = final.filter(({ error }) => error === null);
  tools.onOutcomes(operation.name, [...applied, ...(await storeFailed(failed, context))]);
  if (final.length < own.length) throw new Aborted('the database did not take every record');
}

async function refuseAll(
  records: readonly WaitingRecord[],
  code: CodeWithOneText,
  context: ChunkContext,
): Promise<void> {
  const { operation, tools } = context;
  const outcome = (fields: Fields) => {
    return { id: sentIdOf(fields), error: { code }, errors: new FieldErrors(), users: [] };
  };
  for (const group of inGroups(records, usersPerFailureGroup, ({ users }) => users)) {
    const failed = group.map(({ position, fields }) => ({ position, fields, outcome }));
    tools.onOutcomes(operation.name, await storeFailed(failed, context));
  }
}

/** Stores failed records. Returns the outcomes that were stored; another node has stored those of the others. */
async function storeFailed(
  failed: readonly Failure[],
  { callId, operation, tools }: ChunkContext,
): Promise<Outcome[]> {
  const failures = await storedFailures(operation.name, failed);
  const positions = await tools.store.storeFailures(callId, failures);
  return failures.filter(({ position }) => positions.has(position)).map(({ outcome }) => outcome);
}
