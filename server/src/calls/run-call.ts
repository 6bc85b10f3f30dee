import { randomUUID } from 'node:crypto';
import { isAnswerLost } from '../db/errors.ts';
import { workingMemory } from '../http/body-memory-limit.ts';
import { type Claim, leaseMs, leaseRenewalMs } from '../idempotency/idempotency.ts';
import type { Job } from '../jobs/job.ts';
import { submitJob } from '../jobs/submit.ts';
import type { RecordList } from '../json/record-list.ts';
import { ApiError } from '../lib/field-errors.ts';
import { readBatch } from '../records/check/batch.ts';
import { type Operation, operationOf } from '../records/check/operation.ts';
import { PlanReview } from '../records/check/plan.ts';
import { countsOf } from '../records/read/effect-counts.ts';
import type { NewCall, Outcome } from '../records/write/outcome.ts';
import { applySync } from './apply-sync.ts';
import type { CallStore } from './calls.ts';
import { dryRun } from './dry-run.ts';
import type { CallTools, OpenCall, ReadCall, WriteCall, WriteResult } from './write-call.ts';

/** Value of `Retry-After` for a call that another request is handling. */
const retrySeconds = 2;

/** Delay between attempts to release a lease while the database is unreachable. */
const releaseRetryMs = 500;

/** Handles a write as a dry run, synchronously or as a job. A call with an idempotency key is handled once. */
export async function runCall(sent: WriteCall, tools: CallTools): Promise<WriteResult> {
  const call = { ...sent, records: readRecords(sent, tools) };
  const { operation: name, options, upsert, report } = call;
  const operation = operationOf(tools.operations, name, options);
  if (call.dryRun) {
    call.holdMemory(workingMemory(call.records, 'in groups'));
    const review = reviewOf(call, null, tools);
    return { kind: 'estimate', ...(await dryRun({ ...call, review }, operation, tools)) };
  }
  if (call.run !== null && name !== 'undo') await requireOwnRun(call.run, call.clientId, tools.calls);
  const claim = await claimCall(call, tools);
  if (!('lease' in claim)) return replay(call, claim, tools);
  const { state, callId: id, lease } = claim;
  const renewal = lease && setInterval(() => lease.renew().catch(report), leaseRenewalMs);
  try {
    if (!call.async) requireSyncLimits(call, tools.limits);
    call.holdMemory(workingMemory(call.records, call.async ? 'in groups' : 'whole'));
    const known = state === 'new' ? new Map<number, Outcome>() : await tools.calls.outcomes(id);
    const resumed = upsert && known.size > 0 ? await tools.calls.approvals(id) : null;
    const review = reviewOf(call, resumed, tools);
    const open = { ...call, id, newCall: lease ? null : newCallOf(call, id), known, review };
    if (call.async) return await submit(open, operation, tools);
    const { outcomes, complete } = await applySync(open, operation, tools);
    if (lease && !complete) await release(() => lease.release(), report);
    return answered(call, outcomes, { replayed: false, complete });
  } catch (error) {
    // A new call that ends with an `ApiError` has applied nothing, so its key is free again. A resumed call may have.
    const forgets = state === 'new' && error instanceof ApiError;
    if (lease) await release(() => (forgets ? lease.discard() : lease.release()), report);
    throw error;
  } finally {
    if (renewal) clearInterval(renewal);
  }
}

/** Throws if the run was begun by another client. */
async function requireOwnRun(run: string, clientId: number | null, calls: CallStore): Promise<void> {
  const owner = await calls.ownerOfRun(run);
  if (owner !== undefined && owner !== clientId) throw new ApiError('FORBIDDEN', { variant: 'run' });
}

/** `resumed` are the stored approvals of a call of which a part is applied; null for a new call. */
function reviewOf(
  { options, upsert, dryRun }: WriteCall,
  resumed: readonly string[] | null,
  { maxRemovals, keyRing }: CallTools,
): PlanReview | null {
  if (!upsert) return null;
  const { expectedPlan: expected } = upsert;
  const newDigest = () => keyRing.newFingerprint();
  return new PlanReview({ options, expected, maxRemovals, resumed, dryRun, newDigest });
}

