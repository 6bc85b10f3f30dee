import { arrayLiteral, type Query, type Statement } from '../../db/statement.ts';
import { columnValues } from '../fields/field-columns.ts';
import { usersTo } from './change.ts';
import type { WritableChange } from './writable-change.ts';

// What the statements of this folder have in common.

export function idOf({ id }: { readonly id: number }): number {
  return id;
}

/** Returns the IDs of the users that are deleted alone, not with their principal. */
export function deletedUsers(changes: readonly WritableChange[]): number[] {
  return changes.flatMap((change) => usersTo(change, 'delete').map(idOf));
}

/** Returns the IDs of the principals that are deleted with all of their users. */
export function deletedPrincipals(changes: readonly WritableChange[]): number[] {
  return principalIds(changes.filter(({ principal }) => principal.kind === 'delete'));
}

export function principalIds(changes: readonly WritableChange[]): number[] {
  return changes.map(({ principalId }) => principalId);
}

/** Returns the statement with its values, unless there is nothing to do. */
export function withRows(statement: Statement, rows: readonly unknown[], values: Query['values']): Query[] {
  return rows.length > 0 ? [{ statement, values }] : [];
}

export function withIds(statement: Statement, ids: readonly number[], others: Query['values'] = {}): Query[] {
  return withRows(statement, ids, { ids: arrayLiteral(ids), ...others });
}

/** SQL that sets the columns of the fields, where the condition for the column is true if there are conditions. */
export function assignments(
  table: Parameters<typeof columnValues>[0],
  source: string,
  conditionFor?: (column: string) => string,
): string {
  return Object.entries(columnValues(table, source))
    .map(([column, value]) => {
      return conditionFor
        ? `${column} = case when ${conditionFor(column)} then ${value} else stored.${column} end`
        : `${column} = ${value}`;
    })
    .join(', ');
}
