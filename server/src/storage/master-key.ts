import type { Database } from './database.ts';

/** Whether the database knows this master key, or none yet; the first one is remembered by its identity. */
export async function isMasterKey(database: Database, identity: Buffer): Promise<boolean> {
  await database.query('insert into anagrafe.master_key (identity) values ($1) on conflict do nothing', [
    identity,
  ]);
  const rows = await database.query('select from anagrafe.master_key where identity = $1', [identity]);
  return rows.length === 1;
}
