/** Interactive work goes before bulk work. */
export type Lane = 'interactive' | 'bulk';

/** The passwords of one call, on their way through the hashing pool. */
export interface HashBatch {
  hash(password: string): Promise<string>;
}

export interface Hasher {
  /**
   * Takes a call's passwords into a lane, in the caller's fair share of it.
   * Throws the refusal `OVERLOADED` when the queue ahead is longer than a caller would wait.
   */
  admit(work: { lane: Lane; share: string; count: number }): HashBatch;
}
