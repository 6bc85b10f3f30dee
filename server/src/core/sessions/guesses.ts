import { Refusal } from '../faults.ts';

/** Whose guesses are counted: those for one account, or those from one source. */
export interface GuessKey {
  /** Keyed, since what people type as a username may be their password. */
  readonly digest: Buffer;
  /** Of an account that exists, so that a reset can clear it. */
  readonly userId: number | null;
}

export interface GuessLimits {
  /** So many wrong ones in a row are made without a wait. */
  readonly free: number;
  /** After so many seconds a count is worth half; null where it stays until it is forgotten. */
  readonly halfLife: number | null;
}

export interface GuessStore {
  /**
   * Counts a guess before anybody knows whether it is right, unless it comes too soon: then the seconds to wait, else
   * null.
   */
  reserve(key: GuessKey, limits: GuessLimits): Promise<number | null>;
  /** A right one: the account's are forgotten, and the source's is taken back. */
  clear(account: GuessKey, source: GuessKey | null): Promise<void>;
  /** One of which nobody has found out whether it is right. */
  takeBack(key: GuessKey): Promise<void>;
}

/** For a person who mistypes, and for many behind one address, of whom somebody always does. */
const limits = { account: { free: 5, halfLife: null }, source: { free: 50, halfLife: 600 } };

/** Reserves a guess, or refuses it. The source goes first: one that has to wait must not make others wait. */
export async function reserveGuess(
  account: GuessKey,
  source: GuessKey | null,
  store: GuessStore,
): Promise<void> {
  const seconds =
    (source && (await store.reserve(source, limits.source))) ??
    (await store.reserve(account, limits.account));
  if (seconds !== null)
    throw new Refusal('RATE_LIMITED', {
      variant: 'guesses',
      figures: { seconds },
      retryAfterSeconds: seconds,
    });
}
