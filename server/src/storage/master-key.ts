import type { Database } from './database.ts';

/** What tells the master key that the database was first used with; null where it was used with none. */
export async function masterKeyIdentity(database: Database): Promise<Buffer | null> {
  const [found] = await database.query<{ identity: Buffer }>('select identity from anagrafe.master_key');
  return found?.identity ?? null;
}

/** Remembers the first key; a node that was quicker has the say. */
export async function keepMasterKeyIdentity(database: Database, identity: Buffer): Promise<Buffer | null> {
  await database.query('insert into anagrafe.master_key (identity) values ($1) on conflict do nothing', [
    identity,
  ]);
  return masterKeyIdentity(database);
}
