import { actorColumns, actorPlaceholders, actorValues } from '../audit/audit.store.ts';
import type { Action } from '../audit/audit-log.ts';
import type { Database, Prepared } from '../db/database.ts';
import { WriteFailure, withReadErrors, withWriteErrors } from '../db/errors.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { InsertStore, NewPrincipal } from './insert.ts';
import type { AppliedUser, WriteContext, Written } from './outcome.ts';
import { type ChangedRow, kept, keptValues, placed, placeOf, withNames } from './outcomes.store.ts';
import type { State } from './principal.ts';
import { applyStates } from './state.store.ts';
import type { StateStore } from './state.ts';
import type { KnownUser, RecordChange, UpdateStore } from './update.ts';
import type { NewUser } from './user-item.ts';

/** Opens the store that the update, insert and state operations use. */
export function openRecordStore(database: Database): UpdateStore & InsertStore & StateStore {
  return {
    findPrincipals: (ids) => withReadErrors(() => findPrincipals(database, ids)),
    findUsers: (ids) => withReadErrors(() => findUsers(database, ids)),
    findTakenUsernames: (keys) => withReadErrors(() => findTakenUsernames(database, keys)),
    findExternalKeys: (keys) => withReadErrors(() => findExternalKeys(database, keys)),
    reservePrincipalIds: (count) =>
      withReadErrors(() => reserveIds(database, 'anagrafe.principals_id_seq', count)),
    reserveUserIds: (count) => withReadErrors(() => reserveIds(database, 'anagrafe.users_id_seq', count)),
    applyRecord: (change, context) => withWriteErrors(() => applyRecord(database, change, context)),
    applyStates: (change, context) => withWriteErrors(() => applyStates(database, change, context)),
    insertPrincipal: (principal, context) =>
      withWriteErrors(() => insertPrincipal(database, principal, context)),
  };
}

/** Maximum number of array elements serialised in one step: 100,000 users at once would block the event loop. */
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
  // Returns ranges: one, unless another session draws from the sequence at the same time.
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
 * Common table expressions that insert the registered users of a record. They follow an expression `principal`. The
 * users are inserted in the order of their username keys, so that two records with the same usernames take the locks
 * of the unique index in the same order and cannot deadlock.
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

/** Common table expression that appends the change to the audit log. */
const noted = (action: Action, first: number, reset: string, place: number) => `noted as (
    insert into anagrafe.journal (${actorColumns}, action, principal_id, registered, reset, details)
    select ${actorPlaceholders(first)}, '${action}', id, nullif($2::bigint[], '{}'), nullif(${reset}, '{}'), ${placed(place)}
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
  { actor, reference, expectedCurrentHash }: WriteContext,
): Promise<Written> {
  const registered = change.users.filter((user) => user.operation === 'register');
  const reset = change.users.filter((user) => user.operation === 'reset');
  const rows = await database.query<ChangedRow>(reference?.kept ? applyAndKeep : applyAndForget, [
    change.principalId,
    ...(await registrationColumns(registered)),
    await columnOf(reset, (user) => user.id),
    await columnOf(reset, (user) => user.passwordHash),
    ...actorValues(actor, reference?.callId),
    expectedCurrentHash,
    placeOf(reference),
    ...keptValues(reference, change.users),
  ]);
  // No row means that nothing was written: the principal is missing or disabled, or a user is missing or has another
  // password hash than expected.
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
  { actor, reference }: WriteContext,
): Promise<Written> {
  const { details } = principal;
  await database.query(reference?.kept ? insertAndKeep : insertAndForget, [
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
    ...actorValues(actor, reference?.callId),
    placeOf(reference),
    ...keptValues(reference, principal.users),
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

/**
 * Returns an array parameter for the driver. A long array is serialised here to the array literal that the driver would
 * build, with pauses for the event loop.
 */
async function columnOf<Item>(
  items: readonly Item[],
  partOf: (item: Item) => string | number | null,
): Promise<unknown> {
  if (items.length <= pieceLength) return items.map(partOf);
  const timeSlice = new TimeSlice();
  const pieces: string[] = [];
  for (let at = 0; at < items.length; at += pieceLength) {
    const values = items.slice(at, at + pieceLength).map(partOf);
    pieces.push(
      values.map((value) => (typeof value === 'string' ? quoted(value) : (value ?? 'NULL'))).join(','),
    );
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return `{${pieces.join(',')}}`;
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

function appliedRegistration({ id, username, email }: NewUser): AppliedUser {
  return { id, username, email, operation: 'register' };
}
