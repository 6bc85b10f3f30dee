import type { Span, StatisticsStore, Totals } from '../core/statistics/statistics.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';

export function openStatistics(database: Database): StatisticsStore {
  return {
    read: () =>
      reading(async () => {
        const [totals, hours, days] = await Promise.all([
          readTotals(database),
          readSpans(database, 'hour', 24),
          readSpans(database, 'day', 30),
        ]);
        return { ...totals, hours, days };
      }),
  };
}

async function readTotals(database: Database): Promise<Totals> {
  const [totals] = await database.query<Totals>(`
    select (select coalesce(sum(amount), 0)::bigint from anagrafe.tallies where kind = 'principals') as principals,
           (select coalesce(sum(amount), 0)::bigint from anagrafe.tallies where kind = 'users') as users,
           (select count(*) from anagrafe.sessions where refresh_expires_at > now() and spent_at is null) as sessions,
           (select count(*) from anagrafe.journal where position is null) as unsealed,
           jobs.*
      from (select count(*) filter (where state = 'queued') as "jobsQueued",
                   count(*) filter (where state = 'running') as "jobsRunning"
              from anagrafe.calls where is_job and ended_at is null) as jobs`);
  if (!totals) throw new Error('a statement without a table gives one row');
  return totals;
}

/** By UTC, and in steps of hours: a day of the server's own time zone may have 23 of them. */
async function readSpans(database: Database, unit: 'hour' | 'day', count: number): Promise<Span[]> {
  const step = unit === 'hour' ? '1 hour' : '24 hours';
  return database.query<Span>(
    `with spans as (
       select date_trunc($1, now(), 'UTC') - nth * interval '${step}' as start
         from generate_series(0, $2 - 1) as nth
     ), done as (
       select date_trunc($1, at, 'UTC') as start,
              count(*) filter (where action = 'call.completed') as calls,
              count(*) filter (where action = 'job.completed') as jobs,
              sum((details -> 'recordsFailed')::bigint)::bigint as failed
         from anagrafe.journal
        where action in ('call.completed', 'job.completed') and at >= (select min(start) from spans)
        group by 1
     )
     select start, coalesce(calls, 0) as calls, coalesce(jobs, 0) as jobs, coalesce(failed, 0) as "recordsFailed"
       from spans left join done using (start) order by start`,
    [unit, count],
  );
}
