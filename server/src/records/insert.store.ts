import type { Database } from '../db/database.ts';
import { arrayLiteral, preparedStatement, rowsParameter } from '../db/statement.ts';
import { columnNames, columnTypes, fieldColumns } from './field-columns.ts';
import { principalFields } from './fields.ts';
import {
  appendAuditRows,
  contextColumns,
  contextReaders,
  countPrincipals,
  countUsers,
  type GroupSize,
  limitLockWaits,
  newUserValues,
  registeredUser,
  registerUsers,
  sizeOf,
  storeOutcomes,
} from './grouped-write.store.ts';
import type { NewPrincipal } from './insert.ts';
import type { Written } from './outcome.ts';

export const newPrincipals = rowsParameter('record', {
  principal_id: 'bigint',
  registered: 'text',
  reset: 'text',
  state: 'text',
  search_terms: 'text',
  ...columnTypes(principalFields),
  ...contextColumns,
});

const insertSql = (size: GroupSize) => `
  with record as materialized (
    select * from ${newPrincipals.sql}${limitLockWaits[size]}
  ), principal as (
    insert into anagrafe.principals (id, ${columnNames(principalFields)}, state, search_terms, users_count)
    select principal_id, ${columnNames(principalFields)}, state, array_to_tsvector(search_terms::text[]),
           cardinality(registered::bigint[])
      from record order by external_key, principal_id
    returning id, updated_at as written_at
  ), ${registerUsers}, ${countUsers('select id, 1 as amount from registered_user')},
  ${countPrincipals('select id, 1 as amount from principal')}, ${appendAuditRows('insert')}, ${storeOutcomes}
  select id from principal`;

const insertStatements = {
  single: preparedStatement('insert principal', insertSql('single')),
  group: preparedStatement('insert principals', insertSql('group')),
};

export const newPrincipalColumns = {
  principal_id: ({ id }: NewPrincipal) => id,
  registered: ({ users }: NewPrincipal) => arrayLiteral(users.map(({ id }) => id)),
  reset: () => '{}',
  state: ({ state }: NewPrincipal) => state ?? 'active',
  search_terms: ({ searchTerms }: NewPrincipal) => arrayLiteral(searchTerms),
  ...fieldColumns(principalFields, ({ fields }: NewPrincipal) => fields),
  ...contextReaders(({ context, users, outcome }: NewPrincipal) => ({
    context,
    users,
    outcome: outcome ?? null,
  })),
};

export async function insertPrincipals(
  database: Database,
  principals: readonly NewPrincipal[],
): Promise<Written[]> {
  await database.execute(insertStatements[sizeOf(principals)], {
    ...newPrincipals.values(principals, newPrincipalColumns),
    ...newUserValues(principals.map(({ id, users }) => ({ principalId: id, users }))),
  });
  return principals.map(({ id, users, outcome }) => ({
    id,
    users: users.map(registeredUser),
    ...(outcome && { principal: outcome }),
  }));
}
