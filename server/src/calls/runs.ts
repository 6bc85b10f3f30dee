import { RecordList } from '../json/record-list.ts';
import { ApiError } from '../lib/field-errors.ts';
import { required } from '../lib/required.ts';
import { type BatchLimits, requireBatch } from '../records/check/batch.ts';
import { workingMemory } from '../records/check/memory-estimates.ts';
import type { CallOptions } from '../records/check/operation.ts';
import { dryRun } from './dry-run.ts';
import { claimAndApply } from './handle-call.ts';
import type { RunCounts, RunHistory } from './runs.store.ts';
import type { CallTools, WriteCall, WriteResult } from './write-call.ts';

/** Users in a record of an undo. Their old attributes, of up to 20 KB each, are in memory while the record is written. */
const usersPerRecord = 200;

/**
 * Returns the records of the call that undoes a run. A principal that the run has inserted, and on which there was no
 * other action, is deleted as a whole, after the records that move users away from it; otherwise its users are undone one by
 * one.
 */
async function undoRecords(
  id: string,
  counts: RunCounts,
  { callerTags }: CallOptions,
  { store, tools }: { readonly store: RunHistory; readonly tools: CallTools },
): Promise<Buffer> {
  const { job: limits } = tools.limits;
  const run = await store.find(id, callerTags);
  if (run.UndoableUntil <= new Date()) throw new ApiError('RUN_TOO_OLD');
  if (run.EndedAt === null) throw new ApiError('RUN_NOT_ENDED', { variant: 'call' });
  if (counts.principals > limits.records || counts.users > limits.users)
    throw new ApiError('BATCH_TOO_LARGE', { variant: 'undo', figures: { ...limits } });
  const effects = await store.effects(id);
  const inserted = effects.filter((effect) => effect.inserted).map((effect) => effect.id);
  const touched = await tools.principalsTouched(
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
  // Before the call is stored, which reveals whether another undo of the run has not ended.
  await store.find(run, sent.options.callerTags);
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
    const bytes = await undoRecords(run, await reserve(), call.options, { store, tools });
    return dryRun(call, await recordsIn(bytes, limits), tools);
  }
  return claimAndApply(
    call,
    {
      counts: { records: 0, users: 0 },
      async readRecords({ state, callId }) {
        const counts = await reserve();
        const stored = state === 'resumed' ? await tools.calls.undoRecords(callId) : null;
        const bytes = stored ?? (await undoRecords(run, counts, call.options, { store, tools }));
        const records = await recordsIn(bytes, limits);
        // A job is stored as a whole.
        if (!stored && !call.async) await tools.calls.storeUndoRecords(callId, bytes, records);
        return records;
      },
    },
    tools,
  );
}
