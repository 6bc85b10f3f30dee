import type { Connection } from '../db/database.ts';

/** The columns of `activity`: numbers of an hour. */
export const activityColumns = [
  'calls',
  'jobs',
  'records_failed',
  'principals_inserted',
  'users_registered',
  'passwords_reset',
];

/** Builds the SQL that aggregates the audit rows matching the SQL `condition` by UTC hour. */
export const activityOf = (condition: string) => `
  select date_trunc('hour', at, 'UTC') as start,
         count(*) filter (where action = 'call.completed') as calls,
         count(*) filter (where action = 'job.completed') as jobs,
         coalesce(sum((details -> 'recordsFailed')::bigint), 0)::bigint as records_failed,
         count(*) filter (where action = 'insert') as principals_inserted,
         coalesce(sum(cardinality(registered)), 0)::bigint as users_registered,
         coalesce(sum(cardinality(reset)), 0)::bigint as passwords_reset
    from anagrafe.audit_log where ${condition} group by 1`;

/**
 * Adds audit rows to the hourly activityColumns. The chain writer calls it in the transaction that assigns their positions, so
 * each row is counted once, and no request waits for the lock on an hour.
 */
export async function countActivity(
  connection: Connection,
  { after, upTo }: { after: number; upTo: number },
): Promise<void> {
  await connection.query(
    `insert into anagrafe.activity as known (start, ${activityColumns.join(', ')}) ${activityOf('position > $1 and position <= $2')}
     on conflict (start) do update set ${activityColumns.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ')}`,
    [after, upTo],
  );
}
