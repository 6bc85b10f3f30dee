import type { Action } from '../core/journal/journal.ts';
import type { InsertStore, NewPrincipal } from '../core/records/insert.ts';
import type { AppliedUser } from '../core/records/outcome.ts';
import type { State, StateStore } from '../core/records/state.ts';
import type { KnownUser, RecordChange, UpdateStore } from '../core/records/update.ts';
import type { NewUser } from '../core/records/user-item.ts';
import { type Occasion, WriteFailure, type Written } from '../core/records/writing.ts';
import { Turns } from '../core/turns.ts';
import type { Database, Prepared } from './database.ts';
import { reading, writing } from './failures.ts';
import { authorColumns, authorPlaces, authorValues } from './journal.ts';
import { type ChangedRow, kept, keptValues, placed, placeOf, withNames } from './outcomes.ts';
import { applyStates } from './states.ts';

/** Principals and users as the writing calls need them. */
export function openRegistry(database: Database): UpdateStore & InsertStore & StateStore {
  return {
    findPrincipals: (ids) => reading(() => findPrincipals(database, ids)),
    findUsers: (ids) => reading(() => findUsers(database, ids)),
    findTakenUsernames: (keys) => reading(() => findTakenUsernames(database, keys)),
    findExternalKeys: (keys) => reading(() => findExternalKeys(database, keys)),
    reservePrincipalIds: (count) => reading(() => reserveIds(database, 'anagrafe.principals_id_seq', count)),
    reserveUserIds: (count) => reading(() => reserveIds(database, 'anagrafe.users_id_seq', count)),
    applyRecord: (change, occasion) => writing(() => applyRecord(database, change, occasion)),
    applyStates: (change, occasion) => writing(() => applyStates(database, change, occasion)),
    insertPrincipal: (principal, occasion) => writing(() => insertPrincipal(database, principal, occasion)),
  };
}

/** A record with a hundred thousand users would hold the event loop while the driver writes them into one statement. */
const pieceLength = 2000;

async function inPieces<Item, Row>(
  items: readonly Item[],
  query: (piece: readonly Item[]) => Promise<Row[]>,
): Promise<Row[]> {
  if (items.length <= pieceLength) return query(items);
  const rows: Row[] = [];
  for (let at = 0; at < items.length; at += pieceLength) {
    for (const row of await query(items.slice(at, at + pieceLength))) rows.push(row);
  }
  return rows;
}

const principalsById: Prepared = {
  name: 'principals by id',
  text: 'select id, state from anagrafe.principals where id = any($1)',
};

async function findPrincipals(database: Database, ids: readonly number[]): Promise<Map<number, State>> {
  const rows = await database.query<{ id: number; state: State }>(principalsById, [ids]);
  return new Map(rows.map((row) => [row.id, row.state]));
}

const usersById: Prepared = {
  name: 'users by id',
  text: `select id, principal_id as "principalId", username_key as "usernameKey", email
           from anagrafe.users where id = any($1)`,
};

async function findUsers(database: Database, ids: readonly number[]): Promise<Map<number, KnownUser>> {
  const rows = await inPieces(ids, (piece) => database.query<KnownUser & { id: number }>(usersById, [piece]));
  return new Map(rows.map((row) => [row.id, row]));
}

const takenUsernames: Prepared = {
  name: 'taken usernames',
  text: 'select username_key from anagrafe.users where username_key = any($1)',
};

async function findTakenUsernames(database: Database, keys: readonly string[]): Promise<Set<string>> {
  const rows = await inPieces(keys, (piece) =>
    database.query<{ username_key: string }>(takenUsernames, [piece]),
  );
  return new Set(rows.map((row) => row.username_key));
}

const principalsByKey: Prepared = {
  name: 'principals by external key',
  text: 'select external_key, id from anagrafe.principals where external_key = any($1)',
};

async function findExternalKeys(database: Database, keys: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.query<{ external_key: string; id: number }>(principalsByKey, [keys]);
  return new Map(rows.map((row) => [row.external_key, row.id]));
}

