import type { Span } from '../core/statistics/statistics.ts';
import type { Connection } from './database.ts';

const counts = [
  'calls',
  'jobs',
  'records_failed',
  'principals_inserted',
  'users_registered',
  'passwords_reset',
];

/** What rows of the journal come to, hour by hour. */
const activityOf = (condition: string) => `
  select date_trunc('hour', at, 'UTC') as start,
         count(*) filter (where action = 'call.completed') as calls,
         count(*) filter (where action = 'job.completed') as jobs,
         coalesce(sum((details -> 'recordsFailed')::bigint), 0)::bigint as records_failed,
         count(*) filter (where action = 'insert') as principals_inserted,
         coalesce(sum(cardinality(registered)), 0)::bigint as users_registered,
         coalesce(sum(cardinality(reset)), 0)::bigint as passwords_reset
    from anagrafe.journal where ${condition} group by 1`;

/**
 * Adds up rows that have just got their place, in the transaction that gives it to them: each is counted once, and
 * nobody who writes has to wait for it.
 */
export async function countActivity(connection: Connection, ids: readonly number[]): Promise<void> {
  await connection.query(
    `insert into anagrafe.activity as known (start, ${counts.join(', ')}) ${activityOf('id = any($1)')}
     on conflict (start) do update set ${counts.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ')}`,
    [ids],
  );
}

/** By UTC, and in steps of hours: a day of the server's own time zone may have 23 of them. */
export async function readSpans(
  connection: Connection,
  unit: 'hour' | 'day',
  count: number,
): Promise<Span[]> {
  const step = unit === 'hour' ? '1 hour' : '24 hours';
  return connection.query<Span>(
    `with spans as (
       select date_trunc($1, now(), 'UTC') - nth * interval '${step}' as start
         from generate_series(0, $2 - 1) as nth
     ), counted as (
       select * from anagrafe.activity where start >= (select min(start) from spans)
       -- What has no place yet is seen all the same.
       union all ${activityOf('position is null')}
     ), done as (
       select date_trunc($1, start, 'UTC') as start, ${counts.map((name) => `sum(${name})::bigint as ${name}`).join(', ')}
         from counted group by 1
     )
     select start, coalesce(calls, 0) as calls, coalesce(jobs, 0) as jobs,
            coalesce(records_failed, 0) as "recordsFailed", coalesce(principals_inserted, 0) as "principalsInserted",
            coalesce(users_registered, 0) as "usersRegistered", coalesce(passwords_reset, 0) as "passwordsReset"
       from spans left join done using (start) order by start`,
    [unit, count],
  );
}
