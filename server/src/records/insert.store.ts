import type { Database } from '../db/database.ts';
import { arrayLiteral, preparedStatement, rowsParameter } from '../db/statement.ts';
import { columnNames, columnTypes, columnValues, principalFields } from './fields.ts';
import {
  appendAuditRows,
  contextColumns,
  contextValues,
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

const newPrincipals = rowsParameter('record', {
  principal_id: 'bigint',
  registered: 'text',
  reset: 'text',
  search_terms: 'text',
  ...columnTypes(principalFields),
  ...contextColumns,
});

const insertSql = (size: GroupSize) => `
  with record as materialized (
    select * from ${newPrincipals.sql}${limitLockWaits[size]}
  ), principal as (
    insert into anagrafe.principals (id, ${columnNames(principalFields)}, search_terms, users_count)
    select principal_id, ${columnNames(principalFields)}, array_to_tsvector(search_terms::text[]),
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

export async function insertPrincipals(
  database: Database,
  principals: readonly NewPrincipal[],
): Promise<Written[]> {
  await database.execute(insertStatements[sizeOf(principals)], {
    ...(await newPrincipals.values(
      principals.map(({ id, fields, searchTerms, users, context }) => ({
        principal_id: id,
        registered: arrayLiteral(users.map((user) => user.id)),
        reset: '{}',
        search_terms: arrayLiteral(searchTerms),
        ...columnValues(principalFields, fields),
        ...contextValues(context, users),
      })),
    )),
    ...(await newUserValues(principals.map(({ id, users }) => ({ principalId: id, users })))),
  });
  return principals.map(({ id, users }) => ({ id, users: users.map(registeredUser) }));
}
