import {
  arrayLiteral,
  preparedStatement,
  type Query,
  type Statement,
  statement,
} from '../../db/statement.ts';
import { usersTo } from './change.ts';
import { mergesOf } from './merges.store.ts';
import {
  deletedPrincipals,
  deletedUsers,
  idOf,
  principalIds,
  withIds,
  withRows,
} from './statement-values.ts';
import type { WritableChange } from './writable-change.ts';

/** SQL that adds to the row counts. `rows` is a query with the columns `id` and `amount`, which is 1 or -1. */
const countRows = (kind: 'principals' | 'users', rows: string) => `
  insert into anagrafe.row_counts as counted (kind, block, slot, amount)
  select '${kind}', id >> 12, pg_backend_pid() % 16, sum(amount) from (${rows}) as changed
   group by id >> 12 order by id >> 12
  on conflict (kind, block, slot) do update set amount = counted.amount + excluded.amount`;

const named = `select unnest(:added::bigint[]) as id, 1 as amount union all select unnest(:removed::bigint[]), -1`;

const countUsersStatement = preparedStatement('count users', countRows('users', named));
const countPrincipalsStatement = preparedStatement('count principals', countRows('principals', named));
const countUsersOfStatement = statement(
  countRows('users', 'select id, -1 as amount from anagrafe.users where principal_id = any(:ids::bigint[])'),
);

/** Must precede the deletion of the users. */
export function countUsers(changes: readonly WritableChange[]): Query[] {
  const added = changes.flatMap((change) => usersTo(change, 'register').map(idOf));
  return [
    ...counted(countUsersStatement, added, deletedUsers(changes)),
    ...withIds(countUsersOfStatement, deletedPrincipals(changes)),
  ];
}

export function countPrincipals(changes: readonly WritableChange[]): Query[] {
  const inserted = changes.filter(({ principal }) => principal.kind === 'insert');
  const merged = mergesOf(changes).map(idOf);
  return counted(countPrincipalsStatement, principalIds(inserted), [
    ...deletedPrincipals(changes),
    ...merged,
  ]);
}

function counted(sql: Statement, added: readonly number[], removed: readonly number[]): Query[] {
  const values = { added: arrayLiteral(added), removed: arrayLiteral(removed) };
  return withRows(sql, [...added, ...removed], values);
}
