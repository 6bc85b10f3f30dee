import { randomUUID } from 'node:crypto';
import { workingMemory } from '../http/body-memory-limit.ts';
import type { Claim, IdempotencyKey, KeyedCall } from '../idempotency/idempotency.ts';
import { claimLease, holdLease, inProgress } from '../idempotency/lease.ts';
import type { Job } from '../jobs/job.ts';
import { submitJob } from '../jobs/submit.ts';
import type { RecordList } from '../json/record-list.ts';
import { ApiError } from '../lib/field-errors.ts';
import { requireBatch } from '../records/check/batch.ts';
import { type Operation, operationOf } from '../records/check/operation.ts';
import { type Approvals, PlanReview } from '../records/check/plan.ts';
import { countsOf } from '../records/read/effect-counts.ts';
import type { NewCall, Outcome } from '../records/write/outcome.ts';
import { applyNow } from './apply-now.ts';
import type { CallStore } from './calls.ts';
import { dryRun } from './dry-run.ts';
import type { CallTools, ClaimedCall, ValidCall, WriteCall, WriteResult } from './write-call.ts';

/** Handles a write as a dry run, at once or as a job. A call with an idempotency key is handled once. */
export async function runCall(sent: WriteCall, tools: CallTools): Promise<WriteResult> {
  const call = { ...sent, records: requireWithinLimits(sent, tools) };
  const operation = operationOf(tools.operations, call.operation, call.options);
  if (call.dryRun) return tryCall(call, operation, tools);
  if (call.run !== null && call.operation !== 'undo')
    await requireOwnRun(call.run, call.clientId, tools.calls);
  if (!call.key) {
    const id = randomUUID();
    return applyOrSubmit(
      { ...call, id, unstoredCall: newCallOf(call, id), settled: new Map() },
      operation,
      tools,
    );
  }
  const claim = await claimLease(keyedCall(call, call.key), tools.idempotency, call.report);
  if (!('lease' in claim)) return replay(call, claim, tools);
  return holdLease(
    claim,
    async () => {
      const settled =
        claim.state === 'new' ? new Map<number, Outcome>() : await tools.calls.outcomes(claim.callId);
      return applyOrSubmit({ ...call, id: claim.callId, unstoredCall: null, settled }, operation, tools);
    },
    call.report,
  );
}

/** Runs all checks of a call without applying it. */
async function tryCall(call: ValidCall, operation: Operation, tools: CallTools): Promise<WriteResult> {
  call.holdMemory(workingMemory(call.records, 'in groups'));
  const review = reviewOf(call, null, tools);
  return { kind: 'estimate', complete: true, ...(await dryRun({ ...call, review }, operation, tools)) };
}

/** Applies a call at once, or submits it as a job. */
async function applyOrSubmit(
  call: Omit<ClaimedCall, 'review'>,
  operation: Operation,
  tools: CallTools,
): Promise<WriteResult> {
  if (!call.async) requireSyncLimits(call, tools.limits);
  call.holdMemory(workingMemory(call.records, call.async ? 'in groups' : 'whole'));
  const resumed = call.upsert && call.settled.size > 0 ? await tools.calls.approvals(call.id) : null;
  const claimed = { ...call, review: reviewOf(call, resumed, tools) };
  if (call.async) return submit(claimed, operation, tools);
  const { outcomes, complete } = await applyNow(claimed, operation, tools);
  return answered(call, outcomes, { replayed: false, complete });
}

/** Throws if the run was begun by another client. */
async function requireOwnRun(run: string, clientId: number | null, calls: CallStore): Promise<void> {
  const owner = await calls.ownerOfRun(run);
  if (owner !== undefined && owner !== clientId) throw new ApiError('FORBIDDEN', { variant: 'run' });
}

/** `resumed` are the stored approvals of a call of which a part is applied; null for a new call. */
function reviewOf(
  { options, upsert, dryRun }: WriteCall,
  resumed: Approvals | null,
  { maxRemovals, keyRing }: CallTools,
): PlanReview | null {
  if (!upsert) return null;
  const { expectedPlan: expected } = upsert;
  const newDigest = () => keyRing.newFingerprint();
  return new PlanReview({ options, expected, maxRemovals, resumed, dryRun, newDigest });
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

function keyedCall({ clientId, operation, run, records }: ValidCall, key: IdempotencyKey): KeyedCall {
  return { clientId, operation, key, run, records: records.count, users: records.users };
}

/** Returns the result of an earlier request with the same key. */
async function replay(
  call: ValidCall,
  { state, callId }: Extract<Claim, { state: 'answered' | 'job' }>,
  { calls }: CallTools,
): Promise<WriteResult> {
  if (state === 'job') return { kind: 'job', complete: true, jobId: callId, replayed: true, job: null };
  call.holdMemory(workingMemory(call.records, 'in groups'));
  const stored = await calls.outcomes(callId);
  return answered(call, [...stored.values()], { replayed: true, complete: true });
}

async function submit(call: ClaimedCall, operation: Operation, tools: CallTools): Promise<WriteResult> {
  const { id } = call;
  const refused = await submitJob(call, operation, { ...tools, store: tools.submissions });
  if (!refused) throw inProgress();
  tools.onOutcomes(call.operation, refused);
  return { kind: 'job', complete: true, jobId: id, replayed: false, job: asSubmitted(call, id, refused) };
}

function newCallOf({ clientId, operation, run, records }: ValidCall, id: string): NewCall {
  return { id, clientId, operation, run, records: records.count, users: records.users };
}

function answered(
  { upsert }: WriteCall,
  outcomes: readonly Outcome[],
  state: { replayed: boolean; complete: boolean },
): WriteResult {
  return { kind: 'outcomes', outcomes, ...state, counts: upsert && countsOf(outcomes) };
}

/** Returns the job as it is right after submission, for an answer that needs no query. */
function asSubmitted(call: ValidCall, id: string, refused: readonly Outcome[]): Job {
  const { clientId, operation, records } = call;
  return {
    id,
    clientId,
    state: 'queued',
    operation,
    records: records.count,
    recordsDone: refused.length,
    recordsFailed: refused.length,
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
