import type { SheetItem } from '../sheet/item.ts';
import { usersIn } from './records.ts';
import { columnOf } from './row-fault.ts';

/** Where a row names a user whose password it would reset, as a column or a place in its record; null where it resets none. */
export function resetIn(item: SheetItem): string | null {
  if (item.kind === 'fault') return null;
  const users = item.kind === 'user' ? [item.user] : usersIn(item.record);
  const at = users.findIndex((user) => isThere(user.ID));
  return at < 0 ? null : columnOf(`Users[${at}].ID`, item.kind);
}

/** Null says the same as nothing. */
function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}
