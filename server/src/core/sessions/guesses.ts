import { Refusal } from '../faults.ts';

/** The counters that a guess at a password goes to. Each is a keyed digest, since what people type as a username may be their password. */
export interface Guess {
  /** Counts the guesses at one account from one source. */
  readonly pair: Buffer;
  /** Counts the guesses from one source, at whatever accounts; null where a caller speaks for many people. */
  readonly source: Buffer | null;
  /** Counts the guesses at one account from all sources; null where only its own user can guess. */
  readonly account: Buffer | null;
  /** The ID of the user, null for an unknown name. A reset clears counters by it. */
  readonly userId: number | null;
}

export interface Reserved {
  /** The counters that the guess was added to. */
  readonly counters: readonly Buffer[];
  /** True if the account has signed in from this source before. */
  readonly known: boolean;
}

export interface GuessStore {
  /** Counts a guess before it is verified. One that comes too soon is not counted: then the seconds to wait are returned. */
  reserve(guess: Guess): Promise<Reserved | number>;
  /** After a right guess: forgets the guesses of the pair, takes back the others, and remembers that the pair has signed in. */
  clear(guess: Guess, counters: readonly Buffer[]): Promise<void>;
  /** Takes back a guess that was not verified after all. */
  takeBack(counters: readonly Buffer[]): Promise<void>;
}

/** Reserves a guess, or refuses it. */
export async function reserveGuess(guess: Guess, store: GuessStore): Promise<Reserved> {
  const reserved = await store.reserve(guess);
  if (typeof reserved !== 'number') return reserved;
  throw new Refusal('RATE_LIMITED', {
    variant: 'guesses',
    figures: { seconds: reserved },
    retryAfterSeconds: reserved,
  });
}
