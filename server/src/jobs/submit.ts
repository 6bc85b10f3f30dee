import type { Actor } from '../audit/audit-log.ts';
import { newKey } from '../encryption/cipher.ts';
import type { KeyRing, Queries } from '../encryption/key-ring.ts';
import type { RecordList } from '../json/record-list.ts';
import { FieldErrors } from '../lib/field-errors.ts';
import { required } from '../lib/required.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import { changeToWrite, checkInGroups } from '../records/check/batch.ts';
import type { CallOptions, Operation } from '../records/check/operation.ts';
import type { PlanReview } from '../records/check/plan.ts';
import type { Records } from '../records/open-records.ts';
import { hashesNeeded } from '../records/operations/apply.ts';
import type { UnchangedRecord } from '../records/write/call-outcomes.store.ts';
import { isUnchanged, type PrincipalChange, principalsOf, sizeOf } from '../records/write/change.ts';
import { type Failure, type StoredFailure, storedFailures } from '../records/write/failed-records.ts';
import { reserveIds } from '../records/write/id-reservation.ts';
import { type Outcome, refused } from '../records/write/outcome.ts';
import { type PlannedRecord, planChunks } from './chunk-planner.ts';
import { chunkName, encryptRecords, type ValidRecord } from './encrypted-chunk.ts';
import type { SubmissionStore } from './submissions.store.ts';

/** A call whose records are applied at once, or in chunks. */
export interface SubmittedCall {
  readonly id: string;
  readonly clientId: number | null;
  readonly actor: Actor;
  readonly records: RecordList;
  /** The outcomes of earlier requests with the same key, by position. */
  readonly earlierOutcomes: ReadonlyMap<number, Outcome>;
  readonly options: CallOptions;
  /** Null if the operation has no plan. */
  readonly review: PlanReview | null;
  holdMemory(bytes: number): void;
}

interface SubmissionTools extends Pick<Records, 'writeStore'> {
  readonly store: SubmissionStore;
  readonly keyRing: KeyRing;
  readonly hasher: Pick<HashPool, 'waitForInteractive'>;
}

/**
 * Submits records as a job. Invalid records fail now, and records of `irs/upsert` that change nothing are done now; the
 * others are stored encrypted and enqueued. Returns the outcomes of those that are not enqueued, or null if another request
 * has completed or submitted the call.
 */
export async function submitJob(
  call: SubmittedCall,
  operation: Operation,
  tools: SubmissionTools,
): Promise<readonly Outcome[] | null> {
  const { id, clientId, actor, options, records } = call;
  const { keyRing } = tools;
  const key = newKey();
  const counts = { records: records.count, users: records.users, bytes: records.bytes };
  const job = {
    ...{ id, clientId, actor, operation: operation.name, options, ...counts },
    async wrapKey(connection: Queries) {
      await keyRing.lock(connection);
      return keyRing.wrapJobKey(key, id);
    },
  };
  // The checks run before the transaction: their queries must not wait for connections that open transactions hold.
  const { failureGroups, unchanged, valid } = await partitionRecords(call, operation, tools);
  const submitted = await tools.store.submit(job, async (writer) => {
    for (const failures of failureGroups) await writer.storeFailures(failures);
    await writer.storeUnchanged(unchanged);
    for (const [number, { positions, weight }] of (await planChunks(valid.values())).entries()) {
      const chunk = positions.map((position) => required(valid.get(position)));
      const textOf = (position: number) => records.text(position);
      const encrypted = await encryptRecords(chunk, textOf, { key, name: chunkName(id, number) });
      await writer.addChunk({ number, weight: Math.ceil(weight), positions, encrypted });
    }
  });
  const done = unchanged.map(({ principalId: id }): Outcome => {
    return { id, error: null, errors: new FieldErrors(), users: [], principal: 'unchanged' };
  });
  return submitted ? [...failureGroups.flat().map(({ outcome }) => outcome), ...done] : null;
}

/**
 * Checks the records in groups and separates valid, unchanged and invalid ones, of which only the invalid ones stay in memory. Those
 * with an earlier outcome are checked too: the names that they give are taken for the others. IDs are reserved for each group, so
 * that they follow the order sent even if the chunks run in another order.
 */
async function partitionRecords(
  { records, earlierOutcomes, review, holdMemory }: SubmittedCall,
  operation: Operation,
  { hasher, writeStore, store }: SubmissionTools,
) {
  const failureGroups: StoredFailure[][] = [];
  const unchanged: UnchangedRecord[] = [];
  // An earlier job may still change what these records are compared with. They are then compared again, after it.
  const endsUnchanged = operation.name === 'upsert' && !(await store.hasWaitingChunks());
  /** By position. */
  const valid = new Map<number, ValidRecord & PlannedRecord>();
  await hasher.waitForInteractive();
  for await (const group of checkInGroups(records, operation, { holdMemory })) {
    const left = group.filter(({ position }) => !earlierOutcomes.has(position));
    const approvals = left.map((checked) => review?.approve(checked, records.text(checked.position)) ?? null);
    const changes = left.map(changeToWrite);
    const ids = await reserveIds(changes, writeStore);
    const failures: Failure[] = [];
    for (const [at, checked] of left.entries()) {
      const { position, parsed, fields } = checked;
      const change = changes[at];
      if (!change) {
        failures.push({ position, outcome: refused(parsed), fields });
        continue;
      }
      if (endsUnchanged && isUnchanged(change) && change.principalId !== null) {
        const userIds = change.applied.flatMap(({ id }) => id ?? []);
        unchanged.push({ position, principalId: change.principalId, userIds });
        continue;
      }
      const users = records.usersOf(position);
      valid.set(position, {
        position,
        users,
        weight: weightOf(change, hashesNeeded(checked), users),
        orderingKeys: principalsOf(change),
        ids: required(ids[at]),
        approval: approvals[at] ?? null,
        namedElsewhere: change.namedElsewhere ?? [],
      });
    }
    failureGroups.push(await storedFailures(operation.name, failures));
    await hasher.waitForInteractive();
  }
  review?.finish();
  return { failureGroups, unchanged, valid };
}

/** Number of records and users without a password to hash that cost about as much as one password. */
const unhashedPerHash = 16;

function weightOf(change: PrincipalChange, passwords: number, sentUsers: number): number {
  const users = Math.max(sentUsers, sizeOf(change));
  return passwords + (1 + users - passwords) / unhashedPerHash;
}
