import type { GuessKey, GuessLimits, GuessStore } from '../core/sessions/guesses.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';

/** The longest wait, in seconds: nobody is locked out for good. */
const longestWait = 900;
/** What has been quiet for so long is forgotten. */
const quiet = "interval '24 hours'";

/** Guesses at passwords, counted over all nodes. */
export function openGuesses(database: Database): GuessStore {
  return {
    reserve: (key, limits) => reading(() => reserve(database, key, limits)),
    takeBack: (key) => reading(() => takeBack(database, key)),
    clear: (account, source) => reading(() => clear(database, account, source)),
  };
}

/** Whoever comes at the same moment waits for the row, and then sees what the one before has counted. */
async function reserve(
  database: Database,
  key: GuessKey,
  { free, halfLife }: GuessLimits,
): Promise<number | null> {
  const reserved = await database.query(
    `insert into anagrafe.throttles as known (key, user_id, failures, waits_until)
     values ($1, $2, 1, clock_timestamp())
     on conflict (key) do update
        set (failures, waits_until, updated_at) = (
              select count, clock_timestamp() + make_interval(secs =>
                       case when count < $3 then 0 else least(${longestWait}, power(2, least(count - $3, 20))) end),
                     clock_timestamp()
                from (select case when known.updated_at < now() - ${quiet} then 1 else 1 + known.failures *
                       coalesce(power(0.5, extract(epoch from now() - known.updated_at)::float8 / $4::float8), 1) end) as next (count))
      where known.waits_until <= clock_timestamp()
     returning key`,
    [key.digest, key.userId, free, halfLife],
  );
  if (reserved.length > 0) return null;
  const [left] = await database.query<{ seconds: number }>(
    'select ceil(extract(epoch from waits_until - clock_timestamp()))::int as seconds from anagrafe.throttles where key = $1',
    [key.digest],
  );
  return Math.max(left?.seconds ?? 1, 1);
}

async function clear(database: Database, account: GuessKey, source: GuessKey | null): Promise<void> {
  await database.query(
    `with forgotten as (delete from anagrafe.throttles where key = $1)
     update anagrafe.throttles set failures = greatest(failures - 1, 0), waits_until = least(waits_until, now())
      where key = $2`,
    [account.digest, source?.digest ?? null],
  );
}

async function takeBack(database: Database, key: GuessKey): Promise<void> {
  await database.query(
    `update anagrafe.throttles set failures = greatest(failures - 1, 0), waits_until = least(waits_until, now())
      where key = $1`,
    [key.digest],
  );
}
