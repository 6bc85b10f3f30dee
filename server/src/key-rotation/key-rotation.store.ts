import { openAuditLog } from '../audit/audit.store.ts';
import type { Actor } from '../audit/audit-log.ts';
import type { Connection, Database } from '../db/database.ts';
import { shortId } from '../settings/master-key-file.ts';
import type { EncryptedColumn } from './encrypted-columns.ts';

const rowsAtOnce = 500;
/** Key of an advisory lock. The number is arbitrary. */
const lockKey = 8420_0003;

/** A page of encrypted values, by ascending keys. */
export function readEncrypted<Key>(
  connection: Connection,
  { table, column, key, condition = 'true' }: EncryptedColumn<Key>,
  after: Key | string,
): Promise<{ key: Key; value: Buffer }[]> {
  // Materialized: the planner would read the rows in the order of the key, past all that do not meet the condition.
  return connection.query(
    `with found as materialized (
       select ${key.column} as key, ${column} as value from anagrafe.${table}
        where ${column} is not null and ${condition} and ${key.column} > $1::${key.type})
     select key, value from found order by key limit ${rowsAtOnce}`,
    [after],
  );
}

/** Replaces a value unless it was changed or removed since it was read. */
export async function replaceEncrypted<Key>(
  connection: Connection,
  { table, column, key }: EncryptedColumn<Key>,
  { key: keyOfRow, value }: { readonly key: Key; readonly value: Buffer },
  replacement: Buffer,
): Promise<void> {
  await connection.query(
    `update anagrafe.${table} set ${column} = $3 where ${key.column} = $1::${key.type} and ${column} = $2`,
    [keyOfRow, value, replacement],
  );
}

export interface Replacement {
  readonly from: Buffer;
  readonly to: Buffer;
  /** The derived keys that stay needed of the old key, encrypted with the new one. */
  readonly derivedKeys: Buffer;
}

/** Puts a master key into use. Returns false if another key was put into use since `from` was. */
export function replaceMasterKey(
  database: Database,
  { from, to, derivedKeys }: Replacement,
  actor: Actor,
): Promise<boolean> {
  return database.transaction(async (connection) => {
    // It waits for the transactions that store values with the present key: see `lockMasterKey`.
    const changed = await connection.query(
      'update anagrafe.master_key set identity = $2 where identity = $1 returning true',
      [from, to],
    );
    if (changed.length === 0) return false;
    // The chain writer locks it, too: no row up to this position gets a hash of the new key, and none after it one of the old.
    const [chain] = await connection.query<{ position: number }>(
      'select last_position as position from anagrafe.audit_chain for update',
    );
    await connection.query(
      'insert into anagrafe.former_master_keys (identity, last_position, derived_keys) values ($1, $2, $3)',
      [from, chain?.position, derivedKeys],
    );
    const details = { from: shortId(from), to: shortId(to) };
    await openAuditLog(connection).note(actor, { action: 'master_key.rotated', details });
    return true;
  });
}

/** Locks the rotation until the end of the transaction. Returns false if another transaction has. */
export async function lockRotation(connection: Connection): Promise<boolean> {
  const [lock] = await connection.query<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock($1) as locked',
    [lockKey],
  );
  return lock?.locked === true;
}

/** Returns the former keys that may encrypt stored values. */
export async function readNeeded(connection: Connection): Promise<Buffer[]> {
  const keys = await connection.query<{ identity: Buffer }>(
    'select identity from anagrafe.former_master_keys where retired_at is null',
  );
  return keys.map(({ identity }) => identity);
}

export async function retire(connection: Connection, identities: readonly Buffer[]): Promise<void> {
  await connection.query(
    'update anagrafe.former_master_keys set retired_at = now() where identity = any($1) and retired_at is null',
    [identities],
  );
}

/** Returns the number of connected nodes whose settings do not have the key. */
export async function countNodesWithout(connection: Connection, identity: Buffer): Promise<number> {
  const [nodes] = await connection.query<{ count: number }>(
    `select count(*) as count from pg_stat_activity
      where datname = current_database() and application_name like 'anagrafe node %'
        and strpos(application_name, $1) = 0`,
    [shortId(identity)],
  );
  return nodes?.count ?? 0;
}
