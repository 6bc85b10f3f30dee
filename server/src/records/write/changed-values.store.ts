import { arrayLiteral, type Query, statement } from '../../db/statement.ts';
import type { Definitions } from '../fields/fields.ts';
import { mergesOf } from './merges.store.ts';
import { deletedPrincipals, deletedUsers, idOf, withRows } from './statement-values.ts';
import type { WritableChange } from './writable-change.ts';

// The old and new values of changed fields. PostgreSQL reads and writes them, so that large attributes are not in the
// memory of the service.

/** The parameters of an UPDATE whose changed values are stored. */
export const changeColumns = { change_id: 'uuid', call_id: 'uuid' } as const;

/**
 * Returns a statement that runs an UPDATE and stores the values that it changes. `update` ends with its WHERE clause; it
 * updates `stored`, and also reads `before`, the same row before the update, and `source`, which has the columns
 * `changeColumns`.
 */
export function storingChanges(
  update: string,
  columns: { readonly source: string; readonly userId: string; readonly principalId: string },
  values: Readonly<Record<string, string>>,
  /** Other values: SQL for the old and the new one. */
  derived: Readonly<Record<string, readonly [old: string, value: string]>> = {},
): string {
  const { source, userId, principalId } = columns;
  const stored = Object.entries(values).map(
    ([field, column]) => [field, [`to_jsonb(before.${column})`, `to_jsonb(stored.${column})`]] as const,
  );
  const pairs = [...stored, ...Object.entries(derived)].map(
    ([field, [old, value]], at) => `(${at}, '${field}', ${old}, ${value})`,
  );
  return `with changed as (
     ${update}
     returning ${source}.change_id, ${source}.call_id, ${userId} as user_id, ${principalId} as principal_id,
       (select json_agg(json_build_array(field, old, new) order by number)
          from (values ${pairs.join(', ')}) as value (number, field, old, new)
         where old is distinct from new) as changes
   )
   insert into anagrafe.changed_values (change_id, user_id, principal_id, call_id, changes)
   select change_id, user_id, principal_id, call_id, changes from changed
    where changes is not null`;
}

/** SQL that joins the row of a table as it is before the UPDATE. `limit 1` makes it found by the index. */
export function joinBefore(table: 'principals' | 'users', id: string): string {
  return `cross join lateral (select * from anagrafe.${table} where ${table}.id = ${id} limit 1) as before`;
}

/** Returns the columns of the fields by their names. */
export function columnsOfFields(table: Definitions): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([name, { column }]) => [name, column]));
}

/** SQL for the digests of the values of an audit row; null if it has none. */
export function digestsOf(changeId: string): string {
  return `(select array_agg(anagrafe.digest_of(changed) order by user_id)
             from anagrafe.changed_values as changed where change_id = ${changeId})`;
}

/** The rows of a moved user may name an earlier principal, so the users of a deleted principal are found by their IDs. */
const eraseValuesStatement = statement(
  `delete from anagrafe.changed_values as changed
    using (select unnest(:users::bigint[]) as user_id
           union all select id from anagrafe.users where principal_id = any(:principals::bigint[])) as deleted
    where changed.user_id = deleted.user_id and changed.user_id > 0`,
);
const erasePrincipalsStatement = statement(
  'delete from anagrafe.changed_values where principal_id = any(:principals::bigint[]) and user_id = 0',
);

/** Deletes the values of what is deleted. Must precede the deletion of the users. */
export function eraseValues(changes: readonly WritableChange[]): Query[] {
  const ids = deletedPrincipals(changes);
  const merged = mergesOf(changes).map(idOf);
  const users = deletedUsers(changes);
  const principals = arrayLiteral(ids);
  return [
    ...withRows(eraseValuesStatement, [...users, ...ids], { users: arrayLiteral(users), principals }),
    ...withRows(erasePrincipalsStatement, [...ids, ...merged], {
      principals: arrayLiteral([...ids, ...merged]),
    }),
  ];
}
