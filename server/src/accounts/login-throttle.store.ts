import type { Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { ago, tableRule } from '../db/retention.ts';
import type { AttemptCounters, LoginThrottle, Reserved } from './login-throttle.ts';

interface Limit {
  /** The number of wrong passwords without a wait; each further one doubles the wait. */
  readonly free: number;
  /** The half-life of the counter in seconds; null if it does not decay until it is reset. */
  readonly halfLife: number | null;
}

/** One user mistypes a few times. Many users may share an address, so the limit of a source is higher. */
const limits = {
  pair: { free: 5, halfLife: null },
  source: { free: 50, halfLife: 600 },
  account: { free: 100, halfLife: 3600 },
} satisfies Record<string, Limit>;

/** The longest wait, in seconds. */
const longestWait = 900;
/** The longest wait, in seconds, if others may guess from the user's source: short, so that the user can retry. */
const longestSharedWait = 60;
/** The first wait, in seconds, of a new source at an account with more guesses than `limits.account`. */
const newSourceWait = 60;
/** The least exponent of two for the later waits of such a source: they are not shorter than `newSourceWait`. */
const newSourceExponent = 6;
/** A counter restarts at zero after this time without a guess. */
const quiet = "interval '24 hours'";
/** A source is known for this many days after a sign-in. */
const sourceDays = 90;

export const throttleRetention = [
  tableRule({ table: 'throttles', condition: `updated_at <= ${ago(1)}` }),
  tableRule({ table: 'sign_in_sources', condition: `used_at <= ${ago(sourceDays)}` }),
];

/** Counts password guesses in the database, so that all nodes share the counters. */
export function openLoginThrottle(database: Database): LoginThrottle {
  return storeWithApiErrors<LoginThrottle>({
    reserve: (guess) => reserve(database, guess),
    async clear({ pair, source, account, userId }, counters) {
      await database.query('delete from anagrafe.throttles where key = $1', [pair]);
      const others = counters.filter((counter) => counter !== pair);
      await takeBack(database, others);
      if (userId === null || (source === null && account === null)) return;
      await database.query(
        `insert into anagrafe.sign_in_sources as known (pair, user_id)
         select $1, id from anagrafe.users where id = $2 for key share
         on conflict (pair) do update set user_id = excluded.user_id, used_at = now()
          where known.user_id <> excluded.user_id or known.used_at < now() - interval '1 hour'`,
        [pair, userId],
      );
    },
    takeBack: (counters) => takeBack(database, counters),
  });
}

/**
 * Increments all counters of a guess, or none. For a pair that has signed in before it uses only the counter of the
 * pair, so that guesses from other sources cannot make it wait. It checks the source first, so that a source that has
 * to wait inserts no rows.
 */
async function reserve(database: Database, guess: AttemptCounters): Promise<Reserved | number> {
  const { pair, source, account, userId } = guess;
  const known = await isKnown(database, guess);
  if (known) {
    const wait = await count(database, pair, userId, { ...limits.pair, longest: longestSharedWait });
    return wait ?? { counters: [pair], known };
  }
  const sourceWait =
    source && (await count(database, source, null, { ...limits.source, longest: longestWait }));
  if (sourceWait !== null) return sourceWait;
  const accountGuesses = account ? await add(database, account, userId, limits.account) : 0;
  const counted = [source, account].filter((counter) => counter !== null);
  const longest = source === null && account !== null ? longestSharedWait : longestWait;
  const wait =
    (accountGuesses > limits.account.free ? await beginWait(database, pair, userId) : null) ??
    (await count(database, pair, userId, { ...limits.pair, longest }));
  if (wait === null) return { counters: [pair, ...counted], known };
  await takeBack(database, counted);
  return wait;
}

async function isKnown(
  database: Database,
  { pair, knownAs = pair, userId }: AttemptCounters,
): Promise<boolean> {
  const found = await database.query(
    `select from anagrafe.sign_in_sources
      where pair = $1 and user_id = $2 and used_at > now() - make_interval(days => ${sourceDays})`,
    [knownAs, userId],
  );
  return found.length > 0;
}

const decayed = (row: string, halfLife: string) =>
  `case when ${row}.updated_at < now() - ${quiet} then 0 else ${row}.failures *
     coalesce(power(0.5, extract(epoch from now() - ${row}.updated_at)::float8 / ${halfLife}::float8), 1) end`;

/**
 * Delays the first guess of a new source at an account under attack, and raises its counter so that further waits are
 * at least as long. Returns the seconds to wait, or null if the source has already waited.
 */
async function beginWait(database: Database, pair: Buffer, userId: number | null): Promise<number | null> {
  const failures = limits.pair.free + newSourceExponent;
  const waits = await database.query(
    `insert into anagrafe.throttles as known (key, user_id, failures, waits_until)
     values ($1, $2, ${failures}, clock_timestamp() + make_interval(secs => ${newSourceWait}))
     on conflict (key) do update
        set user_id = excluded.user_id, failures = excluded.failures, waits_until = excluded.waits_until, updated_at = now()
      where known.failures < ${failures} or known.updated_at < now() - ${quiet}
     returning key`,
    [pair, userId],
  );
  return waits.length > 0 ? newSourceWait : null;
}

/**
 * Increments a counter, sets the wait of the next guess and returns null. If the guess comes too soon, it counts
 * nothing and returns the remaining seconds. The row lock of the upsert serialises concurrent guesses.
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

/**
 * Decrements the counters and deletes those that reach zero. It runs a statement for each counter, because two calls
 * that each lock several rows could deadlock.
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
