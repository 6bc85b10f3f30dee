import type { FormerMasterKey, MasterKeys } from '../encryption/key-ring.ts';
import type { Connection } from './database.ts';

/**
 * Returns the master keys of the database; null if it has none yet. `recentHours` is the age up to which a former one counts
 * as recent.
 */
export async function readMasterKeys(
  connection: Pick<Connection, 'query'>,
  { recentHours }: { recentHours: number },
): Promise<MasterKeys | null> {
  // One statement, and thus one snapshot: a rotation changes both tables.
  const rows = await connection.query<{ current: Buffer } & (FormerMasterKey | { identity: null })>(
    `select master_key.identity as current, former.identity, replaced_at as "replacedAt", retired_at as "retiredAt",
            last_position as "lastPosition", derived_keys as "derivedKeys",
            replaced_at > now() - make_interval(hours => $1) as "isRecent"
       from anagrafe.master_key left join anagrafe.former_master_keys as former on true
      order by replaced_at`,
    [recentHours],
  );
  const current = rows[0]?.current;
  return current
    ? { current, former: rows.filter((row) => row.identity !== null) as FormerMasterKey[] }
    : null;
}

/** Returns the identity of the master key in use, which no rotation replaces before the end of the transaction. */
export async function lockMasterKey(connection: Pick<Connection, 'query'>): Promise<Buffer | null> {
  const [key] = await connection.query<{ identity: Buffer }>(
    'select identity from anagrafe.master_key for share',
  );
  return key?.identity ?? null;
}

/**
 * Returns the identity of the first master key, in hexadecimal, which identifies the database: a restore, a load and a
 * rotation keep it. Null if the database has no master key yet.
 */
export async function readDatabaseId(connection: Pick<Connection, 'query'>): Promise<string | null> {
  const [found] = await connection.query<{ id: string }>(
    `select encode(coalesce(former.identity, master_key.identity), 'hex') as id
       from anagrafe.master_key left join anagrafe.former_master_keys as former on true
      order by replaced_at limit 1`,
  );
  return found?.id ?? null;
}

/** Stores the identity of the first master key, unless another node has stored one first. */
export async function keepMasterKeyIdentity(connection: Connection, identity: Buffer): Promise<void> {
  await connection.query('insert into anagrafe.master_key (identity) values ($1) on conflict do nothing', [
    identity,
  ]);
}
