import { arrayLiteral, preparedStatement, type Query, rowsParameter, statement } from '../../db/statement.ts';
import { required } from '../../lib/required.ts';
import { numberTerms, searchTerms } from '../../usernames/username.ts';
import { columnNames, columnTypes, columnValues, fieldColumns } from '../fields/field-columns.ts';
import { columnText, principalFieldNames, principalFields } from '../fields/fields.ts';
import { type PrincipalValues, sizeOf, sourcesOf, usersTo } from './change.ts';
import { changeColumns, columnsOfFields, joinBefore, storingChanges } from './changed-values.store.ts';
import { assignments, deletedPrincipals, idOf, withIds, withRows } from './statement-values.ts';
import type { WritableChange } from './writable-change.ts';

const newPrincipalColumns = {
  id: 'bigint',
  ...columnTypes(principalFields),
  state: 'text',
  search_terms: 'text',
  users_added: 'integer',
} as const;

const newPrincipals = rowsParameter('principal', newPrincipalColumns);

const principalColumns = {
  id: ({ principalId }: WritableChange) => principalId,
  ...fieldColumns(principalFields, (change: WritableChange) => valuesOf(change)?.fields ?? null),
  state: (change: WritableChange) => valuesOf(change)?.state ?? null,
  search_terms: (change: WritableChange) => arrayLiteral(termsOf(valuesOf(change))),
  users_added: usersAdded,
};

function valuesOf({ principal }: WritableChange) {
  return 'values' in principal ? principal.values : null;
}

const numbers = principalFieldNames.filter((name) => 'search' in principalFields[name]);

/** Returns the words by which `irs/list` finds a principal. */
function termsOf(values: PrincipalValues | null): string[] {
  if (values === null) return [];
  const { fields, aliases } = values;
  const texts = Object.values(fields).filter((value) => typeof value === 'string');
  const whole = numbers.flatMap((name) => numberTerms(columnText(fields[name])));
  return [...new Set([...searchTerms([...texts, ...aliases]), ...whole])];
}

function usersAdded(change: WritableChange): number {
  return usersTo(change, 'register', 'move').length - usersTo(change, 'delete').length;
}

const insertPrincipalsStatement = preparedStatement(
  'insert principals',
  `insert into anagrafe.principals (id, ${columnNames(principalFields)}, state, search_terms, users_count)
   select id, ${Object.values(columnValues(principalFields)).join(', ')}, state, array_to_tsvector(search_terms::text[]), users_added
     from ${newPrincipals.sql} order by external_key, id`,
);

export function insertPrincipals(changes: readonly WritableChange[]): Query[] {
  const inserted = changes.filter(({ principal }) => principal.kind === 'insert');
  return withRows(insertPrincipalsStatement, inserted, newPrincipals.values(inserted, principalColumns));
}

const nextVersion = `greatest(stored.updated_at + interval '1 microsecond', clock_timestamp())`;

const editedPrincipals = rowsParameter('principal', { ...newPrincipalColumns, ...changeColumns });

const editedColumns = {
  ...principalColumns,
  change_id: ({ changeIds }: WritableChange) => required(changeIds[0]),
  call_id: ({ context }: WritableChange) => context.call?.id ?? null,
};

/** SQL for the alias that the principal loses because it becomes its external key. A trigger deletes it. */
const aliasThatBecomesKey = [
  `(select to_jsonb(alias.external_key) from anagrafe.principal_aliases as alias
     where alias.principal_id = stored.id and alias.external_key = stored.external_key)`,
  'null::jsonb',
] as const;

const editPrincipalsStatement = statement(
  storingChanges(
    `update anagrafe.principals as stored
      set ${assignments(principalFields, 'principal')}, state = principal.state,
          search_terms = array_to_tsvector(principal.search_terms::text[]),
          sessions_epoch = stored.sessions_epoch
            + case when principal.state = 'disabled' and stored.state = 'active' then 1 else 0 end,
          users_count = stored.users_count + users_added, updated_at = ${nextVersion}, version_at = null
     from ${editedPrincipals.sql} ${joinBefore('principals', 'principal.id')}
    where stored.id = principal.id`,
    { source: 'principal', userId: '0', principalId: 'stored.id' },
    { ...columnsOfFields(principalFields), State: 'state' },
    { Aliases: aliasThatBecomesKey },
  ),
);

export function editPrincipals(changes: readonly WritableChange[]): Query[] {
  const edited = changes.filter(({ principal }) => principal.kind === 'edit');
  return withRows(editPrincipalsStatement, edited, editedPrincipals.values(edited, editedColumns));
}

const touchedPrincipals = rowsParameter('principal', { id: 'bigint', users_added: 'integer' });

const touchPrincipalsStatement = statement(
  `update anagrafe.principals as stored
      set users_count = users_count + users_added, updated_at = ${nextVersion}, version_at = null
     from ${touchedPrincipals.sql} where stored.id = principal.id`,
);

/** Gives a new version to principals of which only users change. An invitation changes no value of its user. */
export function touchPrincipals(changes: readonly WritableChange[]): Query[] {
  const touched = changes.filter((change) => {
    return change.principal.kind === 'keep' && sizeOf(change) > usersTo(change, 'invite').length;
  });
  return withRows(touchPrincipalsStatement, touched, touchedPrincipals.values(touched, principalColumns));
}

const countMovedUsersStatement = statement(
  `update anagrafe.principals as stored
      set users_count = users_count + users_added, updated_at = ${nextVersion},
          version_at = coalesce(version_at, updated_at)
     from ${touchedPrincipals.sql} where stored.id = principal.id`,
);

/** Changes the principals that lose users, without giving them a new version; see `versionOf`. */
export function countMovedUsers(changes: readonly WritableChange[]): Query[] {
  const rows = changes.flatMap((change) =>
    sourcesOf(change).map((id) => {
      return { id, lost: usersTo(change, 'move').filter(({ from }) => from === id).length };
    }),
  );
  const columns = { id: idOf, users_added: ({ lost }: (typeof rows)[number]) => -lost };
  return withRows(countMovedUsersStatement, rows, touchedPrincipals.values(rows, columns));
}

const deleteUsersOfStatement = statement(
  'delete from anagrafe.users where principal_id = any(:ids::bigint[])',
);
const deletePrincipalsStatement = statement('delete from anagrafe.principals where id = any(:ids::bigint[])');

export function deletePrincipals(changes: readonly WritableChange[]): Query[] {
  const ids = deletedPrincipals(changes);
  return [...withIds(deleteUsersOfStatement, ids), ...withIds(deletePrincipalsStatement, ids)];
}
