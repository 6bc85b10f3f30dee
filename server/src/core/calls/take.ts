import { randomUUID } from 'node:crypto';
import { Refusal } from '../faults.ts';
import type { Fields } from '../fields/fields.ts';
import { type SubmissionStore, submitJob } from '../jobs/submit.ts';
import { type BatchLimits, readBatch } from '../records/batch.ts';
import type { Hasher } from '../records/hashing.ts';
import type { Operation, OperationName, Operations } from '../records/operation.ts';
import type { Outcome } from '../records/outcome.ts';
import type { Vault } from '../sealing/vault.ts';
import { answerCall } from './answer.ts';
import { dryRun, type Estimate } from './dry-run.ts';
import { type CallLedger, type IdempotencyKey, inHandMs } from './ledger.ts';

/** `irs/update` or `irs/insert`, as it was sent. */
export interface WriteCall {
  readonly operation: OperationName;
  readonly body: unknown;
  readonly clientId: number | null;
  readonly key: IdempotencyKey | null;
  readonly dryRun: boolean;
  readonly async: boolean;
  /** Takes a failure that the answer does not show, for the log. */
  report(error: unknown): void;
}

export type Taken =
  | { readonly kind: 'outcomes'; readonly outcomes: readonly Outcome[]; readonly replayed: boolean }
  | { readonly kind: 'estimate'; readonly outcomes: readonly Outcome[]; readonly estimate: Estimate }
  /** With the outcomes of the records that were refused at once. */
  | {
      readonly kind: 'job';
      readonly jobId: string;
      readonly outcomes: readonly Outcome[];
      readonly replayed: boolean;
    };

export interface CallTools {
  readonly operations: Operations;
  readonly hasher: Hasher;
  readonly vault: Vault;
  readonly ledger: CallLedger;
  readonly submissions: SubmissionStore;
  readonly limits: { readonly answered: BatchLimits; readonly job: BatchLimits };
}

/** How soon it is worth asking again for the answer to a call that is being worked on. */
const retrySeconds = 2;

/** Takes a writing call: tries it, answers it, or makes it a job; once, where it has a key. */
export async function takeCall(call: WriteCall, tools: CallTools): Promise<Taken> {
  const operation = tools.operations[call.operation];
  const records = readRecords(call, tools);
  if (call.dryRun) {
    const share = String(call.clientId);
    return { kind: 'estimate', ...(await dryRun(records, operation, { hasher: tools.hasher, share })) };
  }
  if (call.key) return takeOnce({ ...call, key: call.key }, records, operation, tools);
  return work(null, new Map(), call, records, operation, tools);
}

function readRecords(call: WriteCall, { limits }: CallTools): readonly Fields[] {
  if (call.async || call.dryRun) return readBatch(call.body, limits.job, { variant: 'job' });
  const figures = { jobUsers: limits.job.users };
  return readBatch(call.body, limits.answered, { variant: 'answered', figures });
}

async function takeOnce(
  call: WriteCall & { key: IdempotencyKey },
  records: readonly Fields[],
  operation: Operation,
  tools: CallTools,
): Promise<Taken> {
  const { ledger } = tools;
  const claim = await ledger.claim(call);
  switch (claim.state) {
    case 'reused':
      throw new Refusal('IDEMPOTENCY_KEY_REUSED');
    case 'running':
      throw new Refusal('IDEMPOTENCY_IN_PROGRESS', {
        figures: { seconds: retrySeconds },
        retryAfterSeconds: retrySeconds,
      });
    case 'job':
      return { kind: 'job', jobId: claim.callId, outcomes: [], replayed: true };
    case 'answered': {
      const stored = await ledger.outcomes(claim.callId);
      return { kind: 'outcomes', outcomes: [...stored.values()], replayed: true };
    }
    case 'resumed':
    case 'new':
      return inHand(claim.callId, claim.state === 'new', call, records, operation, tools);
  }
}

async function inHand(
  callId: string,
  isNew: boolean,
  call: WriteCall,
  records: readonly Fields[],
  operation: Operation,
  tools: CallTools,
): Promise<Taken> {
  const { ledger } = tools;
  const timer = setInterval(() => ledger.keepInHand(callId).catch(call.report), inHandMs);
  try {
    const known = isNew ? new Map<number, Outcome>() : await ledger.outcomes(callId);
    return await work(callId, known, call, records, operation, tools);
  } catch (error) {
    // A call that was refused as a whole has done nothing, unless somebody had begun it before.
    const undo = isNew && error instanceof Refusal ? ledger.forget : ledger.giveUp;
    await undo(callId).catch(call.report);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Does what the call asks for, as far as it has not been done before. */
async function work(
  callId: string | null,
  known: ReadonlyMap<number, Outcome>,
  call: WriteCall,
  records: readonly Fields[],
  operation: Operation,
  tools: CallTools,
): Promise<Taken> {
  if (call.async) {
    const job = { id: callId ?? randomUUID(), clientId: call.clientId, records, done: new Set(known.keys()) };
    const outcomes = await submitJob(job, operation, { store: tools.submissions, vault: tools.vault });
    return { kind: 'job', jobId: job.id, outcomes, replayed: false };
  }
  const applicant = { share: String(call.clientId), breakOff: null, report: call.report };
  const outcomes = await answerCall(records, operation, { ...tools, applicant, callId, known });
  return { kind: 'outcomes', outcomes, replayed: false };
}
