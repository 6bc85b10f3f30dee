import type { Database } from '../../server/src/db/database.ts';

/** Returns the stored counters that differ from the number of rows that they count. */
export async function wrongFigures(database: Database): Promise<unknown[]> {
  return database.query(`
    with counted as (
      select 'users' as kind, id >> 12 as block, count(*) as amount from anagrafe.users group by 2
      union all
      select 'principals', id >> 12, count(*) from anagrafe.principals group by 2
    ), tallied as (
      select kind, block, sum(amount) as amount from anagrafe.row_counts group by kind, block
    )
    select kind, block, counted.amount as counted, tallied.amount as kept
      from counted full join tallied using (kind, block)
     where coalesce(counted.amount, 0) <> coalesce(tallied.amount, 0)
    union all
    select 'users of a principal', principal.id, count(users.id), principal.users_count
      from anagrafe.principals as principal left join anagrafe.users on users.principal_id = principal.id
     group by principal.id having count(users.id) <> principal.users_count`);
}

export async function storedUsernames(database: Database): Promise<Set<string>> {
  const rows = await database.query<{ username: string }>('select username from anagrafe.users');
  return new Set(rows.map((row) => row.username));
}
