import { Refusal } from '../faults.ts';
import type { Author } from '../journal/journal.ts';
import type { AppliedUser } from './outcome.ts';

/** Names the place of one record among all that are sent. */
export interface Receipt {
  readonly callId: string;
  /** Of the record in the call, from 0. */
  readonly position: number;
  /** Whether its outcome is kept with it, for a call that may be carried on by others; else the journal has its place. */
  readonly kept: boolean;
}

/** On whose behalf a record is written, and in which call. */
export interface Occasion {
  readonly author: Author;
  readonly receipt: Receipt | null;
  /** A password is reset only where its hash is still this one; null: whatever it is. */
  readonly onlyOver: string | null;
}

export interface Written {
  readonly id: number;
  /** In the order sent. */
  readonly users: readonly AppliedUser[];
}

/**
 * A write that the store could not do.
 * `conflict`: something else was stored meanwhile, look again. `away`: nothing was written, and it may succeed later.
 * `refused`: nothing was written, nor will it be. `unknown`: the connection broke while the store was at it.
 * `settled`: nothing was written, since the record has its outcome already.
 */
export type WriteFailureKind = 'conflict' | 'away' | 'refused' | 'unknown' | 'settled';

export class WriteFailure extends Error {
  readonly kind: WriteFailureKind;

  constructor(kind: WriteFailureKind, cause?: unknown) {
    super(`the write ended as ${kind}`, { cause });
    this.name = 'WriteFailure';
    this.kind = kind;
  }
}

export function unavailable(cause?: unknown): Refusal {
  const seconds = 5;
  return new Refusal('UNAVAILABLE', { figures: { seconds }, retryAfterSeconds: seconds, cause });
}
