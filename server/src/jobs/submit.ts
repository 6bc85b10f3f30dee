import type { Actor } from '../audit/audit-log.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { type RecordList, readRecord } from '../json/record-list.ts';
import { ErrorBudget } from '../lib/field-errors.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import { type CheckedRecord, checkRecords, positionsOf, recordsAt } from '../records/check/batch.ts';
import type { Operation, UpsertOptions } from '../records/check/operation.ts';
import type { PlanReview } from '../records/check/plan.ts';
import { hashesNeededBy } from '../records/operations/apply.ts';
import { type OperationName, required } from '../records/parse/parsed-record.ts';
import { type ReservedIds, sizeOf } from '../records/write/change.ts';
import { type Failure, type StoredFailure, storedFailures } from '../records/write/failed-records.ts';
import { IdReservation, type RecordStore } from '../records/write/id-reservation.ts';
import { type Outcome, refused } from '../records/write/outcome.ts';
import { inGroups, type PlannedRecord, planChunks } from './chunk-planner.ts';
import { encryptRecords, type SentRecord } from './encrypted-chunk.ts';
import { type CheckedWaitingRecord, callMemoryMax, memoryOf, type RecentChunks } from './recent-chunks.ts';

/** Number of users per group. The records of a group are checked with one set of queries. */
const usersPerGroup = 500;

export interface NewJob {
  readonly id: string;
  readonly clientId: number | null;
  readonly operation: OperationName;
  /** Null if the operation has no options. */
  readonly options: UpsertOptions | null;
  readonly records: number;
  readonly users: number;
  /** The size of the body. */
  readonly bytes: number;
  readonly wrappedKey: Buffer;
  readonly actor: Actor;
}

export interface EncryptedChunk {
  readonly number: number;
  /** See `PlannedChunk.weight`. */
  readonly weight: number;
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
   * nothing if another request has completed or submitted the call with this ID meanwhile. Throws the `ApiError`
   * `RATE_LIMITED` if the client has too many open jobs.
   */
  submit(job: NewJob, fill: (writer: JobWriter) => Promise<void>): Promise<boolean>;
}

interface SubmittedCall {
  readonly id: string;
  readonly clientId: number | null;
  readonly actor: Actor;
  readonly records: RecordList;
  readonly done: ReadonlySet<number>;
  readonly options: UpsertOptions | null;
  /** Null if the operation has no plan. */
  readonly review: PlanReview | null;
  /** The stored approvals by position, if a part of the call is applied. */
  readonly approvals: readonly string[];
  holdMemory(bytes: number): void;
}

interface SubmissionTools {
  readonly store: SubmissionStore;
  readonly recordStore: RecordStore;
  readonly keyRing: KeyRing;
  readonly hasher: Pick<HashPool, 'interactiveEnded'>;
  readonly recentChunks: RecentChunks;
}

/**
 * Submits records as a job. Invalid records fail now; the others are stored encrypted and enqueued. `done` holds the
 * positions whose outcome is already known. Returns the outcomes of the invalid records in the order sent, or null if
 * another request has completed or submitted the call.
 */
export async function submitJob(
  call: SubmittedCall,
  operation: Operation,
  tools: SubmissionTools,
): Promise<readonly Outcome[] | null> {
  const { id, records } = call;
  const { key, wrapped } = tools.keyRing.newJobKey(id);
  const { clientId, actor, options } = call;
  const counts = { records: records.count, users: records.users, bytes: records.bytes };
  const job = { id, clientId, actor, operation: operation.name, options, ...counts, wrappedKey: wrapped };
  // The checks run before the transaction: their queries must not wait for connections that open transactions hold.
  const { failureGroups, waiting, idReservation } = await partitionRecords(call, operation, tools.hasher);
  // IDs are reserved now, so that they follow the order sent even if the chunks run in another order.
  await idReservation.reserve(tools.recordStore);
  const checkedChunks = new Map<string, CheckedWaitingRecord[]>();
  const submitted = await tools.store.submit(job, async (writer) => {
    for (const failures of failureGroups) await writer.storeFailures(failures);
    for (const [number, { positions, weight }] of planChunks(waiting.values()).entries()) {
      const chunk = positions.map((position) => {
        const { ids, approved, weight, checked } = required(waiting.get(position));
        const users = records.usersOf(position);
        return {
          position,
          users,
          text: records.text(position),
          ids: ids(),
          approved,
          weight,
          checked,
        };
      });
      const name = chunkName(id, number);
      const encrypted = encryptRecords(chunk, key, name);
      await writer.addChunk({ number, weight: Math.ceil(weight), positions, encrypted });
      if (chunk.every(isChecked)) checkedChunks.set(name, checkedRecords(chunk));
    }
  });
  if (!submitted) return null;
  for (const [name, checked] of checkedChunks)
    tools.recentChunks.keep(name, checked, callMemory(records) / checkedChunks.size);
  return failureGroups.flat().map(({ outcome }) => outcome);
}

