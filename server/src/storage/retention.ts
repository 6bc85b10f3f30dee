import type { Database } from './database.ts';

/** So many calls go in one transaction. */
const callsAtOnce = 50;

/**
 * Removes what is kept no longer: calls whose idempotency key has expired, and jobs that ended long ago. A job whose
 * key is still remembered stays, or the same call would be done again.
 */
export async function sweepCalls(database: Database, options: { jobDays: number }): Promise<number> {
  await database.query(
    'update anagrafe.calls set idempotency_key = null where idempotency_key is not null and is_job and key_expires_at <= now()',
  );
  let swept = 0;
  for (;;) {
    const gone = await database.query(
      `with old as (
         select id from anagrafe.calls
          where case when is_job then ended_at <= now() - make_interval(days => $1) and idempotency_key is null
                     else key_expires_at <= now() end
          limit ${callsAtOnce} for update skip locked
       ), outcomes_gone as (
         delete from anagrafe.outcomes where call_id in (select id from old)
       )
       delete from anagrafe.calls where id in (select id from old) returning id`,
      [options.jobDays],
    );
    swept += gone.length;
    if (gone.length < callsAtOnce) return swept;
  }
}
