// Writes one record with many users in one transaction of several statements: as parameters of a single statement,
// 100,000 users would take several times the memory of the record. The statements take their locks in the order that
// grouped-write.store.ts describes, except the lock of a stored principal: until its users are written, other records may
// edit it, register users and reset passwords, which would otherwise wait for seconds. If such a record registers one of
// the usernames, both wait for each other; PostgreSQL then ends one of them, often the large one, which is tried again
// and finds that the username is taken.

import type { Connection, Database } from '../db/database.ts';
import { WriteFailure } from '../db/errors.ts';
import { arrayLiteral, preparedStatement, statement } from '../db/statement.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { NewUserList } from './compact-registration.ts';
import { columnNames } from './field-columns.ts';
import { principalFields } from './fields.ts';
import {
  appendAuditRows,
  contextColumns,
  countPrincipals,
  countUsers,
  newUserValues,
  registerUsers,
  storeOutcomes,
} from './grouped-write.store.ts';
import { newPrincipalColumns, newPrincipals } from './insert.store.ts';
import type { LargePrincipal } from './insert.ts';
import { required } from './parsed-record.ts';
import { updatedRecordColumns, updatedRecords } from './update.store.ts';
import type { LargeRegistration } from './update.ts';
import type { NewUser } from './user-item.ts';

const insertPrincipal = statement(`
  insert into anagrafe.principals (id, ${columnNames(principalFields)}, state, search_terms, users_count)
  select principal_id, ${columnNames(principalFields)}, state, array_to_tsvector(search_terms::text[]),
         :usersCount::integer
    from ${newPrincipals.sql}
  returning updated_at::text as "writtenAt"`);

/**
 * Keeps the principal from being deleted and from getting another external key, and its users from being deleted and
 * renamed. Other records can change them until `updatePrincipal`, a moment before the end. That finds out if one of
 * them has disabled the principal.
 */
const protectPrincipal = statement(`
  select clock_timestamp()::text as "writtenAt" from anagrafe.principals
   where id = :principalId::bigint and state = 'active' for key share`);

const updatePrincipal = statement(`
  update anagrafe.principals
     set users_count = users_count + :usersCount::integer,
         updated_at = greatest(updated_at + interval '1 microsecond', :writtenAt::timestamptz)
   where id = :principalId::bigint and state = 'active'
  returning id`);

const insertUsers = preparedStatement(
  'insert users',
  `with principal as (
     select :principalId::bigint as id, :writtenAt::timestamptz as written_at
   ), ${registerUsers}
   select count(*) from registered_user`,
);

const { applied: _, ...otherContextColumns } = contextColumns;

/**
 * Counts the rows, and appends the audit row and the outcome. The IDs of the users, which are ascending in the order
 * sent, are parameters: `firsts` and `lasts` of ranges.
 */
const finishSql = (action: 'insert' | 'update', record: string, counts: readonly string[]) => `
  with record as materialized (
    select index, principal_id, ids as registered, '{}' as reset,
           case when keeps_outcome then (
             select jsonb_agg(jsonb_build_array(id, 'register') order by id) from unnest(ids) as id
           ) end as applied,
           ${Object.keys(otherContextColumns).join(', ')}
      from ${record},
           (select array_agg(id order by id)
              from unnest(:firsts::bigint[], :lasts::bigint[]) as range (first, last), generate_series(first, last) as id
           ) as own (ids)
  ), principal as (
    select :principalId::bigint as id
  ), registered_user as (
    select unnest(registered) as id from record
  ), ${[...counts, appendAuditRows(action), storeOutcomes].join(', ')}
  select id from principal`;

const usersCounted = countUsers('select id, 1 as amount from registered_user');
const principalCounted = countPrincipals('select id, 1 as amount from principal');

const finishInsert = statement(finishSql('insert', newPrincipals.sql, [usersCounted, principalCounted]));
const finishUpdate = statement(finishSql('update', updatedRecords.sql, [usersCounted]));

export async function insertLargePrincipal(database: Database, principal: LargePrincipal): Promise<void> {
  const { users, id: principalId } = principal;
  const order = await positionsByKey(users);
  const record = await newPrincipals.values([{ ...principal, users: [] }], newPrincipalColumns);
  await database.transaction(
    async (connection) => {
      const usersCount = order.length;
      const [inserted] = await connection.execute<Written>(insertPrincipal, { ...record, usersCount });
      await insertInSlices(connection, users, order, {
        principalId,
        writtenAt: required(inserted).writtenAt,
      });
      await connection.execute(finishInsert, { ...record, ...rangesOf(users.ids), principalId });
    },
    { patient: true },
  );
}

