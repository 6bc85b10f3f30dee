import type { Connection, Database } from '../db/database.ts';
import type { Erasure } from './erasure-log.ts';

/** Rows of the audit log that are read at a time. Each names up to some thousand users. */
const rowsAtOnce = 100;

/** Key of an advisory lock. The number is arbitrary. */
const lockKey = 8420_0004;

/** Waits until no other node appends to the erasure log, until the end of the transaction. */
export async function lockErasureLog(connection: Connection): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1)', [lockKey]);
}

export interface Deletions {
  readonly erasures: Omit<Erasure, 'timeline' | 'database'>[];
  /** The position up to which the audit log was read. */
  readonly upTo: number;
  readonly more: boolean;
}

/** Returns the next deletions after a position of the hash chain. */
export async function readDeletions(database: Connection, after: number): Promise<Deletions> {
  const [end] = await database.query<{ position: number }>(
    'select last_position as position from anagrafe.audit_chain',
  );
  const upTo = end?.position ?? after;
  const rows = await database.query<Omit<Erasure, 'timeline' | 'database' | 'at'> & { at: Date }>(
    `select at, position, encode(hash, 'hex') as hash, call_id as call,
            case when action = 'delete' then principal_id end as principal, coalesce(deleted, '{}') as users
       from anagrafe.audit_log_hashed
      where position > $1 and position <= $2 and action in ('update', 'delete')
        and (action = 'delete' or deleted is not null)
      order by position limit $3`,
    [after, upTo, rowsAtOnce],
  );
  const more = rows.length === rowsAtOnce;
  return {
    erasures: rows.map((row) => ({ ...row, at: row.at.toISOString() })),
    upTo: more ? (rows.at(-1)?.position ?? upTo) : upTo,
    more,
  };
}

/** Returns those that are not part of the hash chain of the database. */
export async function missingIn(database: Connection, erasures: readonly Erasure[]): Promise<Erasure[]> {
  const found = await database.query<{ nth: number }>(
    `select nth from unnest($1::bigint[], $2::text[]) with ordinality as logged (position, hash, nth)
      where exists (select from anagrafe.audit_log_hashed as row
                     where row.position = logged.position and row.hash = decode(logged.hash, 'hex'))`,
    [erasures.map(({ position }) => position), erasures.map(({ hash }) => hash)],
  );
  const known = new Set(found.map(({ nth }) => nth));
  return erasures.filter((_, at) => !known.has(at + 1));
}

/** A principal that exists, with the number of its users. */
export interface ExistingPrincipal {
  readonly id: number;
  readonly externalKey: string | null;
  readonly users: number;
}

export async function findPrincipals(
  database: Database,
  ids: readonly number[],
): Promise<ExistingPrincipal[]> {
  return database.query<ExistingPrincipal>(
    `select id, external_key as "externalKey", users_count as users
       from anagrafe.principals where id = any($1) order by id`,
    [ids],
  );
}

/** Returns those of the principals that have other users than the listed ones. */
export async function principalsWithOtherUsers(
  database: Database,
  ids: readonly number[],
  listed: readonly number[],
): Promise<Set<number>> {
  const found = await database.query<{ id: number }>(
    `select distinct principal_id as id from anagrafe.users
      where principal_id = any($1) and not id = any($2)`,
    [ids, listed],
  );
  return new Set(found.map(({ id }) => id));
}

/** Returns the users that exist, by the principal that they have now. */
export async function findUsers(
  database: Database,
  ids: readonly number[],
): Promise<{ principalId: number; users: number[] }[]> {
  return database.query<{ principalId: number; users: number[] }>(
    `select principal_id as "principalId", array_agg(id order by id) as users
       from anagrafe.users where id = any($1) group by principal_id order by principal_id`,
    [ids],
  );
}
