import type { QueryResultRow } from 'pg';
import type { Database } from '../../db/database.ts';
import { storeWithApiErrors, withApiErrors } from '../../db/errors.ts';
import { arrayLiteral, elementsAtOnce, selectByKeys } from '../../db/statement.ts';
import { type CallerTags, seesPrincipal, seesPrincipalId, shownTags } from '../../db/visibility.ts';
import { inGroups } from '../../lib/in-groups.ts';
import type { StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import { selectedColumns } from '../fields/field-columns.ts';
import { principalFields, userFields, valuesOf } from '../fields/fields.ts';
import { aliasesOf } from '../write/merges.store.ts';
import { userVersion, versionOf } from '../write/stored-rows.store.ts';
import { openLookAlikes } from './look-alikes.store.ts';

/** Reads what the records of a call refer to, and what they are compared with. */
export type CheckStore = ReturnType<typeof openCheckStore>;

/** A user of a principal, as far as a record that does not contain it needs it. */
export interface OwnUser extends Pick<StoredUser, 'id' | 'principalId' | 'username' | 'usernameKey'> {
  readonly email: string | null;
}

export type AttributeValues = Readonly<Record<string, string>>;

type PrincipalRow = Omit<StoredPrincipal, 'fields' | 'hiddenTags'> & StoredPrincipal['fields'];

const principalsById = selectByKeys(
  `id, ${versionOf('principals')} as version, state, users_count as "usersCount", ${aliasesOf('principals.id')} as aliases, ${selectedColumns(principalFields)}`,
  'principals',
  'id',
  'bigint',
  seesPrincipal('principals', '$2'),
);

type UserRow = Omit<StoredUser, 'fields'> & Omit<StoredUser['fields'], 'Attributes'>;

const { Attributes: _, ...fieldsToCompare } = userFields;

const userColumns = `id, ${userVersion} as version, principal_id as "principalId", username, username_key as "usernameKey", state,
  password_hash is not null as "hasPassword", must_change_password as "mustChange", ${selectedColumns(fieldsToCompare)}`;

const seesUser = seesPrincipalId('users.principal_id', '$2');
const usersById = selectByKeys(userColumns, 'users', 'id', 'bigint', seesUser);
const usersByKey = selectByKeys(userColumns, 'users', 'username_key', 'text', seesUser);
const attributesById = selectByKeys('id, attributes', 'users', 'id', 'bigint');
const hashesById = selectByKeys('id, password_hash as hash', 'users', 'id', 'bigint');
const takenUsernames = selectByKeys(
  `username_key as key, case when ${seesUser} then principal_id end as id`,
  'users',
  'username_key',
  'text',
);
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

/** Limits what is found to what the caller with the tags sees. */
export function openCheckStore(database: Database, callerTags: CallerTags) {
  /** Runs a statement of `selectByKeys`, unless there are no keys. */
  async function select<Row extends QueryResultRow>(
    sql: string,
    keys: readonly (string | number)[],
    values: readonly unknown[] = [callerTags],
  ): Promise<Row[]> {
    return keys.length > 0 ? database.query<Row>(sql, [arrayLiteral(keys), ...values]) : [];
  }

  /** Returns the principals of names. Null for a principal that the caller does not see. */
  async function ownersOf(keys: readonly string[], ...statements: readonly string[]) {
    type Row = { readonly key: string; readonly id: number | null };
    const rows = await Promise.all(statements.map((sql) => select<Row>(sql, keys)));
    return new Map(rows.flat().map(({ key, id }) => [key, id]));
  }

  return {
    ...storeWithApiErrors({
      findForms: openLookAlikes(database, callerTags),
      async findPrincipals(ids: readonly number[]): Promise<Map<number, StoredPrincipal>> {
        const rows = await select<PrincipalRow>(principalsById, ids);
        return new Map(
          rows.map(({ id, version, state, usersCount, aliases, ...row }) => {
            const Tags = shownTags(row.Tags, callerTags);
            const fields = { ...valuesOf(principalFields, row), Tags };
            const hiddenTags = row.Tags?.filter((tag) => !Tags?.includes(tag)) ?? [];
            return [id, { id, version, state, usersCount, aliases, fields, hiddenTags }];
          }),
        );
      },
      /** Finds the users with one of the IDs, and those with one of the mapped usernames. */
      async findUsers(wanted: {
        readonly ids: readonly number[];
        readonly usernameKeys: readonly string[];
      }): Promise<StoredUser[]> {
        const found = await Promise.all([
          select<UserRow>(usersById, wanted.ids),
          select<UserRow>(usersByKey, wanted.usernameKeys),
        ]);
        return found.flat().map(storedUser);
      },
      /** Returns the first `limit` users of each principal that are invited, by principal. */
      async findInvited(principalIds: readonly number[], limit: number): Promise<Map<number, StoredUser[]>> {
        const rows = await select<UserRow>(
          `select invited.* from unnest($1::bigint[]) as wanted (id)
             cross join lateral (
               select ${userColumns} from anagrafe.users
                where principal_id = wanted.id and password_hash is null and state = 'active' order by id limit $2) as invited`,
          principalIds,
          [limit],
        );
        const byPrincipal = new Map<number, StoredUser[]>(principalIds.map((id) => [id, []]));
        for (const row of rows) byPrincipal.get(row.principalId)?.push(storedUser(row));
        return byPrincipal;
      },
      /** Returns the IDs of the first `limit` users of each principal. */
      async findFirstUsers(principalIds: readonly number[], limit: number): Promise<Map<number, number[]>> {
        const rows = await select<{ id: number; users: number[] }>(
          `select id, array(select id from anagrafe.users where principal_id = wanted.id order by id limit $2) as users
             from unnest($1::bigint[]) as wanted (id)`,
          principalIds,
          [limit],
        );
        return new Map(rows.map(({ id, users }) => [id, users]));
      },
      /** Returns the attributes of the users that have any. */
      async findAttributes(userIds: readonly number[]): Promise<Map<number, AttributeValues>> {
        type Row = { readonly id: number; readonly attributes: AttributeValues | null };
        const rows = await select<Row>(attributesById, userIds, []);
        return new Map(rows.flatMap(({ id, attributes }) => (attributes === null ? [] : [[id, attributes]])));
      },
      async findPasswordHashes(userIds: readonly number[]): Promise<Map<number, string>> {
        const rows = await select<{ id: number; hash: string }>(hashesById, userIds, []);
        return new Map(rows.map(({ id, hash }) => [id, hash]));
      },
      /** Returns the principals of the stored users that already have one of `keys` (mapped usernames). */
      findTakenUsernames: (keys: readonly string[]) => ownersOf(keys, takenUsernames),
      /** Returns the principals by their external keys and aliases. */
      findExternalKeys: (keys: readonly string[]) => ownersOf(keys, principalsByAlias, principalsByKey),
    }),
    /** Yields the first users of the principals, in groups of principals. `activeOnly` leaves out disabled users. */
    async *usersOfPrincipals(
      principals: readonly StoredPrincipal[],
      { activeOnly, limit }: { readonly activeOnly: boolean; readonly limit: number },
    ): AsyncGenerator<OwnUser[]> {
      for (const group of inGroups(principals, elementsAtOnce, ({ usersCount }) => usersCount)) {
        const ids = group.map(({ id }) => id);
        yield await withApiErrors(() =>
          database.query<OwnUser>(
            `select own.* from unnest($1::bigint[]) as wanted (id)
               cross join lateral (
                 select id, principal_id as "principalId", username, username_key as "usernameKey", email
                   from anagrafe.users
                  where principal_id = wanted.id ${activeOnly ? `and state = 'active'` : ''}
                  order by id limit $2) as own`,
            [ids, limit],
          ),
        );
      }
    },
  };
}

function storedUser(row: UserRow): StoredUser {
  const { id, version, principalId, username, usernameKey, state, hasPassword, mustChange } = row;
  const fields = valuesOf(fieldsToCompare, row);
  return { id, version, principalId, username, usernameKey, state, hasPassword, mustChange, fields };
}
