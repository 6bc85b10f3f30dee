import { randomUUID } from 'node:crypto';
import { isAnswerLost } from '../db/errors.ts';
import { ApiError } from '../lib/field-errors.ts';
import type { IdempotencyStore } from './idempotency.store.ts';
import { type Claim, type Lease, leaseMs, leaseRenewalMs, type StoredCall } from './idempotency.ts';

export type { IdempotencyStore };

/** Value of `Retry-After` for a call that another request is handling. */
const retrySeconds = 2;

/** Delay between attempts to release a lease while the database is unreachable. */
const releaseRetryMs = 500;

type Report = (error: unknown) => void;

/** Takes the lease of a call, or finds its result. Throws an `ApiError` if the call cannot go on. */
export async function claimLease(
  call: StoredCall,
  store: IdempotencyStore,
  report: Report,
): Promise<Extract<Claim, { callId: string }>> {
  const leaseId = randomUUID();
  const claim = await store.claim(call, leaseId).catch(async (error) => {
    if (call.key && isAnswerLost(error)) await release(() => store.abandon(call, leaseId), report);
    throw error;
  });
  if ('callId' in claim) return claim;
  throw claim.state === 'reused' ? new ApiError('IDEMPOTENCY_KEY_REUSED') : inProgress();
}

/**
 * Renews the lease while `work` runs, and releases it if the result is incomplete. If `work` throws an `ApiError` before
 * anything was applied, the key is free again: the ApiErrors of a `new` call mean that, those of a resumed one may not.
 */
export async function holdLease<Result extends { readonly complete: boolean }>(
  { state, lease }: { readonly state: 'new' | 'resumed'; readonly lease: Lease },
  work: () => Promise<Result>,
  report: Report,
): Promise<Result> {
  const renewal = setInterval(() => lease.renew().catch(report), leaseRenewalMs);
  try {
    const result = await work();
    if (!result.complete) await release(() => lease.release(), report);
    return result;
  } catch (error) {
    const forgets = state === 'new' && error instanceof ApiError;
    await release(() => (forgets ? lease.discard() : lease.release()), report);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

/**
 * Releases the lease of a call that has ended without a final answer. The answer waits for the first attempt only. If
 * that fails, a timer retries until the lease would have expired anyway, so that a client that retries after a short
 * outage does not get `IDEMPOTENCY_IN_PROGRESS`. `change` returns false if the lease does not exist yet: PostgreSQL may
 * still be executing the claim.
 */
async function release(change: () => Promise<unknown>, report: Report): Promise<void> {
  const lastAttempt = Date.now() + leaseMs;
  const attempt = async (onError: Report): Promise<void> => {
    const isReleased = await change().catch((error) => {
      onError(error);
      return false;
    });
    if (isReleased === false && Date.now() < lastAttempt)
      setTimeout(() => void attempt(() => undefined), releaseRetryMs).unref();
  };
  await attempt(report);
}

export function inProgress(): ApiError {
  const figures = { seconds: retrySeconds };
  return new ApiError('IDEMPOTENCY_IN_PROGRESS', { figures, retryAfterSeconds: retrySeconds });
}
