import { randomUUID } from 'node:crypto';
import { Refusal } from '../faults.ts';
import type { Job } from '../jobs/job.ts';
import { type SubmissionStore, submitJob } from '../jobs/submit.ts';
import type { Author } from '../journal/journal.ts';
import type { RecordList } from '../json/record-list.ts';
import { type BatchLimits, readBatch } from '../records/batch.ts';
import type { Hasher } from '../records/hashing.ts';
import type { OperationName, Operations } from '../records/operation.ts';
import type { Outcome } from '../records/outcome.ts';
import type { Vault } from '../sealing/vault.ts';
import { answerCall } from './answer.ts';
import { dryRun, type Estimate } from './dry-run.ts';
import { type CallLedger, type Claim, type Hand, type IdempotencyKey, inHandMs, leaseMs } from './ledger.ts';

/** `irs/update` or `irs/insert`, as it was sent. */
export interface WriteCall {
  readonly operation: OperationName;
  /** Null where the body is no array. */
  readonly body: RecordList | null;
  readonly clientId: number | null;
  readonly author: Author;
  readonly key: IdempotencyKey | null;
  readonly dryRun: boolean;
  readonly async: boolean;
  /** Takes a failure that the answer does not show, for the log. */
  report(error: unknown): void;
}

export type Taken =
  | {
      readonly kind: 'outcomes';
      readonly outcomes: readonly Outcome[];
      readonly replayed: boolean;
      /** Whether every outcome is the last word on its record, and is kept where it should be. */
      readonly complete: boolean;
    }
  | { readonly kind: 'estimate'; readonly outcomes: readonly Outcome[]; readonly estimate: Estimate }
  | {
      readonly kind: 'job';
      readonly jobId: string;
      readonly replayed: boolean;
      /** As it was taken this moment; null for one that was taken before. */
      readonly job: Job | null;
    };

export interface CallTools {
  readonly operations: Operations;
  readonly hasher: Hasher;
  readonly vault: Vault;
  readonly ledger: CallLedger;
  readonly submissions: SubmissionStore;
  readonly limits: { readonly answered: BatchLimits; readonly job: BatchLimits };
  /** Told what became of records, when it did. */
  onOutcomes(operation: OperationName, outcomes: readonly Outcome[]): void;
}

/** A call whose records can be worked on. */
interface ReadCall extends WriteCall {
  readonly records: RecordList;
}

/** How soon it is worth asking again for the answer to a call that is being worked on. */
const retrySeconds = 2;

/** The pause between attempts to release a lease while the database is away. */
const releaseRetryMs = 500;

/** Takes a writing call: tries it, answers it, or makes it a job; once, where it has a key. */
export async function takeCall(sent: WriteCall, tools: CallTools): Promise<Taken> {
  const call = { ...sent, records: readRecords(sent, tools) };
  if (call.dryRun) return tryCall(call, tools);
  return call.key ? takeOnce(call, call.key, tools) : work(call, null, new Map(), tools);
}

/** A call with a key may have been taken as a job before, however it is sent now. */
function readRecords(call: WriteCall, { limits }: CallTools): RecordList {
  if (call.async || call.dryRun || call.key) return readBatch(call.body, limits.job, { variant: 'job' });
  return readAnswered(call, limits);
}

function readAnswered(call: WriteCall, limits: CallTools['limits']): RecordList {
  const figures = { jobUsers: limits.job.users };
  return readBatch(call.body, limits.answered, { variant: 'answered', figures });
}

async function tryCall(call: ReadCall, { operations, hasher }: CallTools): Promise<Taken> {
  const share = String(call.clientId);
  return { kind: 'estimate', ...(await dryRun(call.records, operations[call.operation], { hasher, share })) };
}

async function takeOnce(call: ReadCall, key: IdempotencyKey, tools: CallTools): Promise<Taken> {
  const claim = await tools.ledger.claim({ ...call, key });
  switch (claim.state) {
    case 'reused':
      throw new Refusal('IDEMPOTENCY_KEY_REUSED');
    case 'running':
      throw inProgress();
    case 'job':
      return { kind: 'job', jobId: claim.callId, replayed: true, job: null };
    case 'answered': {
      const stored = await tools.ledger.outcomes(claim.callId);
      return { kind: 'outcomes', outcomes: [...stored.values()], replayed: true, complete: true };
    }
    case 'resumed':
    case 'new':
      return workInHand(call, claim, tools);
  }
}

async function workInHand(
  call: ReadCall,
  { callId, hand, state }: Extract<Claim, { hand: Hand }>,
  tools: CallTools,
): Promise<Taken> {
  const timer = setInterval(() => hand.keep().catch(call.report), inHandMs);
  try {
    const known = state === 'new' ? new Map<number, Outcome>() : await tools.ledger.outcomes(callId);
    const taken = await work(call, callId, known, tools);
    if (taken.kind === 'outcomes' && !taken.complete) await release(() => hand.giveUp(), call.report);
    return taken;
  } catch (error) {
    // A call that was refused as a whole has done nothing, unless an earlier request had begun it.
    const forgets = state === 'new' && error instanceof Refusal;
    await release(() => (forgets ? hand.forget() : hand.giveUp()), call.report);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/**
 * Releases the lease of a call that has ended without a final answer. The answer waits for the first attempt only. If
 * that fails, a timer tries again until the lease would have expired by itself, so that a retry after a short outage
 * is not refused as still in progress.
 */
async function release(change: () => Promise<void>, report: (error: unknown) => void): Promise<void> {
  try {
    await change();
  } catch (error) {
    report(error);
    const lastAttempt = Date.now() + leaseMs;
    const tryAgain = () =>
      change().catch(() => {
        if (Date.now() < lastAttempt) setTimeout(tryAgain, releaseRetryMs).unref();
      });
    setTimeout(tryAgain, releaseRetryMs).unref();
  }
}

function inProgress(): Refusal {
  const figures = { seconds: retrySeconds };
  return new Refusal('IDEMPOTENCY_IN_PROGRESS', { figures, retryAfterSeconds: retrySeconds });
}

/** Does what the call asks for, as far as it is not known to have been done before. */
async function work(
  call: ReadCall,
  callId: string | null,
  known: ReadonlyMap<number, Outcome>,
  tools: CallTools,
): Promise<Taken> {
  const operation = tools.operations[call.operation];
  if (call.async) {
    const job = { ...call, id: callId ?? randomUUID(), done: new Set(known.keys()) };
    const refused = await submitJob(job, operation, { store: tools.submissions, vault: tools.vault });
    if (!refused) throw inProgress();
    tools.onOutcomes(call.operation, refused);
    return { kind: 'job', jobId: job.id, replayed: false, job: asSubmitted(call, job.id, refused) };
  }
  readAnswered(call, tools.limits);
  const { author, report } = call;
  const applicant = { author, share: String(call.clientId), breakOff: null, report };
  const { outcomes, complete } = await answerCall(call.records, operation, {
    ...tools,
    applicant,
    callId: callId ?? randomUUID(),
    keyed: callId !== null,
    known,
  });
  return { kind: 'outcomes', outcomes, replayed: false, complete };
}

/** A job at the moment when it was taken. */
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
    submittedAt: new Date(),
    startedAt: null,
    endedAt: null,
  };
}
