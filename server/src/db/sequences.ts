import type { Database } from './database.ts';

/** Returns the number of other connections of the service or of a command to the database. */
export async function countOtherConnections(database: Database): Promise<number> {
  const rows = await database.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name = 'anagrafe' and pid <> pg_backend_pid()`,
    [],
  );
  return rows[0]?.count ?? 0;
}

/** Raises all sequences of IDs by `count`, which is then skipped. Returns the last skipped ID of each table. */
export async function raiseIds(database: Database, count: number): Promise<Record<string, number>> {
  const rows = await database.query<{ name: string; last: number }>(
    `select regexp_replace(sequencename, '_id(_seq)?$', '') as name,
            setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, 0) + $1) as last
       from pg_sequences where schemaname = 'anagrafe' order by name`,
    [count],
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}
