import type { ImportOperation } from './calls.ts';
import { hasTooManyUsers, isPlausible, type PrincipalRow } from './records.ts';

/**
 * Maximum number of users in a record that combines rows, and of the characters of their values: a record that the
 * service refuses as too large, such as one of several megabytes, would fail for all of its rows.
 */
const usersPerRecord = 500;
const charactersPerRecord = 250_000;

interface DividedRows {
  readonly members: readonly PrincipalRow[];
  readonly waiting: PrincipalRow[];
  readonly alone: PrincipalRow[];
}

/**
 * Divides the rows of a principal into those of the next record, those of later ones, and those that are a record of their
 * own in the same call: a row with a value that the service will refuse goes after the others, so that its value is not
 * replaced by that of another row. It then has its own errors and that of a principal that occurs twice.
 */
export function divide(rows: readonly PrincipalRow[], operation: ImportOperation): DividedRows {
  const [only, second] = rows;
  // Most files have one row for each principal, whose length need not be known.
  if (only && !second) return { members: rows, waiting: [], alone: [] };
  const members: PrincipalRow[] = [];
  const waiting: PrincipalRow[] = [];
  const alone: PrincipalRow[] = [];
  const fields: Record<string, unknown> = {};
  let [users, characters] = [0, 0];
  for (const row of rows) {
    if (operation === 'insert') {
      // A second record would create the principal again.
      users += row.users?.length ?? 0;
      (hasTooManyUsers(users) && members.length > 0 ? waiting : members).push(row);
      continue;
    }
    if (isDoubtful(row)) {
      alone.push(row);
      continue;
    }
    const usersAfter = users + (row.users?.length ?? 0);
    const charactersAfter = usersAfter > usersPerRecord ? Infinity : characters + lengthOf(row);
    const fits = members.length === 0 || (charactersAfter <= charactersPerRecord && agrees(row, fields));
    // `irs/update` takes no `State` of a new user.
    if (!fits || (operation === 'update' && row.hasState)) {
      waiting.push(row);
      continue;
    }
    members.push(row);
    Object.assign(fields, row.fields);
    users = usersAfter;
    characters = charactersAfter;
  }
  return { members: members.length === rows.length ? rows : members, waiting, alone };
}

function lengthOf({ fields, users }: PrincipalRow): number {
  return JSON.stringify([fields, users]).length;
}

function isDoubtful({ fields }: PrincipalRow): boolean {
  return Object.keys(fields).some((field) => !isPlausible(field, fields[field]));
}

/** Returns true if the row states no other values than these. */
function agrees({ fields }: PrincipalRow, values: PrincipalRow['fields']): boolean {
  return Object.keys(fields).every(
    (field) => values[field] === undefined || isSame(values[field], fields[field]),
  );
}

function isSame(one: unknown, other: unknown): boolean {
  return (
    one === other || (typeof one === 'string' && one.normalize('NFC') === String(other).normalize('NFC'))
  );
}
