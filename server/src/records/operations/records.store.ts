import type { QueryResultRow } from 'pg';
import type { Database } from '../../db/database.ts';
import { storeWithApiErrors } from '../../db/errors.ts';
import { arrayLiteral, preparedStatement, selectByKeys } from '../../db/statement.ts';
import { type CallerTags, seesPrincipal, seesPrincipalId, shownTags } from '../../db/visibility.ts';
import type { LookAlikeStore } from '../check/look-alikes.ts';
import type { WantedUsers } from '../check/references.ts';
import type { AttributeValues } from '../check/stored-attributes.ts';
import type { StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import { selectedColumns } from '../fields/field-columns.ts';
import { principalFields, userFields, valuesOf } from '../fields/fields.ts';
import type { RecordStore } from '../write/id-reservation.ts';
import { aliasesOf } from '../write/merges.store.ts';
import { userVersion, versionOf } from '../write/stored-rows.store.ts';
import type { ChangeStore } from '../write/writable-change.ts';
import { openChangeStore } from '../write/write-changes.store.ts';
import type { DeleteStore } from './delete.ts';
import type { InsertStore } from './insert.ts';
import type { InviteStore } from './invite.ts';
import { openLookAlikes } from './look-alikes.store.ts';
import type { UpdateStore } from './update.ts';

/** The store of the operations that need nothing else. */
export type OperationStore = UpdateStore & InsertStore & DeleteStore & InviteStore & RecordStore;

interface RecordStoreOptions {
  /** See `openChangeStore`. */
  readonly passwordsKept?: number;
  /** Limits what the store finds; the writes have the limit of their change. */
  readonly callerTags: CallerTags;
}

export function openRecordStore(
  database: Database,
  { passwordsKept = 0, callerTags }: RecordStoreOptions,
): OperationStore {
  return {
    ...openLookAlikes(database, callerTags),
    ...openChangeStore(database, { passwordsKept }),
    ...storeWithApiErrors<Omit<OperationStore, keyof LookAlikeStore | keyof ChangeStore>>({
      findPrincipals: (ids) => findPrincipals(database, ids, callerTags),
      findUsers: (wanted) => findUsers(database, wanted, callerTags),
      findAttributes: (ids) => findAttributes(database, ids),
      findFirstUsers: (ids, limit) => findFirstUsers(database, ids, limit),
      findTakenUsernames: (keys) => findTakenUsernames(database, keys, callerTags),
      findExternalKeys: (keys) => findExternalKeys(database, keys, callerTags),
      reservePrincipalIds: (count) => reserveIds(database, 'anagrafe.principals_id_seq', count),
      reserveUserIds: (count) => reserveIds(database, 'anagrafe.users_id_seq', count),
      findInvited: (ids, limit) => findInvited(database, ids, limit),
    }),
  };
}

/** Runs a statement of `selectByKeys`, unless there are no keys. */
async function rowsByKeys<Row extends QueryResultRow>(
  database: Database,
  sql: string,
  keys: readonly (string | number)[],
  callerTags: CallerTags,
): Promise<Row[]> {
  return keys.length > 0 ? database.query<Row>(sql, [arrayLiteral(keys), callerTags]) : [];
}

const principalsById = selectByKeys(
  `id, ${versionOf('principals')} as version, state, users_count as "usersCount", ${aliasesOf('principals.id')} as aliases, ${selectedColumns(principalFields)}`,
  'principals',
  'id',
  'bigint',
  seesPrincipal('principals', '$2'),
);

type PrincipalRow = Omit<StoredPrincipal, 'fields' | 'hiddenTags'> & StoredPrincipal['fields'];

async function findPrincipals(
  database: Database,
  ids: readonly number[],
  callerTags: CallerTags,
): Promise<Map<number, StoredPrincipal>> {
  const rows = await rowsByKeys<PrincipalRow>(database, principalsById, ids, callerTags);
  return new Map(
    rows.map(({ id, version, state, usersCount, aliases, ...row }) => {
      const Tags = shownTags(row.Tags, callerTags);
      const fields = { ...valuesOf(principalFields, row), Tags };
      const hiddenTags = row.Tags?.filter((tag) => !Tags?.includes(tag)) ?? [];
      return [id, { id, version, state, usersCount, aliases, fields, hiddenTags }];
    }),
  );
}

const { Attributes: _, ...fieldsToCompare } = userFields;

const userColumns = `id, ${userVersion} as version, principal_id as "principalId", username, username_key as "usernameKey", state,
  password_hash is not null as "hasPassword", must_change_password as "mustChange", ${selectedColumns(fieldsToCompare)}`;

const seesUser = seesPrincipalId('users.principal_id', '$2');
const usersBy = {
  id: selectByKeys(userColumns, 'users', 'id', 'bigint', seesUser),
  username_key: selectByKeys(userColumns, 'users', 'username_key', 'text', seesUser),
};

type UserRow = Omit<StoredUser, 'fields'> & Omit<StoredUser['fields'], 'Attributes'>;

async function findUsers(
  database: Database,
  { ids, usernameKeys }: WantedUsers,
  callerTags: CallerTags,
): Promise<StoredUser[]> {
  const read = async (column: keyof typeof usersBy, keys: readonly (string | number)[]) => {
    const rows = await rowsByKeys<UserRow>(database, usersBy[column], keys, callerTags);
    return rows.map(storedUser);
  };
  const found = await Promise.all([read('id', ids), read('username_key', usernameKeys)]);
  return found.flat();
}

function storedUser(row: UserRow): StoredUser {
  const { id, version, principalId, username, usernameKey, state, hasPassword, mustChange } = row;
  const fields = valuesOf(fieldsToCompare, row);
  return { id, version, principalId, username, usernameKey, state, hasPassword, mustChange, fields };
}

/** Returns the first `limit` users of each principal that are invited, by principal. */
async function findInvited(
  database: Database,
  principalIds: readonly number[],
  limit: number,
): Promise<Map<number, StoredUser[]>> {
  if (principalIds.length === 0) return new Map();
  const rows = await database.query<UserRow>(
    `select invited.* from unnest($1::bigint[]) as wanted (id)
       cross join lateral (
         select ${userColumns} from anagrafe.users
          where principal_id = wanted.id and password_hash is null and state = 'active' order by id limit $2) as invited`,
    [principalIds, limit],
  );
  const byPrincipal = new Map<number, StoredUser[]>(principalIds.map((id) => [id, []]));
  for (const row of rows) byPrincipal.get(row.principalId)?.push(storedUser(row));
  return byPrincipal;
}

const attributesById = selectByKeys('id, attributes', 'users', 'id', 'bigint');

async function findAttributes(
  database: Database,
  ids: readonly number[],
): Promise<Map<number, AttributeValues>> {
  const rows = await database.query<{ id: number; attributes: AttributeValues | null }>(attributesById, [
    ids,
  ]);
  return new Map(rows.flatMap(({ id, attributes }) => (attributes === null ? [] : [[id, attributes]])));
}

async function findFirstUsers(
  database: Database,
  principalIds: readonly number[],
  limit: number,
): Promise<Map<number, number[]>> {
  if (principalIds.length === 0) return new Map();
  const rows = await database.query<{ id: number; users: number[] }>(
    `select id, array(select id from anagrafe.users where principal_id = wanted.id order by id limit $2) as users
       from unnest($1::bigint[]) as wanted (id)`,
    [principalIds, limit],
  );
  return new Map(rows.map(({ id, users }) => [id, users]));
}

const takenUsernames = selectByKeys(
  `username_key as key, case when ${seesUser} then principal_id end as id`,
  'users',
  'username_key',
  'text',
);

type OwnerRow = { readonly key: string; readonly id: number | null };

async function findTakenUsernames(
  database: Database,
  keys: readonly string[],
  callerTags: CallerTags,
): Promise<Map<string, number | null>> {
  const rows = await rowsByKeys<OwnerRow>(database, takenUsernames, keys, callerTags);
  return new Map(rows.map(({ key, id }) => [key, id]));
}

const principalsByKey = selectByKeys(
  `external_key as key, case when ${seesPrincipal('principals', '$2')} then id end as id`,
  'principals',
  'external_key',
  'text',
);
const principalsByAlias = selectByKeys(
  `external_key as key, case when ${seesPrincipalId('principal_id', '$2')} then principal_id end as id`,
  'principal_aliases',
  'external_key',
  'text',
);

async function findExternalKeys(
  database: Database,
  keys: readonly string[],
  callerTags: CallerTags,
): Promise<Map<string, number | null>> {
  const rows = await Promise.all(
    [principalsByAlias, principalsByKey].map((sql) => rowsByKeys<OwnerRow>(database, sql, keys, callerTags)),
  );
  return new Map(rows.flat().map(({ key, id }) => [key, id]));
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