type SentAndChecked = SentRecord & Pick<CheckedWaitingRecord, 'checked'>;

function isChecked(record: SentRecord & { checked: CheckedRecord | null }): record is SentAndChecked {
  return record.checked !== null;
}

/** Copies the texts: a part of the body would keep the whole body in memory, with the passwords of other records. */
function checkedRecords(chunk: readonly SentAndChecked[]): CheckedWaitingRecord[] {
  const texts = Buffer.concat(chunk.map(({ text }) => text));
  let end = 0;
  return chunk.map(({ position, users, weight, ids, approved, checked, text }) => {
    const start = end;
    const bytes = text.length;
    end += bytes;
    const fields = () => readRecord(texts.subarray(start, start + bytes));
    return { position, users, weight, ids, approved, checked, fields };
  });
}

function callMemory({ bytes, count, users }: RecordList): number {
  return memoryOf({ bytes, records: count, users });
}

export function chunkName(callId: string, number: number): string {
  return `${callId} ${number}`;
}

interface CheckedWaiting extends PlannedRecord {
  /** See `PlanReview.add`. */
  readonly approved: string | null;
  /** Null if the record is parsed again when its chunk runs. */
  readonly checked: CheckedRecord | null;
  ids(): ReservedIds;
}

/** Number of records and users without a password to hash that cost about as much as one password. */
const unhashedPerHash = 16;

/**
 * Checks the records in groups and separates valid from invalid ones. Only invalid records and those of a small call
 * stay in memory. Records in `done` are checked too: what they claim is not free for the others.
 */
async function partitionRecords(
  { records, done, review, approvals, holdMemory }: SubmittedCall,
  operation: Operation,
  hasher: SubmissionTools['hasher'],
) {
  const check = operation.newCheck({ holdMemory });
  const budget = new ErrorBudget();
  const failureGroups: StoredFailure[][] = [];
  /** By position. */
  const waiting = new Map<number, CheckedWaiting>();
  const idReservation = new IdReservation();
  // The plan of a resumed call cannot be computed any more, because a part of its records is applied.
  const isResumed = done.size > 0;
  const all = positionsOf(records);
  for (const positions of inGroups(all, usersPerGroup, (position) => records.usersOf(position))) {
    await hasher.interactiveEnded();
    const checkedRecords = await checkRecords(recordsAt(records, positions), operation, check, budget);
    const failures: Failure[] = [];
    for (const [at, position] of positions.entries()) {
      if (done.has(position)) continue;
      const checked = required(checkedRecords[at]);
      const { parsed, change } = checked;
      const approved = isResumed
        ? (approvals[position] ?? review?.unknownApproval ?? null)
        : (review?.add(checked, records.text(position)) ?? null);
      if (change) {
        const passwords = hashesNeededBy(change);
        const users = Math.max(records.usersOf(position), sizeOf(change));
        const weight = passwords + (1 + users - passwords) / unhashedPerHash;
        // Not kept: plaintext passwords, and records that hold stored values, which may be large.
        const isKept = callMemory(records) <= callMemoryMax && passwords === 0 && change.principalId === null;
        waiting.set(position, {
          position,
          weight,
          orderingKey: change.principalId,
          approved,
          checked: isKept ? checked : null,
          ids: idReservation.add(change),
        });
      } else {
        failures.push({ position, outcome: refused(parsed), fields: () => records.fields(position) });
      }
    }
    failureGroups.push(await storedFailures(operation.name, failures));
  }
  if (!isResumed) review?.finish();
  return { failureGroups, waiting, idReservation };
}
