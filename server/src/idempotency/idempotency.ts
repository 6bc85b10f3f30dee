import type { CallRow } from '../records/write/outcome.ts';

/** Identifies a retry: a call with the same key and the same fingerprint is the same call. */
export interface IdempotencyKey {
  readonly text: string;
  /** The HMAC of the path and the body, with the present key and with those of earlier master keys. */
  readonly fingerprints: readonly Buffer[];
}

/** A call with an idempotency key or a run, which is stored before it is applied. The counts of an undo are stored later. */
export interface StoredCall extends Omit<CallRow, 'id'> {
  /** Null without a key: every request is then a call of its own. */
  readonly key: IdempotencyKey | null;
  /** The run that the call is a part of or, for an undo, that it undoes; null without one. */
  readonly run: string | null;
}

/**
 * The state of the call with a key. `new`: the key was not used before. `resumed`: an earlier request released its
 * lease or let it expire. `running`: another request holds the lease. `reused`: the key belongs to another body or
 * operation. `answered`: the call is completed. `job`: the call was submitted as a job.
 */
export type Claim =
  | { readonly state: 'new' | 'resumed'; readonly callId: string; readonly lease: Lease }
  | { readonly state: 'answered' | 'job'; readonly callId: string }
  | { readonly state: 'running' | 'reused' };

/**
 * The exclusive claim of a request on a call. It expires after `leaseMs` without renewal; a retry may then take it
 * over, after which the methods of the old lease have no effect.
 */
export interface Lease {
  /** Renews the lease. The holder calls it every `leaseRenewalMs`. */
  renew(): Promise<void>;
  /** Ends the lease, so that a retry can resume the call at once. */
  release(): Promise<void>;
  /** Deletes a call that has applied nothing, so that its key can be used again, and its run if it has no other call. */
  discard(): Promise<void>;
}

export const leaseRenewalMs = 4000;

/** The lease expires after this time without renewal; a retry may then take it over. */
export const leaseMs = 4 * leaseRenewalMs;
