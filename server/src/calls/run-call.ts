import { randomUUID } from 'node:crypto';
import type { Actor } from '../audit/audit-log.ts';
import { isAnswerLost } from '../db/errors.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import { workingMemory } from '../http/body-memory-limit.ts';
import {
  type Claim,
  type IdempotencyKey,
  type IdempotencyStore,
  type Lease,
  leaseMs,
  leaseRenewalMs,
} from '../idempotency/idempotency.ts';
import type { Job } from '../jobs/job.ts';
import { type SubmissionStore, submitJob } from '../jobs/submit.ts';
import type { RecordList } from '../json/record-list.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { HashPool } from '../passwords/hash-pool.ts';
import { type BatchLimits, readBatch } from '../records/check/batch.ts';
import {
  type Operation,
  type Operations,
  operationOf,
  type UpsertOptions,
} from '../records/check/operation.ts';
import { PlanReview } from '../records/check/plan.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import { countsOf, type EffectCounts } from '../records/read/effect-counts.ts';
import type { RecordStore } from '../records/write/id-reservation.ts';
import type { Outcome } from '../records/write/outcome.ts';
import { applySync } from './apply-sync.ts';
import type { CallStore } from './calls.ts';
import { type DryRun, type DryRunPage, dryRun } from './dry-run.ts';

/** The part of a call that only `irs/upsert` has. */
export interface UpsertCall {
  readonly options: UpsertOptions;
  /** The plan in `If-Match`; null without one. */
  readonly expectedPlan: string | null;
  /** The tuples of a dry run to return; null for all. */
  readonly page: DryRunPage | null;
  /** True if the answer to a dry run contains the users. */
  readonly withUsers: boolean;
}

/** A request to a write operation. */
export interface WriteCall {
  readonly operation: OperationName;
  /** Null if the body is not an array. */
  readonly body: RecordList | null;
  /** Null in protected mode. */
  readonly clientId: number | null;
  readonly actor: Actor;
  readonly key: IdempotencyKey | null;
  readonly dryRun: boolean;
  readonly async: boolean;
  /** Null for other operations than `upsert`. */
  readonly upsert: UpsertCall | null;
  /** Reserves memory until the call is answered. Throws an `ApiError` OVERLOADED if there is too little. */
  holdMemory(bytes: number): void;
  /** Logs an error that the answer does not show. */
  report(error: unknown): void;
}

export type WriteResult =
  | {
      readonly kind: 'outcomes';
      readonly outcomes: readonly Outcome[];
      readonly replayed: boolean;
      /** False if a retry with the same key must resume the call. */
      readonly complete: boolean;
      /** The effects of an upsert; null for other operations. */
      readonly counts: EffectCounts | null;
    }
  | ({ readonly kind: 'estimate' } & DryRun)
  | {
      readonly kind: 'job';
      readonly jobId: string;
      readonly replayed: boolean;
      /** The job that this request submitted; null if an earlier request submitted it. */
      readonly job: Job | null;
    };

export interface CallTools {
  readonly operations: Operations;
  readonly recordStore: RecordStore;
  readonly hasher: HashPool;
  readonly keyRing: KeyRing;
  readonly calls: CallStore;
  readonly idempotency: IdempotencyStore;
  readonly submissions: SubmissionStore;
  readonly limits: { readonly answered: BatchLimits; readonly job: BatchLimits };
  /** Maximum share of users that an upsert without a plan may disable or delete, in percent. */
  readonly maxRemovals: number;
  onOutcomes(operation: OperationName, outcomes: readonly Outcome[]): void;
}

interface ParsedCall extends WriteCall {
  readonly records: RecordList;
}

/** Value of `Retry-After` for a call that another request is handling. */
const retrySeconds = 2;

/** Delay between attempts to release a lease while the database is unreachable. */
const releaseRetryMs = 500;

/** Handles a write as a dry run, synchronously or as a job. A call with an idempotency key is handled once. */
export async function runCall(sent: WriteCall, tools: CallTools): Promise<WriteResult> {
  const call = { ...sent, records: readRecords(sent, tools) };
  if (call.dryRun) {
    call.holdMemory(workingMemory(call.records, 'in groups'));
    const { page = null, withUsers = false } = call.upsert ?? {};
    const tried = await dryRun(call.records, operationFor(call, tools), {
      hasher: tools.hasher,
      share: String(call.clientId),
      review: reviewOf(call, tools, { dryRun: true }),
      page,
      withUsers,
      holdMemory: call.holdMemory,
    });
    return { kind: 'estimate', ...tried };
  }
  return call.key ? handleOnce(call, call.key, tools) : work(call, null, new Map(), tools);
}

