import type { SheetItem } from '../sheet/item.ts';
import { usersIn } from './records.ts';
import { columnOf } from './row-fault.ts';

/**
 * Returns the column, or the field path in the record, of the first user whose password the row would reset; null if
 * the row resets none.
 */
export function resetIn(item: SheetItem): string | null {
  if (item.kind === 'fault') return null;
  const users = item.kind === 'user' ? [item.user] : usersIn(item.record);
  const at = users.findIndex((user) => isPresent(user.ID));
  return at < 0 ? null : columnOf(`Users[${at}].ID`, item.kind);
}

/** The API treats null like an absent field. */
function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
