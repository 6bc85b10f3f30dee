import type { UserOfPrincipal } from '@anagrafe/client';
import type { ImportRow, RecordRow, UserRow } from '../file/rows.ts';
import { findUsers, type ImportConnection, unlessForbidden } from './calls.ts';
import { dryRunCall } from './dry-run-call.ts';
import { rowsWithoutChanges } from './effects.ts';
import { groupBy } from './group-by.ts';
import { foldUsername, isInserted, principalKeyOf, principalOf, usersOf } from './records.ts';
import type { RowError, RowErrors } from './row-errors.ts';
import { sendRows } from './send.ts';

/** The stored principal of a row. */
export interface StoredPrincipal {
  readonly id: number | null;
  /** The key under which rows name the principal. */
  readonly key: string;
}

/** The rows whose values are all stored already, by row number. */
export type StoredRows = ReadonlyMap<number, StoredPrincipal>;

/**
 * Returns the rows that failed only because their users exist, although all of their values are stored already, apart
 * from passwords, which cannot be compared. An earlier import of the file has applied such rows.
 */
export async function findStoredRows(
  rows: readonly ImportRow[],
  errors: RowErrors,
  connection: ImportConnection,
): Promise<StoredRows> {
  const stored = new Map<number, StoredPrincipal>();
  const taken = rows.filter(({ number }) => isTakenOnly(errors.get(number)));
  if (taken.length === 0) return stored;
  const valid = taken.filter((row) => row.kind !== 'invalid');
  const isNamed = (row: UserRow | RecordRow) => {
    const principal = principalOf(row);
    return principal !== null && !isInserted(principal);
  };
  const named = valid.filter(isNamed);
  const others = valid.filter((row) => !isNamed(row));
  const all = [...named, ...(await withPrincipals(others, connection))];
  const rules = { existing: 'update', similar: 'allow', moves: 'refuse' } as const;
  // A row that states a further value of a changed principal must not count for those that do not.
  for (const rowsOfFields of groupBy(all, statedFields).values())
    await sendRows(rowsOfFields, {
      ...connection,
      rules,
      isDryRun: true,
      send: async (call) => (await dryRunCall(call, rules, connection)).answers,
      onApplied({ members }, { Item1 = null, Item6 = {} }) {
        const numbers = new Set(rowsWithoutChanges(members, Item6));
        for (const { row } of members) {
          const key = row.kind === 'invalid' ? null : principalKeyOf(row);
          if (key !== null && numbers.has(row.number)) stored.set(row.number, { id: Item1, key });
        }
      },
    });
  return stored;
}

function statedFields(row: UserRow | RecordRow): string {
  return Object.keys(principalOf(row)?.fields ?? {}).join();
}

/** A principal without a key looks like the one that an earlier import of the file has created. */
function isTakenOnly(found: readonly RowError[] = []): boolean {
  const codes = found.map(({ serviceCode }) => serviceCode);
  return (
    codes.includes('USERNAME_TAKEN') &&
    codes.every((code) => code === 'USERNAME_TAKEN' || code === 'LOOKS_LIKE_ANOTHER')
  );
}

/** Returns rows that name no principal with that of their stored users, which is compared with the values of the row. */
async function withPrincipals(
  rows: readonly (UserRow | RecordRow)[],
  connection: ImportConnection,
): Promise<(UserRow | RecordRow)[]> {
  const users = await unlessForbidden(findUsers(rows.flatMap(usernamesOf), connection));
  return rows.flatMap((row) => {
    const found = usernamesOf(row).map((username) => users?.get(foldUsername(username)));
    const [first] = found;
    if (!first || found.some((user) => user?.IRID !== first.IRID)) return [];
    return withReference(row, first);
  });
}

function usernamesOf(row: UserRow | RecordRow): string[] {
  const users = row.kind === 'user' ? [row.user] : usersOf(row.record);
  return users.map(({ Username }) => (typeof Username === 'string' ? Username : ''));
}

function withReference(
  row: UserRow | RecordRow,
  { IRID, ExternalKey }: UserOfPrincipal,
): UserRow | RecordRow {
  const reference = ExternalKey === null ? { ID: IRID } : { ExternalKey };
  return row.kind === 'user'
    ? { ...row, principal: { ...row.principal, ...reference } }
    : { ...row, record: { ...row.record, ...reference } };
}