/** Throws the `WriteFailure` `conflict`, and writes nothing, if the principal is missing or disabled. */
export async function registerManyUsers(
  database: Database,
  { principalId, users, context }: LargeRegistration,
): Promise<void> {
  const order = await positionsByKey(users);
  const row = { principalId, context, all: [], users: [], resets: [] };
  const record = await updatedRecords.values([row], updatedRecordColumns);
  await database.transaction(
    async (connection) => {
      const usersCount = order.length;
      const [found] = await connection.execute<Written>(protectPrincipal, { principalId });
      if (!found) throw new WriteFailure('conflict');
      const written = { principalId, writtenAt: found.writtenAt };
      await insertInSlices(connection, users, order, written);
      const updated = await connection.execute(updatePrincipal, { ...written, usersCount });
      if (updated.length === 0) throw new WriteFailure('conflict');
      await connection.execute(finishUpdate, { ...record, ...rangesOf(users.ids), principalId });
    },
    { patient: true },
  );
}

interface Written {
  /** As text, because a `Date` has no microseconds. */
  readonly writtenAt: string;
}

/** Returns ascending IDs as ranges: IDs that were reserved together have no gaps, or few. */
function rangesOf(ids: readonly number[]): { firsts: string; lasts: string } {
  const firsts: number[] = [];
  const lasts: number[] = [];
  for (const id of ids) {
    if (id - 1 === lasts.at(-1)) lasts[lasts.length - 1] = id;
    else {
      firsts.push(id);
      lasts.push(id);
    }
  }
  return { firsts: arrayLiteral(firsts), lasts: arrayLiteral(lasts) };
}

/** Number of users per statement: each parameter then stays in a part of the heap that is collected often. */
const usersPerStatement = 500;

async function insertInSlices(
  connection: Connection,
  users: NewUserList,
  order: Uint32Array,
  { principalId, writtenAt }: Written & { readonly principalId: number },
): Promise<void> {
  const timeSlice = new TimeSlice();
  for (let at = 0; at < order.length; at += usersPerStatement) {
    const slice: NewUser[] = [];
    for (const position of order.subarray(at, at + usersPerStatement)) {
      slice.push(users.read(position));
      if (timeSlice.isOver) await timeSlice.yield();
    }
    await connection.execute(insertUsers, {
      principalId,
      writtenAt,
      ...(await newUserValues([{ principalId, users: slice }])),
    });
  }
}

/** Number of positions that are sorted in one step. */
const sortedAtOnce = 512;

/** Returns the positions of the users in the order in which PostgreSQL sorts their usernames: a merge sort with pauses. */
async function positionsByKey(users: NewUserList): Promise<Uint32Array> {
  const timeSlice = new TimeSlice();
  const isBefore = (one: number, other: number) =>
    inUtf8Order(users.usernameKey(one), users.usernameKey(other));
  let sorted = Uint32Array.from({ length: users.ids.length }, (_, position) => position);
  for (let at = 0; at < sorted.length; at += sortedAtOnce) {
    sorted.subarray(at, at + sortedAtOnce).sort((one, other) => (isBefore(one, other) ? -1 : 1));
    if (timeSlice.isOver) await timeSlice.yield();
  }
  let merged = new Uint32Array(sorted.length);
  for (let width = sortedAtOnce; width < sorted.length; width *= 2) {
    for (let start = 0; start < sorted.length; start += 2 * width) {
      const middle = Math.min(start + width, sorted.length);
      const end = Math.min(start + 2 * width, sorted.length);
      let left = start;
      let right = middle;
      for (let to = start; to < end; to++) {
        const fromLeft =
          left < middle && (right >= end || isBefore(sorted[left] as number, sorted[right] as number));
        merged[to] = sorted[fromLeft ? left++ : right++] as number;
        if (to % sortedAtOnce === 0 && timeSlice.isOver) await timeSlice.yield();
      }
    }
    [sorted, merged] = [merged, sorted];
  }
  return sorted;
}

const firstSurrogate = 0xd800;

/** Returns true if `one` is before `other` in the order of their UTF-8 bytes, which is that of the collation "C". */
function inUtf8Order(one: string, other: string): boolean {
  let at = 0;
  while (one.charCodeAt(at) === other.charCodeAt(at)) at++;
  const unit = one.charCodeAt(at);
  const otherUnit = other.charCodeAt(at);
  // In UTF-16, surrogates come before U+E000 to U+FFFF, whose code points are lower than theirs.
  if (unit >= firstSurrogate && otherUnit >= firstSurrogate) {
    const isPair = unit < 0xe000;
    if (isPair !== otherUnit < 0xe000) return !isPair;
  }
  return Number.isNaN(unit) || unit < otherUnit;
}
