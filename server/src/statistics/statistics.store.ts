import { activityColumns, activityOf } from '../audit/activity.store.ts';
import type { Connection, Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import type { Span, StatisticsStore, Totals } from './statistics.ts';

export function openStatistics(database: Database): StatisticsStore {
  return storeWithApiErrors<StatisticsStore>({
    async read() {
      const [totals, hours, days] = await Promise.all([
        readTotals(database),
        readSpans(database, 'hour', 24),
        readSpans(database, 'day', 30),
      ]);
      return { ...totals, hours, days };
    },
  });
}

async function readTotals(database: Database): Promise<Totals> {
  const [totals] = await database.query<Totals>(`
    select (select coalesce(sum(amount), 0)::bigint from anagrafe.row_counts where kind = 'principals') as principals,
           (select coalesce(sum(amount), 0)::bigint from anagrafe.row_counts where kind = 'users') as users,
           (select count(*) from anagrafe.sessions where refresh_expires_at > now() and spent_at is null) as sessions,
           (select count(*) from anagrafe.audit_log where position is null) as unchained,
           jobs.*
      from (select count(*) filter (where state = 'queued') as "jobsQueued",
                   count(*) filter (where state = 'running') as "jobsRunning"
              from anagrafe.calls where is_job and ended_at is null) as jobs`);
  if (!totals) throw new Error('the query of the totals returned no row');
  return totals;
}

/** Steps by 24 hours instead of 1 day: PostgreSQL adds days in the session time zone, where a day may have 23 hours. */
async function readSpans(connection: Connection, unit: 'hour' | 'day', count: number): Promise<Span[]> {
  const step = unit === 'hour' ? '1 hour' : '24 hours';
  return connection.query<Span>(
    `with spans as (
       select date_trunc($1, now(), 'UTC') - nth * interval '${step}' as start
         from generate_series(0, $2 - 1) as nth
     ), counted as (
       select * from anagrafe.activity where start >= (select min(start) from spans)
       -- The chain writer counts a row when it assigns its position, so rows without a position are added here.
       union all ${activityOf('position is null')}
     ), done as (
       select date_trunc($1, start, 'UTC') as start, ${activityColumns.map((name) => `sum(${name})::bigint as ${name}`).join(', ')}
         from counted group by 1
     )
     select start, coalesce(calls, 0) as calls, coalesce(jobs, 0) as jobs,
            coalesce(records_failed, 0) as "recordsFailed", coalesce(principals_inserted, 0) as "principalsInserted",
            coalesce(users_registered, 0) as "usersRegistered", coalesce(passwords_reset, 0) as "passwordsReset"
       from spans left join done using (start) order by start`,
    [unit, count],
  );
}
