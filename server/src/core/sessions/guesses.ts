import { Refusal } from '../faults.ts';

/** Whose guesses are counted: those for one account, or those from one source. */
export interface GuessKey {
  readonly kind: 'account' | 'source';
  /** Keyed, since what people type as a username may be their password. */
  readonly digest: Buffer;
  /** Of an account that exists, so that a reset can clear it. */
  readonly userId: number | null;
}

export interface GuessStore {
  /**
   * Counts a guess before anybody knows whether it is right, unless it comes too soon: then the seconds to wait, else
   * null.
   */
  reserve(key: GuessKey, free: number): Promise<number | null>;
  /** A right one: the account's are forgotten, and the source's is taken back. */
  clear(account: GuessKey, source: GuessKey | null): Promise<void>;
}

/** So many wrong ones in a row are made without a wait, by a person who mistypes and by many behind one address. */
const free = { account: 5, source: 50 };

/** Reserves a guess, or refuses it. The source goes first: one that has to wait must not make others wait. */
export async function reserveGuess(
  account: GuessKey,
  source: GuessKey | null,
  store: GuessStore,
): Promise<void> {
  const seconds =
    (source && (await store.reserve(source, free.source))) ?? (await store.reserve(account, free.account));
  if (seconds !== null)
    throw new Refusal('RATE_LIMITED', {
      variant: 'guesses',
      figures: { seconds },
      retryAfterSeconds: seconds,
    });
}