function operationFor({ operation, upsert }: WriteCall, { operations }: CallTools): Operation {
  return operationOf(operations, operation, upsert?.options ?? null);
}

function reviewOf(
  { upsert }: WriteCall,
  { maxRemovals, keyRing }: CallTools,
  { dryRun = false } = {},
): PlanReview | null {
  if (!upsert) return null;
  const { options, expectedPlan } = upsert;
  const newDigest = () => keyRing.newFingerprint();
  return new PlanReview({ options, expected: expectedPlan, maxRemovals, newDigest }, { dryRun });
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

async function handleOnce(call: ParsedCall, key: IdempotencyKey, tools: CallTools): Promise<WriteResult> {
  const { clientId, operation, records } = call;
  const keyed = { clientId, operation, key, records: records.count, users: records.users };
  const leaseId = randomUUID();
  const claim = await tools.idempotency.claim(keyed, leaseId).catch(async (error) => {
    if (isAnswerLost(error)) await release(() => tools.idempotency.abandon(keyed, leaseId), call.report);
    throw error;
  });
  switch (claim.state) {
    case 'reused':
      throw new ApiError('IDEMPOTENCY_KEY_REUSED');
    case 'running':
      throw inProgress();
    case 'job':
      return { kind: 'job', jobId: claim.callId, replayed: true, job: null };
    case 'answered': {
      const stored = await tools.calls.outcomes(claim.callId);
      return answered(call, [...stored.values()], { replayed: true, complete: true });
    }
    case 'resumed':
    case 'new':
      return workWithLease(call, claim, tools);
  }
}

async function workWithLease(
  call: ParsedCall,
  { callId, lease, state }: Extract<Claim, { lease: Lease }>,
  tools: CallTools,
): Promise<WriteResult> {
  const timer = setInterval(() => lease.renew().catch(call.report), leaseRenewalMs);
  try {
    const known = state === 'new' ? new Map<number, Outcome>() : await tools.calls.outcomes(callId);
    const result = await work(call, callId, known, tools);
    if (result.kind === 'outcomes' && !result.complete) await release(() => lease.release(), call.report);
    return result;
  } catch (error) {
    // A new call that ends with an `ApiError` has applied nothing, so its key is free again. A resumed call may have.
    const forgets = state === 'new' && error instanceof ApiError;
    await release(() => (forgets ? lease.discard() : lease.release()), call.report);
    throw error;
  } finally {
    clearInterval(timer);
  }
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

/** Applies the records that have no outcome in `known`, or submits them as a job. `callId` is null without a key. */
async function work(
  call: ParsedCall,
  callId: string | null,
  known: ReadonlyMap<number, Outcome>,
  tools: CallTools,
): Promise<WriteResult> {
  if (!call.async) requireSyncLimits(call, tools.limits);
  call.holdMemory(workingMemory(call.records, call.async ? 'in groups' : 'whole'));
  const operation = operationFor(call, tools);
  const review = reviewOf(call, tools);
  const id = callId ?? randomUUID();
  if (call.async) {
    const options = call.upsert?.options ?? null;
    const approvals = known.size > 0 && review ? await tools.calls.approvals(id) : [];
    const job = { ...call, id, done: new Set(known.keys()), options, review, approvals };
    const refused = await submitJob(job, operation, { ...tools, store: tools.submissions });
    if (!refused) throw inProgress();
    tools.onOutcomes(call.operation, refused);
    return { kind: 'job', jobId: job.id, replayed: false, job: asSubmitted(call, job.id, refused) };
  }
  const { actor, clientId, records, report } = call;
  const requester = { actor, share: String(clientId), report };
  const counts = { records: records.count, users: records.users };
  const demand = { share: requester.share, count: records.passwords };
  const { outcomes, complete } = await tools.hasher.admit(demand, (admitted) =>
    applySync(records, operation, {
      ...tools,
      requester,
      callId: id,
      newCall: callId === null ? { id, clientId, operation: call.operation, ...counts } : null,
      known,
      review,
      admitted,
      holdMemory: call.holdMemory,
    }),
  );
  return answered(call, outcomes, { replayed: false, complete });
}

function answered(
  { upsert }: WriteCall,
  outcomes: readonly Outcome[],
  state: { replayed: boolean; complete: boolean },
): WriteResult {
  return { kind: 'outcomes', outcomes, ...state, counts: upsert && countsOf(outcomes) };
}

/** Returns the job as it is right after submission, for an answer that needs no query. */
function asSubmitted(call: ParsedCall, id: string, refused: readonly Outcome[]): Job {
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