const nextIds: Prepared = {
  name: 'next ids',
  // In ranges, of which there is one unless somebody else takes IDs at the same moment.
  text: `with taken as materialized (
           select nextval($1::regclass) as id, place from generate_series(1, $2::integer) as place
         )
         select min(id) as first, max(id) as last from taken group by id - place order by first`,
};

async function reserveIds(database: Database, sequence: string, count: number): Promise<number[]> {
  if (count === 0) return [];
  const ranges = await database.query<{ first: number; last: number }>(nextIds, [sequence, count]);
  return ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
}

/**
 * The registrations of a record, to stand between a `principal` that was written before and whatever comes after.
 * They are stored in the order of their keys: two records that want the same usernames then wait for each other in
 * one direction only.
 */
const registrations = `
  registered as (
    insert into anagrafe.users
      (id, principal_id, username, username_key, email, password_hash, created_at, updated_at, password_changed_at)
    select sent.id, principal.id, username, username_key, email, password_hash, written_at, written_at, written_at
      from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])
           as sent (id, username, username_key, email, password_hash) cross join principal
     order by username_key
    returning id
  ), users_tallied as (
    insert into anagrafe.tallies as tally (kind, block, slot, amount)
    select 'users', id >> 12, pg_backend_pid() % 16, count(*) from registered group by id >> 12 order by id >> 12
    on conflict (kind, block, slot) do update set amount = tally.amount + excluded.amount
    returning block
  )`;

/** What was done, for the journal. */
const noted = (action: Action, first: number, reset: string, place: number) => `noted as (
    insert into anagrafe.journal (${authorColumns}, action, principal_id, registered, reset, details)
    select ${authorPlaces(first)}, '${action}', id, nullif($2::bigint[], '{}'), nullif(${reset}, '{}'), ${placed(place)}
      from principal
  )`;

const applyRecordSql = (keeping: string) => `
  with owner as (
    select id from anagrafe.principals
     where id = $1 and (state = 'active' or cardinality($2::bigint[]) = 0) for no key update
  ), known as (
    -- Locked, so that none of them can go while the rest is written.
    select users.id from anagrafe.users join owner on principal_id = owner.id
     where users.id = any($7::bigint[]) and password_hash = coalesce($15, password_hash)
     order by users.id for no key update of users
  ), principal as (
    update anagrafe.principals
       set users_count = users_count + cardinality($2::bigint[]), updated_at = greatest(updated_at, clock_timestamp())
     where id = (select id from owner) and (select count(*) from known) = cardinality($7::bigint[])
    returning id, updated_at as written_at
  ), ${registrations}, reset as (
    update anagrafe.users as stored
       set password_hash = sent.password_hash, password_changed_at = written_at, updated_at = written_at,
           sessions_epoch = sessions_epoch + 1
      from unnest($7::bigint[], $8::text[]) as sent (id, password_hash) cross join principal
     where stored.id = sent.id and stored.principal_id = principal.id
    returning stored.id, stored.username, stored.email
  ), sessions_ended as (
    delete from anagrafe.sessions using principal where user_id = any($7::bigint[])
  ), throttles_cleared as (
    delete from anagrafe.throttles using principal where user_id = any($7::bigint[])
  ), sources_forgotten as (
    delete from anagrafe.sign_in_sources using principal where user_id = any($7::bigint[])
  ), ${noted('update', 9, '$7::bigint[]', 16)}${keeping}
  select principal.id as principal, reset.id, username, email from principal left join reset on true`;

const applyAndForget: Prepared = { name: 'apply record', text: applyRecordSql('') };
const applyAndKeep: Prepared = { name: 'apply record and keep its outcome', text: applyRecordSql(kept(17)) };

