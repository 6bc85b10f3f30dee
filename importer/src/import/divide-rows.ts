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

/** Divides the rows of a principal, which do not contradict each other, into those of the next record and of later ones. */
export function divide(rows: readonly PrincipalRow[], operation: ImportOperation): DividedRows {
  const [only, second] = rows;
  // Most files have one row for each principal, whose length need not be known.
  if (only && !second) return { members: rows, waiting: [] };
  const members: PrincipalRow[] = [];
  const waiting: PrincipalRow[] = [];
  let [users, characters] = [0, 0];
  for (const row of rows) {
    const usersAfter = users + (row.users?.length ?? 0);
    const isTooLarge =
      operation === 'insert'
        ? // A second record would create the principal again.
          hasTooManyUsers(usersAfter)
        : usersAfter > usersPerRecord || characters + lengthOf(row) > charactersPerRecord;
    // `irs/update` takes no `State` of a new user.
    if ((isTooLarge && members.length > 0) || (operation === 'update' && row.hasState)) {
      waiting.push(row);
      continue;
    }
    members.push(row);
    users = usersAfter;
    characters += lengthOf(row);
  }
  return { members, waiting };
}

function lengthOf({ fields, users }: PrincipalRow): number {
  return JSON.stringify([fields, users]).length;
}
