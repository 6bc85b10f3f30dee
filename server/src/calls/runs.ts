import type { Page } from '../db/paging.ts';
import type { CallerTags } from '../db/visibility.ts';
import { workingMemory } from '../http/body-memory-limit.ts';
import { RecordList } from '../json/record-list.ts';
import { ApiError } from '../lib/field-errors.ts';
import { required } from '../lib/required.ts';
import { type BatchLimits, requireBatch } from '../records/check/batch.ts';
import type { Records } from '../records/open-records.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import type { UserEffect } from '../records/parse/parsed-undo.ts';
import { claimAndRun, tryCall } from './run-call.ts';
import type { CallTools, WriteCall, WriteResult } from './write-call.ts';

/** The calls that belong together, such as those of one import. */
export interface Run {
  readonly id: string;
  /** Null in protected mode. */
  readonly clientId: number | null;
  readonly clientName: string | null;
  readonly startedAt: Date;
  /** Null while a call of the run is not completed. */
  readonly endedAt: Date | null;
  /** The numbers of calls, without those that undo the run, and of their records and users. */
  readonly calls: number;
  readonly records: number;
  readonly recordsFailed: number;
  readonly users: number;
  /** The time until which the run can be undone. */
  readonly undoableUntil: Date;
  /** The end of the last completed undo; null if there is none. */
  readonly undoneAt: Date | null;
  /** The name of the client that has undone it last; null in protected mode, too. */
  readonly undoneBy: string | null;
}

/** A call of a run. */
export interface RunCall {
  readonly id: string;
  readonly isJob: boolean;
  readonly operation: OperationName;
  readonly submittedAt: Date;
  readonly endedAt: Date | null;
  readonly records: number;
  readonly recordsFailed: number;
  readonly users: number;
}

/** The numbers of principals and users that a run has changed. */
export interface EffectCounts {
  readonly principals: number;
  readonly users: number;
}

/** The effects of a run on a principal and on its users. */
export interface RunEffects {
  readonly id: number;
  readonly inserted: boolean;
  /** True if the run has changed the principal itself. */
  readonly written: boolean;
  /** A user that the run has moved is listed under its former principal, with the one it was moved to, if that still exists. */
  readonly users: readonly (readonly [id: number, effects: readonly UserEffect[], movedTo: number | null])[];
  /** The users that the run has moved to the principal and that have another former principal. */
  readonly leaving: readonly number[];
}

export interface RunHistory {
  /** Lists the newest runs first, at most `newestListed`. */
  list(page: Page, callerTags: CallerTags): Promise<{ runs: readonly Run[]; totalCount: number }>;
  find(id: string, callerTags: CallerTags): Promise<Run | null>;
  calls(
    id: string,
    page: Page,
    callerTags: CallerTags,
  ): Promise<{ calls: readonly RunCall[]; totalCount: number }>;
  countEffects(id: string): Promise<EffectCounts>;
  /** Returns what the applied records of the run did, by principal that they changed. */
  effects(id: string): Promise<readonly RunEffects[]>;
  principalsTouched: Records['principalsTouched'];
}

export async function findRun(id: string, callerTags: CallerTags, store: RunHistory): Promise<Run> {
  const run = await store.find(id, callerTags);
  if (!run) throw new ApiError('RUN_NOT_FOUND');
  return run;
}

/** Users in a record of an undo. Their old attributes, of up to 20 KB each, are in memory while the record is written. */
const usersPerRecord = 200;

/**
 * Returns the records of the call that undoes a run. A principal that the run has inserted, and on which there was no
 * other action, is deleted as a whole, after the records that move users away from it; otherwise its users are undone one by
 * one.
 */
