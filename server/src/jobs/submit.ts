import type { Actor } from '../audit/audit-log.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { RecordList } from '../json/record-list.ts';
import { ErrorBudget } from '../lib/field-errors.ts';
import { checkRecords, positionsOf, recordsAt } from '../records/batch.ts';
import { type Failure, type StoredFailure, storedFailures } from '../records/failed-records.ts';
import type { IdNeed, Operation, OperationName } from '../records/operation.ts';
import { type Outcome, refused } from '../records/outcome.ts';
import { required } from '../records/parsed-record.ts';
import { inGroups, type PlannedRecord, planChunks } from './chunk-planner.ts';
import { encryptRecords } from './encrypted-chunk.ts';

/** Number of users per group. The records of a group are checked with one set of queries. */
const usersPerGroup = 2000;

export interface NewJob {
  readonly id: string;
  readonly clientId: number | null;
  readonly operation: OperationName;
  readonly records: number;
  readonly users: number;
  readonly wrappedKey: Buffer;
  readonly actor: Actor;
}

export interface EncryptedChunk {
  readonly number: number;
  readonly users: number;
  readonly positions: readonly number[];
  readonly encrypted: Buffer;
}

/** Adds the failed records and the chunks of a new job, in the transaction that stores the job. */
export interface JobWriter {
  storeFailures(failures: readonly StoredFailure[]): Promise<unknown>;
  addChunk(chunk: EncryptedChunk): Promise<void>;
}

export interface SubmissionStore {
  /**
   * Stores the job and what `fill` adds to it in one transaction; any node may then run it. Returns false and stores
   * nothing if another request has completed or submitted the call with this ID meanwhile.
   */
  submit(job: NewJob, fill: (writer: JobWriter) => Promise<void>): Promise<boolean>;
}

/**
 * Submits records as a job. Invalid records fail now; the others are stored encrypted and enqueued. `done` holds the
 * positions whose outcome is already known. Returns the outcomes of the invalid records in the order sent, or null if
 * another request has completed or submitted the call.
 */
export async function submitJob(
  call: {
    id: string;
    clientId: number | null;
    actor: Actor;
    records: RecordList;
    done: ReadonlySet<number>;
  },
  operation: Operation,
  tools: { store: SubmissionStore; keyRing: KeyRing },
): Promise<readonly Outcome[] | null> {
  const { id, records } = call;
  const { key, wrapped } = tools.keyRing.newJobKey(id);
  const { clientId, actor } = call;
  const counts = { records: records.count, users: records.users };
  const job = { id, clientId, actor, operation: operation.name, ...counts, wrappedKey: wrapped };
  // The checks run before the transaction: their queries must not wait for connections that open transactions hold.
  const { failureGroups, waiting, needs } = await partitionRecords(records, call.done, operation);
  // IDs are reserved now, so that they follow the order sent even if the chunks run in another order.
  const reserved = await operation.reserveIds(needs);
  const ids = new Map(waiting.map(({ position }, index) => [position, reserved[index]]));
  const submitted = await tools.store.submit(job, async (writer) => {
    for (const failures of failureGroups) await writer.storeFailures(failures);
    for (const [number, { positions, users }] of planChunks(waiting).entries()) {
      const chunk = positions.map((position) => ({
        position,
        users: records.usersOf(position),
        text: records.text(position),
        ids: required(ids.get(position)),
      }));
      const encrypted = await encryptRecords(chunk, key, chunkName(id, number));
      await writer.addChunk({ number, users, positions, encrypted });
    }
  });
  return submitted ? failureGroups.flat().map(({ outcome }) => outcome) : null;
}

export function chunkName(callId: string, number: number): string {
  return `${callId} ${number}`;
}

/**
 * Checks the records in groups and separates valid from invalid ones. Only invalid records stay in memory. `needs` has
 * one element for each of `waiting`.
 */
async function partitionRecords(records: RecordList, done: ReadonlySet<number>, operation: Operation) {
  const check = operation.newCheck();
  const budget = new ErrorBudget();
  const failureGroups: StoredFailure[][] = [];
  const waiting: PlannedRecord[] = [];
  const needs: IdNeed[] = [];
  const left = positionsOf(records).filter((position) => !done.has(position));
  for (const positions of inGroups(left, usersPerGroup, (position) => records.usersOf(position))) {
    const parsedRecords = await checkRecords(recordsAt(records, positions), operation, check, budget);
    const failures: Failure[] = [];
    for (const [at, position] of positions.entries()) {
      const parsed = required(parsedRecords[at]);
      if (parsed.errors.none) {
        waiting.push({ position, users: parsed.users.length, order: operation.order(parsed) });
        needs.push(operation.need(parsed));
      } else {
        failures.push({ position, outcome: refused(parsed), fields: () => records.fields(position) });
      }
    }
    failureGroups.push(await storedFailures(operation.name, failures));
  }
  return { failureGroups, waiting, needs };
}
