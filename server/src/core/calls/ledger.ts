import type { KeptRefusal } from '../jobs/kept-refusal.ts';
import type { CallFigures } from '../journal/calls.ts';
import type { Author } from '../journal/journal.ts';
import type { OperationName } from '../records/operation.ts';
import type { Outcome } from '../records/outcome.ts';

/** What makes a call sent twice the same call. */
export interface IdempotencyKey {
  readonly text: string;
  /** Of the operation and the body; keyed. */
  readonly fingerprint: Buffer;
}

export interface KeyedCall {
  readonly clientId: number | null;
  readonly operation: OperationName;
  readonly key: IdempotencyKey;
}

/**
 * How a call with a key is found. `new`: it was never seen. `resumed`: whoever worked on it has given it up or died.
 * `running`: someone works on it. `reused`: the key belongs to another body. `answered`, `job`: it has been taken.
 */
export type Claim =
  | { readonly state: 'new' | 'resumed'; readonly callId: string; readonly hand: Hand }
  | { readonly state: 'answered' | 'job'; readonly callId: string }
  | { readonly state: 'running' | 'reused' };

/**
 * That a call is in hand. Whoever is silent for too long loses it to whoever sends the call again, and can then do
 * nothing to it any more: what the other one does must not be undone.
 */
export interface Hand {
  /** To be said every few seconds. */
  keep(): Promise<void>;
  /** Lets whoever sends the call again go on with it. */
  giveUp(): Promise<void>;
  /** Nothing was done for the call: the key is free again. */
  forget(): Promise<void>;
}

/** What is noted of a call that has come to its end. */
export type CompletedDetails = CallFigures & Readonly<Record<string, unknown>>;

/**
 * Remembers calls: of those that were sent with a key what became of each record, of the others which records were not
 * applied.
 */
export interface CallLedger {
  /** Finds the call by its key, and takes it in hand where nobody has. */
  claim(call: KeyedCall): Promise<Claim>;
  /** The outcomes so far, by the position of their record. */
  outcomes(callId: string): Promise<ReadonlyMap<number, Outcome>>;
  refuse(callId: string, refusals: readonly KeptRefusal[]): Promise<unknown>;
  /** Every record has its outcome; that is noted with it, once. */
  complete(callId: string, author: Author, details: CompletedDetails): Promise<void>;
  /** The end of a call without a key, with what was refused, in one write. */
  note(
    callId: string,
    refusals: readonly KeptRefusal[],
    author: Author,
    details: CompletedDetails,
  ): Promise<void>;
}

/** How often a call in hand says so. */
export const inHandMs = 4000;

/** A lease that has not been renewed for so long has expired: a retry takes the call over. */
export const leaseMs = 4 * inHandMs;
