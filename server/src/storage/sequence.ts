import type { Chain, Seal, SealedRow } from '../core/journal/chain.ts';
import { countActivity } from './activity.ts';
import type { Connection, Database } from './database.ts';

/** So many rows get their place in one transaction. */
const rowsAtOnce = 1000;

/** All that a row says, the same on every machine and in every time zone. */
const sealedText = `jsonb_build_array(id, extract(epoch from at), actor, client_id, user_id, host(address), request_id,
  call_id, action, principal_id, registered, reset, details)::text`;

interface ChainRow {
  position: number;
  seal: Buffer;
}

/** Gives what has been committed its place; says whether there may be more. */
export type Sequence = () => Promise<boolean>;

/**
 * Gives what has been committed its place in the journal, and its seal. Only one at a time does so among all nodes:
 * whoever has the row of the chain. A chain that ends before, or otherwise than, it was last seen to end has been
 * rewritten, and is not made good by sealing what is there now.
 */
export function openSequence(database: Database, seal: Seal): Sequence {
  const seen = { position: 0, seal: Buffer.alloc(0) };
  return () => sequenceRows(database, seal, seen);
}

async function sequenceRows(database: Database, seal: Seal, seen: ChainRow): Promise<boolean> {
  const waiting = await database.query('select from anagrafe.journal where position is null limit 1');
  if (waiting.length === 0) return false;
  const sequenced = await database.transaction(async (connection) => {
    const [last] = await connection.query<ChainRow>(
      `select last_position as position, last_seal as seal from anagrafe.journal_chain for update skip locked`,
    );
    if (!last) return null;
    await refuseRewritten(connection, last, seen);
    const rows = await connection.query<{ id: number; text: string }>(
      `select id, ${sealedText} as text from anagrafe.journal
        where position is null order by id limit ${rowsAtOnce}`,
    );
    return { end: await putInOrder(connection, rows, last, seal), more: rows.length === rowsAtOnce };
  });
  // Only what was committed has been seen: after a rollback the chain ends where it ended before.
  if (sequenced) Object.assign(seen, sequenced.end);
  return sequenced?.more ?? false;
}

/** What was seen to be the end stands where it stood, unless it is so old that it was removed. */
async function refuseRewritten(connection: Connection, last: ChainRow, seen: ChainRow): Promise<void> {
  const [found] = await connection.query<{ seal: Buffer | null; swept: boolean }>(
    `select (select seal from anagrafe.journal where position = $1) as seal, first_position > $1 as swept
       from anagrafe.journal_chain`,
    [seen.position],
  );
  if (seen.position === 0 || found?.swept || found?.seal?.equals(seen.seal)) return;
  throw new Error(
    `The journal was rewritten: row ${seen.position} is not what it was, and the end is ${last.position}.`,
  );
}

async function putInOrder(
  connection: Connection,
  rows: readonly { id: number; text: string }[],
  last: ChainRow,
  seal: Seal,
): Promise<ChainRow> {
  let { position, seal: before } = last;
  const seals = rows.map(({ text }) => {
    before = seal(before, ++position, text);
    return before;
  });
  await connection.query(
    `update anagrafe.journal set position = given.position, seal = given.seal
       from unnest($1::bigint[], $2::bytea[]) with ordinality as sealed (id, seal, nth)
            cross join lateral (select $3::bigint + nth as position, sealed.seal) as given
      where journal.id = sealed.id`,
    [rows.map(({ id }) => id), seals, last.position],
  );
  await countActivity(
    connection,
    rows.map(({ id }) => id),
  );
  await connection.query('update anagrafe.journal_chain set last_position = $1, last_seal = $2', [
    position,
    before,
  ]);
  return { position, seal: before };
}

export async function readChain(connection: Connection): Promise<Chain> {
  const [chain] = await connection.query<Chain>(
    `select first_position as "firstPosition", first_seal as "firstSeal",
            last_position as "lastPosition", last_seal as "lastSeal" from anagrafe.journal_chain`,
  );
  if (!chain) throw new Error('The journal has no beginning: its chain was removed.');
  return chain;
}

/** The rows that have their place, in its order. */
export async function* sealedRows(connection: Connection): AsyncGenerator<SealedRow> {
  let after = 0;
  for (;;) {
    const rows = await connection.query<SealedRow>(
      `select position, seal, ${sealedText} as text from anagrafe.journal
        where position > $1 order by position limit ${rowsAtOnce}`,
      [after],
    );
    for (const row of rows) yield row;
    after = rows.at(-1)?.position ?? after;
    if (rows.length < rowsAtOnce) return;
  }
}
