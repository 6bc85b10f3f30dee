import type { Connection, Database } from '../db/database.ts';
import { arrayLiteral } from '../db/statement.ts';
import { countActivity } from './activity.store.ts';
import { readBounded } from './bounded-rows.store.ts';
import type { Chain, ChainEnd, ChainKeys, HashedRow } from './hash-chain.ts';

/** What a run of the chain writer did. */
interface Appended {
  readonly rows: number;
  /** True if more rows may be waiting. */
  readonly more: boolean;
}

/** Maximum number of rows that one transaction appends to the chain, and of rows per query when the chain is read. */
const rowsAtOnce = 1000;

/**
 * SQL that serialises the hashed columns of a row, unambiguously: a row as text has quotes and escapes. The text does not
 * depend on the machine or the time zone.
 */
const hashedText = `row(id, extract(epoch from at), actor, client_id, user_id, host(address), request_id,
  call_id, action, principal_id, registered, reset, deleted, details)::text
  || case when digests is null then '' else row(change_id, digests)::text end`;

/** SQL for `HashedRow.valuesMatch`. */
const valuesMatch = `coalesce((select bool_and(anagrafe.digest_of(changed) = any(digests))
  from anagrafe.changed_values as changed where changed.change_id = audit_log_hashed.change_id), true)`;

/** SQL that adds the users that rows of the hash chain name to those that the history of a user is found by. */
const insertNamedUsers = `insert into anagrafe.audit_users (user_id, position)
  select named, position
    from anagrafe.audit_log_hashed
         cross join lateral anagrafe.users_named(action, user_id, registered, reset, deleted, details)
   where position > $1 and position <= $2`;

/**
 * Creates the writer that assigns a position and a hash to committed audit rows, up to `rowsAtOnce` in a call. The
 * row lock on `audit_chain` admits one writer at a time among all nodes.
 * The writer remembers the last row of the chain, and throws if that row is later missing or has another hash: to append
 * further rows would hide that the audit log was rewritten.
 */
export function openChainWriter(database: Database, keys: ChainKeys): () => Promise<Appended> {
  let seen: ChainEnd = { position: 0, hash: Buffer.alloc(0) };
  return async () => {
    const waiting = await database.query('select from anagrafe.audit_log where position is null limit 1');
    if (waiting.length === 0) return { rows: 0, more: false };
    const appended = await database.transaction(async (connection) => {
      const [last] = await connection.query<ChainEnd>(
        `select last_position as position, last_hash as hash from anagrafe.audit_chain for update skip locked`,
      );
      if (!last) return null;
      // A rotation of the master key locks the chain, too.
      await keys.refresh(connection);
      await refuseRewritten(connection, last, seen);
      const { rows, more } = await readBounded<{ id: number; text: string }>(connection, {
        columns: `id, ${hashedText} as text`,
        key: 'id',
        conditions: ['true'],
        order: 'asc',
        limit: rowsAtOnce,
      });
      return { end: await appendRows(connection, rows, last, keys), rows: rows.length, more };
    });
    // Updated after the commit: after a rollback the chain ends where it ended before.
    if (appended) seen = appended.end;
    return { rows: appended?.rows ?? 0, more: appended?.more ?? false };
  };
}

/** Throws if the row `seen` is missing or has another hash, unless retention has removed it. */
async function refuseRewritten(connection: Connection, last: ChainEnd, seen: ChainEnd): Promise<void> {
  const [found] = await connection.query<{ hash: Buffer | null; swept: boolean }>(
    `select (select hash from anagrafe.audit_log where position = $1) as hash, first_position > $1 as swept
       from anagrafe.audit_chain`,
    [seen.position],
  );
  if (seen.position === 0 || found?.swept || found?.hash?.equals(seen.hash)) return;
  throw new Error(
    `The audit log was changed outside the service: the hash of row ${seen.position} differs, and the last row is ${last.position}.`,
  );
}

async function appendRows(
  connection: Connection,
  rows: readonly { id: number; text: string }[],
  last: ChainEnd,
  keys: ChainKeys,
): Promise<ChainEnd> {
  let { position, hash: before } = last;
  const hashes = rows.map(({ text }) => {
    before = keys.hashRow(before, ++position, text);
    return before;
  });
  const ids = rows.map(({ id }) => id);
  await connection.query(
    `update anagrafe.audit_log
        set position = $3::bigint + nth, hash = substring($2::bytea from nth::integer * $4 - $4 + 1 for $4)
       from unnest($1::bigint[]) with ordinality as waiting (id, nth)
      where audit_log.id = waiting.id and audit_log.position is null`,
    [arrayLiteral(ids), Buffer.concat(hashes), last.position, before.length],
  );
  await connection.query(insertNamedUsers, [last.position, position]);
  await countActivity(connection, { after: last.position, upTo: position });
  await connection.query('update anagrafe.audit_chain set last_position = $1, last_hash = $2', [
    position,
    before,
  ]);
  return { position, hash: before };
}

/** Returns the number of rows without a hash that are at least `seconds` old, up to 10,000. */
export async function countPending(connection: Connection, seconds = 0): Promise<number> {
  const [pending] = await connection.query<{ rows: number }>(
    `select count(*) as rows from (
       select from anagrafe.audit_log
        where position is null and at <= now() - make_interval(secs => $1) limit 10000) as pending`,
    [seconds],
  );
  return pending?.rows ?? 0;
}

export async function readChain(connection: Connection): Promise<Chain> {
  const [chain] = await connection.query<Chain>(
    `select first_position as "firstPosition", first_hash as "firstHash",
            last_position as "lastPosition", last_hash as "lastHash" from anagrafe.audit_chain`,
  );
  if (!chain) throw new Error('The hash chain of the audit log is missing in the database.');
  return chain;
}

/** Yields the rows with a position of 1 or more, in ascending order, by keyset pages. */
export function hashedRows(connection: Connection): AsyncGenerator<HashedRow> {
  return keysetPages(0, 'position', (after) =>
    readBounded<HashedRow>(
      connection,
      {
        columns: `position, hash, ${hashedText} as text, ${valuesMatch} as "valuesMatch"`,
        key: 'position',
        conditions: ['position > :after'],
        order: 'asc',
        limit: rowsAtOnce,
      },
      { after },
    ),
  );
}

/** Yields the rows of the pages that `read` returns for the key of the last row, until a page is the last one. */
export async function* keysetPages<Key extends string, Row extends Readonly<Record<Key, number | null>>>(
  from: number,
  key: Key,
  read: (after: number) => Promise<{ readonly rows: readonly Row[]; readonly more: boolean }>,
): AsyncGenerator<Row> {
  for (let after = from, more = true; more; ) {
    const page = await read(after);
    yield* page.rows;
    after = page.rows.at(-1)?.[key] ?? after;
    more = page.more;
  }
}
