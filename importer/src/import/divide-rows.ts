import type { ImportOperation } from './calls.ts';
import { hasTooManyUsers, type PrincipalRow } from './records.ts';

/**
 * Maximum number of users in a record that combines rows, and of the characters of their values: a record that the
 * service refuses as too large, such as one of several megabytes, would fail for all of its rows.
 */
const usersPerRecord = 500;
const charactersPerRecord = 250_000;

interface DividedRows {
  readonly members: readonly PrincipalRow[];
  readonly waiting: readonly PrincipalRow[];
}

/** Divides the rows of a principal into those of the next record, which agree with each other, and of later ones. */
export function divide(rows: readonly PrincipalRow[], operation: ImportOperation): DividedRows {
  const [only, second] = rows;
  // Most files have one row for each principal, whose length need not be known.
  if (only && !second) return { members: rows, waiting: [] };
  const members: PrincipalRow[] = [];
  const waiting: PrincipalRow[] = [];
  const fields: Record<string, unknown> = {};
  let [users, characters] = [0, 0];
  for (const row of rows) {
    const usersAfter = users + (row.users?.length ?? 0);
    const isTooLarge =
      operation === 'insert'
        ? // A second record would create the principal again.
          hasTooManyUsers(usersAfter)
        : usersAfter > usersPerRecord || characters + lengthOf(row) > charactersPerRecord;
    const fits = members.length === 0 || (!isTooLarge && (operation === 'insert' || agrees(row, fields)));
    // `irs/update` takes no `State` of a new user.
    if (!fits || (operation === 'update' && row.hasState)) {
      waiting.push(row);
      continue;
    }
    members.push(row);
    Object.assign(fields, row.fields);
    users = usersAfter;
    characters += lengthOf(row);
  }
  return { members, waiting };
}

/** Returns true if the row states no other values than these. */
function agrees(row: PrincipalRow, values: PrincipalRow['fields']): boolean {
  return Object.entries(row.fields).every(
    ([field, value]) => values[field] === undefined || isSame(values[field], value),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return (
    one === other || (typeof one === 'string' && one.normalize('NFC') === String(other).normalize('NFC'))
  );
}

function lengthOf({ fields, users }: PrincipalRow): number {
  return JSON.stringify([fields, users]).length;
}
