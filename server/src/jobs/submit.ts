import type { Actor } from '../audit/audit-log.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { RecordList } from '../json/record-list.ts';
import { ErrorBudget } from '../lib/field-errors.ts';
import { inGroups } from '../lib/in-groups.ts';
import { required } from '../lib/required.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import { type CheckedRecord, checkRecords, positionsOf, recordsAt } from '../records/check/batch.ts';
import type { Operation, UpsertOptions } from '../records/check/operation.ts';
import type { PlanReview } from '../records/check/plan.ts';
import { hashesNeededBy } from '../records/operations/apply.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import { type PrincipalChange, type ReservedIds, sizeOf } from '../records/write/change.ts';
import { type Failure, type StoredFailure, storedFailures } from '../records/write/failed-records.ts';
import { IdReservation, type RecordStore } from '../records/write/id-reservation.ts';
import { type Outcome, refused } from '../records/write/outcome.ts';
import { type PlannedRecord, planChunks } from './chunk-planner.ts';
import { encryptRecords, type SentRecord } from './encrypted-chunk.ts';

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
}

interface SubmissionTools {
  readonly store: SubmissionStore;
  readonly recordStore: RecordStore;
  readonly keyRing: KeyRing;
  readonly hasher: Pick<HashPool, 'interactiveEnded'>;
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
  const { id, clientId, actor, options, records } = call;
  const { key, wrapped } = tools.keyRing.newJobKey(id);
  const counts = { records: records.count, users: records.users, bytes: records.bytes };
  const job = { id, clientId, actor, operation: operation.name, options, ...counts, wrappedKey: wrapped };
  const idReservation = new IdReservation();
  // The checks run before the transaction: their queries must not wait for connections that open transactions hold.
  const { failureGroups, valid } = await partitionRecords(call, operation, idReservation, tools.hasher);
  // IDs are reserved now, so that they follow the order sent even if the chunks run in another order.
  await idReservation.reserve(tools.recordStore);
  const submitted = await tools.store.submit(job, async (writer) => {
    for (const failures of failureGroups) await writer.storeFailures(failures);
    for (const [number, { positions, weight }] of planChunks(valid.values()).entries()) {
      const chunk = positions.map((position) => sentRecord(required(valid.get(position)), records));
      const encrypted = encryptRecords(chunk, key, chunkName(id, number));
      await writer.addChunk({ number, weight: Math.ceil(weight), positions, encrypted });
    }
  });
  return submitted ? failureGroups.flat().map(({ outcome }) => outcome) : null;
}

export function chunkName(callId: string, number: number): string {
  return `${callId} ${number}`;
}

interface ValidRecord extends PlannedRecord {
  /** See `PlanReview.add`. */
  readonly approved: string | null;
  ids(): ReservedIds;
}

function sentRecord({ position, weight, approved, ids }: ValidRecord, records: RecordList): SentRecord {
  const users = records.usersOf(position);
  return { position, users, weight, text: records.text(position), ids: ids(), approved };
}

/**
 * Checks the records in groups and separates valid from invalid ones, of which only the invalid ones stay in memory.
 * Records in `done` are checked too: what they claim is not free for the others.
 */
async function partitionRecords(
  call: SubmittedCall,
  operation: Operation,
  idReservation: IdReservation,
  hasher: SubmissionTools['hasher'],
) {
  const { records, done } = call;
  const check = operation.newCheck();
  const budget = new ErrorBudget();
  const failureGroups: StoredFailure[][] = [];
  /** By position. */
  const valid = new Map<number, ValidRecord>();
  for (const positions of inGroups(positionsOf(records), usersPerGroup, (at) => records.usersOf(at))) {
    await hasher.interactiveEnded();
    const checkedRecords = await checkRecords(recordsAt(records, positions), operation, check, budget);
    const failures: Failure[] = [];
    for (const [at, position] of positions.entries()) {
      if (done.has(position)) continue;
      const checked = required(checkedRecords[at]);
      const approved = approvalOf(checked, position, call);
      const { parsed, change } = checked;
      if (change) {
        const weight = weightOf(change, records.usersOf(position));
        const ids = idReservation.add(change);
        valid.set(position, { position, weight, orderingKey: change.principalId, approved, ids });
      } else {
        failures.push({ position, outcome: refused(parsed), fields: () => records.fields(position) });
      }
    }
    failureGroups.push(await storedFailures(operation.name, failures));
  }
  if (done.size === 0) call.review?.finish();
  return { failureGroups, valid };
}

/** The plan of a resumed call cannot be computed any more, because a part of its records is applied. */
function approvalOf(
  checked: CheckedRecord,
  position: number,
  { records, done, review, approvals }: SubmittedCall,
): string | null {
  if (!review) return null;
  if (done.size === 0) return review.add(checked, records.text(position));
  return approvals[position] ?? review.unknownApproval;
}

/** Number of records and users without a password to hash that cost about as much as one password. */
const unhashedPerHash = 16;

function weightOf(change: PrincipalChange, sentUsers: number): number {
  const passwords = hashesNeededBy(change);
  const users = Math.max(sentUsers, sizeOf(change));
  return passwords + (1 + users - passwords) / unhashedPerHash;
}
