import type { Database } from '../db/database.ts';

/** What a database contains, and in how many places the numbers that the service keeps of it are wrong. */
export interface StoredCounts {
  readonly principals: number;
  readonly users: number;
  readonly wrong: number;
}

export async function countStored(database: Database): Promise<StoredCounts> {
  const [found] = await database.query<StoredCounts>(
    `with stored as (
       select 'principals' as kind, count(*) as rows from anagrafe.principals
       union all select 'users', count(*) from anagrafe.users
     ), counted as (
       select kind, sum(amount) as rows from anagrafe.row_counts group by kind
     ), of_principals as (
       select principal_id as id, count(*) as users from anagrafe.users group by principal_id
     )
     select (select rows from stored where kind = 'principals') as principals,
            (select rows from stored where kind = 'users') as users,
            (select count(*) from stored left join counted using (kind)
              where stored.rows <> coalesce(counted.rows, 0))
            + (select count(*) from anagrafe.principals full join of_principals using (id)
                where users_count is distinct from coalesce(users, 0)) as wrong`,
  );
  return found ?? { principals: 0, users: 0, wrong: 1 };
}

/** Returns the timeline of the log as file names have it. A restore begins a new one. */
export async function currentTimeline(database: Database): Promise<string> {
  const [found] = await database.query<{ timeline: string }>(
    `select upper(lpad(to_hex(timeline_id), 8, '0')) as timeline from pg_control_checkpoint()`,
  );
  return found?.timeline ?? '';
}

/** Returns the version of PostgreSQL, such as `18.1`, and the identifier of the cluster. */
export async function describeCluster(database: Database): Promise<{ postgres: string; system: string }> {
  const [found] = await database.query<{ postgres: string; system: string }>(
    `select current_setting('server_version') as postgres, system_identifier::text as system from pg_control_system()`,
  );
  return found ?? { postgres: '', system: '' };
}
