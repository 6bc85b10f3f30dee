import { type LimitVariant, rateLimited } from '../http/call-limit.ts';

/**
 * The keys of the counters that a password guess increments. Each key is a keyed digest, because users sometimes type
 * their password as the username.
 */
export interface AttemptCounters {
  /** Counts the guesses at one account from one source. */
  readonly pair: Buffer;
  /** The pair of a sign-in, by which a known source is found; absent if that is `pair`. */
  readonly knownAs?: Buffer;
  /** Counts the guesses from one source at all accounts; null if many users share the source. */
  readonly source: Buffer | null;
  /** Counts the guesses at one account from all sources; null if the user is already signed in. */
  readonly account: Buffer | null;
  /** The ID of the user; null for an unknown name. A password reset clears the counters of this ID. */
  readonly userId: number | null;
}

export interface Reserved {
  readonly counters: readonly Buffer[];
  readonly known: boolean;
}

export interface LoginThrottle {
  /** Counts a guess before it is verified. If it comes too soon, counts nothing and returns the seconds to wait. */
  reserve(guess: AttemptCounters): Promise<Reserved | number>;
  /**
   * Handles a correct guess: deletes the counter of the pair, decrements the other `counters`, and stores the pair as
   * one that has signed in.
   */
  clear(guess: AttemptCounters, counters: readonly Buffer[]): Promise<void>;
  /** Decrements the counters of a guess that could not be verified because of an error. */
  takeBack(counters: readonly Buffer[]): Promise<void>;
}

/** `limit` says what was attempted. */
export async function reserveAttempt(
  guess: AttemptCounters,
  store: LoginThrottle,
  limit: LimitVariant = 'loginThrottle',
): Promise<Reserved> {
  const reserved = await store.reserve(guess);
  if (typeof reserved !== 'number') return reserved;
  throw rateLimited(limit, reserved);
}
