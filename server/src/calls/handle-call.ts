import { randomUUID } from 'node:crypto';
import type { Claim, StoredCall } from '../idempotency/idempotency.ts';
import { claimLease, holdLease, inProgress } from '../idempotency/lease.ts';
import type { Job } from '../jobs/job.ts';
import { submitJob } from '../jobs/submit.ts';
import type { RecordList } from '../json/record-list.ts';
import { requireBatch } from '../records/check/batch.ts';
import { workingMemory } from '../records/check/memory-estimates.ts';
import { operationOf } from '../records/check/operation.ts';
import { effectCounts } from '../records/read/effect-counts.ts';
import type { Outcome } from '../records/write/outcome.ts';
import { applyNow } from './apply-now.ts';
import { dryRun } from './dry-run.ts';
import { type CallTools, type ReadyCall, reviewOf, type WriteCall, type WriteResult } from './write-call.ts';

/**
 * Handles a write as a dry run, at once or as a job. A call with an idempotency key is handled once. A call with a key or a
 * run is stored before it is applied.
 */
export async function handleCall(sent: WriteCall, tools: CallTools): Promise<WriteResult> {
  const call = { ...sent, records: requireWithinLimits(sent, tools) };
  const { clientId, operation, records } = call;
  if (call.dryRun) return dryRun(call, records, tools);
  const counts = { records: records.count, users: records.users };
  if (call.key || call.run !== null)
    return claimAndApply(call, { counts, readRecords: async () => records }, tools);
  const id = randomUUID();
  const unstoredCall = { id, clientId, operation, ...counts };
  return applyOrSubmit({ ...call, id, unstoredCall }, 'new', tools);
}

type HeldClaim = Extract<Claim, { lease: unknown }>;

/** Stores a call, or finds the earlier one with its key, and then applies it. */
export async function claimAndApply(
  call: WriteCall,
  {
    counts,
    readRecords,
  }: {
    readonly counts: Pick<StoredCall, 'records' | 'users'>;
    readonly readRecords: (claim: HeldClaim) => Promise<RecordList>;
  },
  tools: CallTools,
): Promise<WriteResult> {
  const { clientId, operation, key, run } = call;
  const claim = await claimLease(
    { clientId, operation, key, run, ...counts },
    tools.idempotency,
    call.report,
  );
  if (!('lease' in claim)) return replay(call, claim, tools);
  const { state, callId: id } = claim;
  const apply = async () => {
    const stored = { ...call, records: await readRecords(claim), id, unstoredCall: null };
    return applyOrSubmit(stored, state, tools);
  };
  return holdLease(claim, apply, call.report);
}

/** Reserves the memory of a call, adds what is stored of an earlier attempt and the review of its plan, and starts it. */
async function applyOrSubmit(
  call: Omit<ReadyCall, 'earlierOutcomes' | 'review'>,
  state: HeldClaim['state'],
  tools: CallTools,
): Promise<WriteResult> {
  const { callerTags } = call.options;
  if (!call.async) requireSyncLimits(call, tools.limits);
  call.holdMemory(workingMemory(call.records, call.async ? 'in groups' : 'whole'));
  const earlierOutcomes =
    state === 'new' ? new Map<number, Outcome>() : await tools.calls.outcomes(call.id, callerTags);
  const resumed = call.planned && earlierOutcomes.size > 0 ? await tools.calls.approvals(call.id) : null;
  const ready = { ...call, earlierOutcomes, review: reviewOf(call, resumed, tools) };
  return call.async ? submit(ready, tools) : applyNow(ready, tools);
}

/** A call with a key gets the limits of jobs, because an earlier request with the key may have submitted a job. */
function requireWithinLimits(call: WriteCall, { limits }: CallTools): RecordList {
  if (call.async || call.dryRun || call.key) return requireBatch(call.body, limits.job, { variant: 'job' });
  return requireSyncLimits(call, limits);
}

function requireSyncLimits(call: WriteCall, limits: CallTools['limits']): RecordList {
  const figures = { jobUsers: limits.job.users };
  return requireBatch(call.body, limits.answered, { variant: 'answered', figures });
}

/** Returns the result of an earlier request with the same key. */
async function replay(
  call: WriteCall,
  { state, callId }: Extract<Claim, { state: 'answered' | 'job' }>,
  { calls }: CallTools,
): Promise<WriteResult> {
  if (state === 'job') return { kind: 'job', complete: true, jobId: callId, replayed: true, job: null };
  if (call.body) call.holdMemory(workingMemory(call.body, 'in groups'));
  const outcomes = [...(await calls.outcomes(callId, call.options.callerTags)).values()];
  const counts = call.planned && effectCounts(outcomes);
  return { kind: 'outcomes', outcomes, replayed: true, complete: true, counts };
}

async function submit(call: ReadyCall, tools: CallTools): Promise<WriteResult> {
  const { id } = call;
  const operation = operationOf(tools.operations, call.operation, call.options);
  const done = await submitJob(call, operation, { ...tools, store: tools.submissions });
  if (!done) throw inProgress();
  tools.onOutcomes(call.operation, done);
  return { kind: 'job', complete: true, jobId: id, replayed: false, job: asSubmitted(call, done) };
}

/** Returns the job as it is right after submission, for an answer that needs no query. */
function asSubmitted({ id, clientId, operation, records }: ReadyCall, done: readonly Outcome[]): Job {
  return {
    id,
    clientId,
    state: 'queued',
    operation,
    records: records.count,
    recordsDone: done.length,
    recordsFailed: done.filter(({ error }) => error !== null).length,
    users: records.users,
    usersDone: 0,
    usersApplied: 0,
    recentUsers: 0,
    recentAt: null,
    submittedAt: new Date(),
    startedAt: null,
    endedAt: null,
    counts: null,
  };
}
