/** Interactive work goes before bulk work. */
export type Lane = 'interactive' | 'bulk';

/** Thrown where patient work was not done to its end: it was told to break off, or the store was away. */
export class BrokenOff extends Error {}

/** The passwords of one call, on their way through the hashing pool. */
export interface HashBatch {
  hash(password: string): Promise<string>;
}

/** The source of a password that is to be verified. */
export interface VerifySource {
  readonly source: string;
  /** True if the account has signed in from there before. Such attempts have a share of their own, apart from new sources. */
  readonly known: boolean;
}

export interface Hasher {
  /**
   * Takes passwords into a lane, in the caller's fair share of it. Throws the refusal `OVERLOADED` when the queue
   * ahead is longer than a caller would wait. Work that can be told to break off is patient: it is never refused,
   * and keeps only a few of its passwords in the queue, so that a call of the same share need not wait for them all.
   */
  admit(work: { lane: Lane; share: string; count: number; breakOff?: AbortSignal | null }): HashBatch;
  /**
   * Returns true if a hash, ours or an imported one, is that of the password; in the interactive lane. Sources are
   * served in turn, so that a flood from one does not delay the others by more than their own work takes.
   */
  verify(password: string, hash: string, from: VerifySource): Promise<boolean>;
  /** How long so many more passwords of a share would take, with what is in the queue before them. */
  estimateSeconds(share: string, count: number): number;
}