async function undoRecords(
  id: string,
  counts: EffectCounts,
  {
    store,
    limits,
    callerTags,
  }: { readonly store: RunHistory; readonly limits: BatchLimits; readonly callerTags: CallerTags },
): Promise<Buffer> {
  const run = await findRun(id, callerTags, store);
  if (run.undoableUntil <= new Date()) throw new ApiError('RUN_TOO_OLD');
  if (run.endedAt === null) throw new ApiError('RUN_NOT_ENDED', { variant: 'call' });
  if (counts.principals > limits.records || counts.users > limits.users)
    throw new ApiError('BATCH_TOO_LARGE', { variant: 'undo', figures: { ...limits } });
  const effects = await store.effects(id);
  const inserted = effects.filter((effect) => effect.inserted).map((effect) => effect.id);
  const touched = await store.principalsTouched(
    id,
    inserted,
    effects.flatMap(({ leaving }) => leaving),
  );
  const deletions: object[] = [];
  const records: object[] = effects.flatMap(({ id: ID, inserted: isInserted, written, users, leaving }) => {
    // A user that the run has moved to the new principal, and that has no other one by now, must not be deleted with it.
    const isHome = users.some(([, done]) => done.includes('move'));
    if (isInserted && !touched.has(ID) && !isHome) {
      deletions.push({ ID, Leaving: leaving });
      return [];
    }
    const count = Math.max(written ? 1 : 0, Math.ceil(users.length / usersPerRecord));
    return Array.from({ length: count }, (_, part) => {
      const some = users.slice(part * usersPerRecord, (part + 1) * usersPerRecord);
      const Users = some.map(([user, Effects, MovedTo]) => ({ ID: user, Effects, MovedTo }));
      return { ID, Fields: written && part === 0, Users };
    });
  });
  // Users are moved away from a principal before it is deleted.
  records.push(...deletions);
  if (records.length === 0) throw new ApiError('NOTHING_TO_UNDO');
  return Buffer.from(JSON.stringify(records));
}

async function recordsIn(bytes: Buffer, limits: BatchLimits): Promise<RecordList> {
  const list = await RecordList.read(bytes, { maxDepth: 8, maxValues: Number.POSITIVE_INFINITY });
  return requireBatch(list, limits, { variant: 'undo' });
}

/**
 * Undoes a run. Its records are made after the call is stored, when no other call can join the run, and they are stored with
 * it: a retry that resumes the undo continues with the same records.
 */
export async function undoRun(sent: WriteCall, store: RunHistory, tools: CallTools): Promise<WriteResult> {
  const { job: limits } = tools.limits;
  const run = required(sent.run);
  const { callerTags } = sent.options;
  // Before the call is stored, which reveals whether another undo of the run has not ended.
  await findRun(run, callerTags, store);
  // The records take over the memory of the effects that they are made of.
  let spare = 0;
  const holdMemory = (bytes: number) => {
    sent.holdMemory(Math.max(0, bytes - spare));
    spare = Math.max(0, spare - bytes);
  };
  const call = { ...sent, holdMemory };
  /** Reserves memory before the effects of the run, or the stored records of its undo, are read. */
  const reserve = async () => {
    const counts = await store.countEffects(run);
    spare = workingMemory({ bytes: 0, count: counts.principals, users: counts.users }, 'in groups');
    sent.holdMemory(spare);
    return counts;
  };
  if (call.dryRun) {
    const bytes = await undoRecords(run, await reserve(), { store, limits, callerTags });
    return tryCall({ ...call, records: await recordsIn(bytes, limits) }, tools);
  }
  return claimAndRun(
    call,
    {
      counts: { records: 0, users: 0 },
      async readRecords({ state, callId }) {
        const counts = await reserve();
        const stored = state === 'resumed' ? await tools.calls.undoRecords(callId) : null;
        const bytes = stored ?? (await undoRecords(run, counts, { store, limits, callerTags }));
        const records = await recordsIn(bytes, limits);
        // A job is stored as a whole.
        if (!stored && !call.async) await tools.calls.storeUndoRecords(callId, bytes, records);
        return records;
      },
    },
    tools,
  );
}
