import type { Database } from '../db/database.ts';
import { withApiErrors, withWriteErrors } from '../db/errors.ts';
import { elementsAtOnce, preparedStatement } from '../db/statement.ts';
import type { State } from './fields.ts';
import { insertPrincipals } from './insert.store.ts';
import type { InsertStore } from './insert.ts';
import { changeStates } from './state.store.ts';
import type { StateStore } from './state.ts';
import { updateRecords } from './update.store.ts';
import type { KnownUser, UpdateStore } from './update.ts';

export function openRecordStore(database: Database): UpdateStore & InsertStore & StateStore {
  return {
    findPrincipals: (ids) => withApiErrors(() => findPrincipals(database, ids)),
    findUsers: (ids) => withApiErrors(() => findUsers(database, ids)),
    findTakenUsernames: (keys) => withApiErrors(() => findTakenUsernames(database, keys)),
    findExternalKeys: (keys) => withApiErrors(() => findExternalKeys(database, keys)),
    reservePrincipalIds: (count) =>
      withApiErrors(() => reserveIds(database, 'anagrafe.principals_id_seq', count)),
    reserveUserIds: (count) => withApiErrors(() => reserveIds(database, 'anagrafe.users_id_seq', count)),
    updateRecords: (changes) => withWriteErrors(() => updateRecords(database, changes)),
    changeStates: (changes) => withWriteErrors(() => changeStates(database, changes)),
    insertPrincipals: (principals) => withWriteErrors(() => insertPrincipals(database, principals)),
  };
}

async function inPieces<Item, Row>(
  items: readonly Item[],
  query: (piece: readonly Item[]) => Promise<Row[]>,
): Promise<Row[]> {
  if (items.length <= elementsAtOnce) return query(items);
  const rows: Row[] = [];
  for (let at = 0; at < items.length; at += elementsAtOnce) {
    for (const row of await query(items.slice(at, at + elementsAtOnce))) rows.push(row);
  }
  return rows;
}

const principalsById = 'select id, state from anagrafe.principals where id = any($1)';

async function findPrincipals(database: Database, ids: readonly number[]): Promise<Map<number, State>> {
  const rows = await database.query<{ id: number; state: State }>(principalsById, [ids]);
  return new Map(rows.map((row) => [row.id, row.state]));
}

const usersById = `select id, principal_id as "principalId", username_key as "usernameKey", email
           from anagrafe.users where id = any($1)`;

async function findUsers(database: Database, ids: readonly number[]): Promise<Map<number, KnownUser>> {
  const rows = await inPieces(ids, (piece) => database.query<KnownUser & { id: number }>(usersById, [piece]));
  return new Map(rows.map((row) => [row.id, row]));
}

const takenUsernames = 'select username_key from anagrafe.users where username_key = any($1)';

async function findTakenUsernames(database: Database, keys: readonly string[]): Promise<Set<string>> {
  const rows = await inPieces(keys, (piece) =>
    database.query<{ username_key: string }>(takenUsernames, [piece]),
  );
  return new Set(rows.map((row) => row.username_key));
}

const principalsByKey = 'select external_key, id from anagrafe.principals where external_key = any($1)';

async function findExternalKeys(database: Database, keys: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.query<{ external_key: string; id: number }>(principalsByKey, [keys]);
  return new Map(rows.map((row) => [row.external_key, row.id]));
}

/** Returns ranges: one, unless another session draws from the sequence at the same time. */
const nextIds = preparedStatement(
  'next ids',
  `with taken as materialized (
     select nextval(:sequence::regclass) as id, place from generate_series(1, :count::integer) as place
   )
   select min(id) as first, max(id) as last from taken group by id - place order by first`,
);

async function reserveIds(database: Database, sequence: string, count: number): Promise<number[]> {
  if (count === 0) return [];
  const ranges = await database.execute<{ first: number; last: number }>(nextIds, { sequence, count });
  return ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
}