/** A call with a key gets the limits of jobs, because an earlier request with the key may have submitted a job. */
function readRecords(call: WriteCall, { limits }: CallTools): RecordList {
  if (call.async || call.dryRun || call.key) return readBatch(call.body, limits.job, { variant: 'job' });
  return requireSyncLimits(call, limits);
}

function requireSyncLimits(call: WriteCall, limits: CallTools['limits']): RecordList {
  const figures = { jobUsers: limits.job.users };
  return readBatch(call.body, limits.answered, { variant: 'answered', figures });
}

type ClaimedCall =
  | Extract<Claim, { callId: string }>
  | { readonly state: 'new'; readonly callId: string; readonly lease: null };

/** Takes the lease of a call with a key. A call without a key needs none. */
async function claimCall(call: ReadCall, { idempotency }: CallTools): Promise<ClaimedCall> {
  const { clientId, operation, key, run, records, report } = call;
  if (!key) return { state: 'new', callId: randomUUID(), lease: null };
  const keyed = { clientId, operation, key, run, records: records.count, users: records.users };
  const leaseId = randomUUID();
  const claim = await idempotency.claim(keyed, leaseId).catch(async (error) => {
    if (isAnswerLost(error)) await release(() => idempotency.abandon(keyed, leaseId), report);
    throw error;
  });
  if ('callId' in claim) return claim;
  throw claim.state === 'reused' ? new ApiError('IDEMPOTENCY_KEY_REUSED') : inProgress();
}

/** Returns the result of an earlier request with the same key. */
async function replay(
  call: ReadCall,
  { state, callId }: Exclude<ClaimedCall, { lease: unknown }>,
  { calls }: CallTools,
): Promise<WriteResult> {
  if (state === 'job') return { kind: 'job', jobId: callId, replayed: true, job: null };
  call.holdMemory(workingMemory(call.records, 'in groups'));
  const stored = await calls.outcomes(callId);
  return answered(call, [...stored.values()], { replayed: true, complete: true });
}

/**
 * Releases the lease of a call that has ended without a final answer. The answer waits for the first attempt only. If
 * that fails, a timer retries until the lease would have expired anyway, so that a client that retries after a short
 * outage does not get `IDEMPOTENCY_IN_PROGRESS`. `change` returns false if the lease does not exist yet: PostgreSQL may
 * still be executing the claim.
 */
async function release(change: () => Promise<unknown>, report: (error: unknown) => void): Promise<void> {
  const lastAttempt = Date.now() + leaseMs;
  const attempt = async (onError: (error: unknown) => void): Promise<void> => {
    const isReleased = await change().catch((error) => {
      onError(error);
      return false;
    });
    if (isReleased === false && Date.now() < lastAttempt)
      setTimeout(() => void attempt(() => undefined), releaseRetryMs).unref();
  };
  await attempt(report);
}

function inProgress(): ApiError {
  const figures = { seconds: retrySeconds };
  return new ApiError('IDEMPOTENCY_IN_PROGRESS', { figures, retryAfterSeconds: retrySeconds });
}

async function submit(call: OpenCall, operation: Operation, tools: CallTools): Promise<WriteResult> {
  const { id, known } = call;
  const job = { ...call, done: new Set(known.keys()) };
  const refused = await submitJob(job, operation, { ...tools, store: tools.submissions });
  if (!refused) throw inProgress();
  tools.onOutcomes(call.operation, refused);
  return { kind: 'job', jobId: id, replayed: false, job: asSubmitted(call, id, refused) };
}

function newCallOf({ clientId, operation, run, records }: ReadCall, id: string): NewCall {
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
function asSubmitted(call: ReadCall, id: string, refused: readonly Outcome[]): Job {
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