async function applyRecord(
  database: Database,
  change: RecordChange,
  { author, receipt, onlyOver }: Occasion,
): Promise<Written> {
  const registered = change.users.filter((user) => user.operation === 'register');
  const reset = change.users.filter((user) => user.operation === 'reset');
  const rows = await database.query<ChangedRow>(receipt?.kept ? applyAndKeep : applyAndForget, [
    change.principalId,
    ...(await registrationColumns(registered)),
    await columnOf(reset, (user) => user.id),
    await columnOf(reset, (user) => user.passwordHash),
    ...authorValues(author, receipt?.callId),
    onlyOver,
    placeOf(receipt),
    ...keptValues(receipt, change.users),
  ]);
  // The principal or one of its users was gone: nothing was written.
  if (rows.length === 0) throw new WriteFailure('conflict');
  const resetUsers = new Map(rows.map((row) => [row.id, row]));
  const users = change.users.map((user) =>
    user.operation === 'register' ? appliedRegistration(user) : withNames(user, resetUsers),
  );
  return { id: change.principalId, users };
}

const insertPrincipalSql = (keeping: string) => `
  with principal as (
    insert into anagrafe.principals
      (id, external_key, denomination, surname, name, vatnumber, taxcode, email, search_terms, users_count)
    values ($1, $7, $8, $9, $10, $11, $12, $13, array_to_tsvector($14::text[]), cardinality($2::bigint[]))
    returning id, updated_at as written_at
  ), ${registrations}, principals_tallied as (
    insert into anagrafe.tallies as tally (kind, block, slot, amount)
    select 'principals', id >> 12, pg_backend_pid() % 16, 1 from principal
     -- Always true; it makes the tallies the last locks that are taken, so that no two records can wait for each other.
     where (select count(*) from users_tallied) >= 0
    on conflict (kind, block, slot) do update set amount = tally.amount + excluded.amount
  ), ${noted('insert', 15, 'null::bigint[]', 21)}${keeping}
  select id from principal`;

const insertAndForget: Prepared = { name: 'insert principal', text: insertPrincipalSql('') };
const insertAndKeep: Prepared = {
  name: 'insert principal and keep its outcome',
  text: insertPrincipalSql(kept(22)),
};

async function insertPrincipal(
  database: Database,
  principal: NewPrincipal,
  { author, receipt }: Occasion,
): Promise<Written> {
  const { details } = principal;
  await database.query(receipt?.kept ? insertAndKeep : insertAndForget, [
    principal.id,
    ...(await registrationColumns(principal.users)),
    details.externalKey,
    details.denomination,
    details.surname,
    details.name,
    details.vatnumber,
    details.taxcode,
    details.email,
    principal.searchTerms,
    ...authorValues(author, receipt?.callId),
    placeOf(receipt),
    ...keptValues(receipt, principal.users),
  ]);
  return { id: principal.id, users: principal.users.map(appliedRegistration) };
}

async function registrationColumns(users: readonly NewUser[]): Promise<unknown[]> {
  return [
    await columnOf(users, (user) => user.id),
    await columnOf(users, (user) => user.username),
    await columnOf(users, (user) => user.usernameKey),
    await columnOf(users, (user) => user.email),
    await columnOf(users, (user) => user.passwordHash),
  ];
}

/** An array for the driver; a long one as the text that the driver would make of it, but made in slices. */
async function columnOf<Item>(
  items: readonly Item[],
  partOf: (item: Item) => string | number | null,
): Promise<unknown> {
  if (items.length <= pieceLength) return items.map(partOf);
  const turns = new Turns();
  const pieces: string[] = [];
  for (let at = 0; at < items.length; at += pieceLength) {
    const values = items.slice(at, at + pieceLength).map(partOf);
    pieces.push(
      values.map((value) => (typeof value === 'string' ? quoted(value) : (value ?? 'NULL'))).join(','),
    );
    if (turns.over) await turns.next();
  }
  return `{${pieces.join(',')}}`;
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

function appliedRegistration({ id, username, email }: NewUser): AppliedUser {
  return { id, username, email, operation: 'register' };
}
