import type { Guess, GuessStore, Reserved } from '../core/sessions/guesses.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';

interface Limit {
  /** So many wrong passwords are free; after them each one has to wait twice as long as the one before. */
  readonly free: number;
  /** After so many seconds a counter is worth half; null where it stays until it is forgotten. */
  readonly halfLife: number | null;
}

/** A person mistypes a few times. Behind one address there may be many people, of whom some always mistype. */
const limits = {
  pair: { free: 5, halfLife: null },
  source: { free: 50, halfLife: 600 },
  account: { free: 100, halfLife: 3600 },
} satisfies Record<string, Limit>;

/** The longest wait, in seconds. */
const longestWait = 900;
/** The longest wait where others may guess from the same source as the user, so that the user can try again soon. */
const longestSharedWait = 60;
/** The seconds that a new source first waits where an account gets more guesses than `limits.account`. */
const newSourceWait = 60;
/** Each guess of such a source is followed by a wait of at least two to the power of this number: `newSourceWait` or more. */
const newSourceExponent = 6;
/** Counters without a guess for so long are forgotten. */
const quiet = "interval '24 hours'";
/** Sources without a sign-in for so long are forgotten. */
export const sourceDays = 90;

/** Guesses at passwords, counted over all nodes. */
export function openGuesses(database: Database): GuessStore {
  return {
    reserve: (guess) => reading(() => reserve(database, guess)),
    clear: (guess, counters) => reading(() => clear(database, guess, counters)),
    takeBack: (counters) => reading(() => takeBack(database, counters)),
  };
}

/**
 * Adds a guess to its counters, to all of them or to none. A pair that has signed in before is counted alone: guesses
 * from elsewhere cannot make it wait. The source comes first, so that one that has to wait leaves no rows behind.
 */
async function reserve(database: Database, guess: Guess): Promise<Reserved | number> {
  const { pair, source, account, userId } = guess;
  const known = await isKnown(database, guess);
  if (known) {
    const wait = await count(database, pair, userId, { ...limits.pair, longest: longestSharedWait });
    return wait ?? { counters: [pair], known };
  }
  const sourceWait =
    source && (await count(database, source, null, { ...limits.source, longest: longestWait }));
  if (sourceWait !== null) return sourceWait;
  const guesses = account ? await add(database, account, userId, limits.account) : 0;
  const counted = [source, account].filter((counter) => counter !== null);
  const longest = source === null && account !== null ? longestSharedWait : longestWait;
  const wait =
    (guesses > limits.account.free ? await beginWait(database, pair, userId) : null) ??
    (await count(database, pair, userId, { ...limits.pair, longest }));
  if (wait === null) return { counters: [pair, ...counted], known };
  await takeBack(database, counted);
  return wait;
}

/** Returns true if the account has signed in from this source during the last `sourceDays`. */
async function isKnown(database: Database, { pair, userId }: Guess): Promise<boolean> {
  const found = await database.query(
    `select from anagrafe.sign_in_sources
      where pair = $1 and user_id = $2 and used_at > now() - make_interval(days => ${sourceDays})`,
    [pair, userId],
  );
  return found.length > 0;
}

const decayed = (row: string, halfLife: string) =>
  `case when ${row}.updated_at < now() - ${quiet} then 0 else ${row}.failures *
     coalesce(power(0.5, extract(epoch from now() - ${row}.updated_at)::float8 / ${halfLife}::float8), 1) end`;

/**
 * Lets the first guess of a new source at an account under attack wait, and each further one at least as long. Returns
 * the seconds, or null where the source has waited before.
 */
async function beginWait(database: Database, pair: Buffer, userId: number | null): Promise<number | null> {
  const failures = limits.pair.free + newSourceExponent;
  const begun = await database.query(
    `insert into anagrafe.throttles as known (key, user_id, failures, waits_until)
     values ($1, $2, ${failures}, clock_timestamp() + make_interval(secs => ${newSourceWait}))
     on conflict (key) do update
        set user_id = excluded.user_id, failures = excluded.failures, waits_until = excluded.waits_until, updated_at = now()
      where known.failures < ${failures} or known.updated_at < now() - ${quiet}
     returning key`,
    [pair, userId],
  );
  return begun.length > 0 ? newSourceWait : null;
}

/**
 * Adds one to a counter, and sets how long the next guess has to wait. A guess that comes too soon is not counted: then
 * the seconds that are left are returned. Guesses at the same moment wait for the row, and then see what the one before
 * has counted.
 */
async function count(
  database: Database,
  key: Buffer,
  userId: number | null,
  { free, halfLife, longest }: Limit & { readonly longest: number },
): Promise<number | null> {
  const counted = await database.query(
    `insert into anagrafe.throttles as known (key, user_id, failures, waits_until)
     values ($1, $2, 1, clock_timestamp())
     on conflict (key) do update
        set user_id = excluded.user_id, (failures, waits_until, updated_at) = (
              select count, clock_timestamp() + make_interval(secs =>
                       case when count < $3 then 0 else least($5, power(2, least(count - $3, 20))) end),
                     clock_timestamp()
                from (select 1 + ${decayed('known', '$4')}) as next (count))
      where known.waits_until <= clock_timestamp()
     returning key`,
    [key, userId, free, halfLife, longest],
  );
  if (counted.length > 0) return null;
  const [left] = await database.query<{ seconds: number }>(
    'select ceil(extract(epoch from waits_until - clock_timestamp()))::int as seconds from anagrafe.throttles where key = $1',
    [key],
  );
  return Math.max(left?.seconds ?? 1, 1);
}

/** Adds one to a counter that makes no guess wait by itself, and returns what it is then. */
async function add(
  database: Database,
  key: Buffer,
  userId: number | null,
  { halfLife }: Limit,
): Promise<number> {
  const [added] = await database.query<{ failures: number }>(
    `insert into anagrafe.throttles as known (key, user_id, failures, waits_until) values ($1, $2, 1, now())
     on conflict (key) do update
        set user_id = excluded.user_id, failures = 1 + ${decayed('known', '$3')}, updated_at = now()
     returning failures`,
    [key, userId, halfLife],
  );
  return added?.failures ?? 0;
}

async function clear(
  database: Database,
  { pair, source, account, userId }: Guess,
  counters: readonly Buffer[],
): Promise<void> {
  await database.query('delete from anagrafe.throttles where key = $1', [pair]);
  await takeBack(
    database,
    counters.filter((counter) => counter !== pair),
  );
  if (userId === null || (source === null && account === null)) return;
  await database.query(
    `insert into anagrafe.sign_in_sources as known (pair, user_id) select $1, id from anagrafe.users where id = $2
     on conflict (pair) do update set user_id = excluded.user_id, used_at = now()
      where known.user_id <> excluded.user_id or known.used_at < now() - interval '1 hour'`,
    [pair, userId],
  );
}

/**
 * One statement for each counter: two calls that lock several counters could wait for each other. A counter that comes
 * back to nothing is removed.
 */
async function takeBack(database: Database, counters: readonly Buffer[]): Promise<void> {
  for (const counter of counters) {
    const left = await database.query(
      `update anagrafe.throttles set failures = failures - 1, waits_until = least(waits_until, now())
        where key = $1 and failures > 1 returning key`,
      [counter],
    );
    if (left.length === 0)
      await database.query('delete from anagrafe.throttles where key = $1 and failures <= 1', [counter]);
  }
}
