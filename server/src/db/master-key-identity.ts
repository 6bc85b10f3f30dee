import type { Database } from './database.ts';

/** Returns the identity of the master key that the database was first used with; null if none is stored. */
export async function masterKeyIdentity(database: Database): Promise<Buffer | null> {
  const [found] = await database.query<{ identity: Buffer }>('select identity from anagrafe.master_key');
  return found?.identity ?? null;
}

/** Stores the identity unless another node has stored one first. Returns the stored identity. */
export async function keepMasterKeyIdentity(database: Database, identity: Buffer): Promise<Buffer | null> {
  await database.query('insert into anagrafe.master_key (identity) values ($1) on conflict do nothing', [
    identity,
  ]);
  return masterKeyIdentity(database);
}
