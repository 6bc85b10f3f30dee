import { ApiError, type UpsertTuple } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import { dryRunUpsert, type ImportConnection, sendInParts } from './calls.ts';
import { findUsers } from './find-users.ts';
import { externalKeyOf, foldUsername, type PrincipalRow, principalOf } from './records.ts';
import type { RowError, RowErrors } from './row-errors.ts';
import { type CombinedRecord, groupOf, rowsOfUsers } from './row-group.ts';

/**
 * Returns the numbers of the rows that failed only because their users exist, although all of their values are stored
 * already, apart from passwords, which cannot be compared. An earlier import of the file has applied such rows.
 */
export async function findStoredRows(
  rows: readonly ImportRow[],
  errors: RowErrors,
  connection: ImportConnection,
): Promise<ReadonlySet<number>> {
  const taken = rows.filter(({ number }) => isTakenOnly(errors.get(number)));
  const stored = new Set<number>();
  if (taken.length === 0) return stored;
  const byKey = new Map<string, PrincipalRow[]>();
  const others: ImportRow[] = [];
  for (const row of taken) {
    const principal = row.kind === 'invalid' ? null : principalOf(row);
    if (!principal) others.push(row);
    else if (byKey.has(principal.key)) byKey.get(principal.key)?.push(principal);
    else byKey.set(principal.key, [principal]);
  }
  const groups = [...byKey].map(([key, members]) => groupOf(key, members));
  // A call may contain a principal only once, and rows may name it in different ways.
  const calls: readonly (readonly CombinedRecord[])[] = [
    groups.filter(({ key }) => externalKeyOf(key) !== null),
    groups.filter(({ key }) => externalKeyOf(key) === null),
    await withPrincipals(others, connection),
  ];
  for (const records of calls) await addStored(records, stored, connection);
  return stored;
}

/** Adds the rows of the records that would change nothing. */
async function addStored(
  records: readonly CombinedRecord[],
  stored: Set<number>,
  connection: ImportConnection,
): Promise<void> {
  const parts = await sendInParts(records, (part) =>
    dryRunUpsert(
      part.map(({ record }) => record),
      'update',
      connection,
    ),
  );
  for (const { items, answer } of parts)
    for (const [index, { members }] of items.entries()) addUnchanged(members, answer?.tuples[index], stored);
}

function isTakenOnly(found: readonly RowError[] | undefined): boolean {
  return found?.every(({ serviceCode }) => serviceCode === 'USERNAME_TAKEN') ?? false;
}

/** Returns records for rows that name no principal: that of the stored user is compared with the values of the row. */
async function withPrincipals(
  rows: readonly ImportRow[],
  connection: ImportConnection,
): Promise<CombinedRecord[]> {
  const usernames = rows.flatMap((row) => (row.kind === 'user' ? [row.user.Username ?? ''] : []));
  const users = await findUsers(usernames, connection).catch((error) => {
    // An API client without the scope sync:read cannot look up users.
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return null;
    throw error;
  });
  return rows.flatMap((row) => {
    if (row.kind !== 'user') return [];
    const stored = users?.get(foldUsername(row.user.Username ?? ''));
    const members = [{ row, fields: {}, users: [row.user] }];
    return stored ? [{ members, record: { ...row.principal, ID: stored.IRID, Users: [row.user] } }] : [];
  });
}

/** Adds the rows of a record whose principal and users would all stay unchanged. */
function addUnchanged(
  members: CombinedRecord['members'],
  tuple: UpsertTuple | undefined,
  stored: Set<number>,
): void {
  if (!tuple?.Item3 || tuple.Item6.Principal !== 'unchanged') return;
  const changed = new Set<number>();
  for (const [index, { row }] of rowsOfUsers(members).entries())
    if (tuple.Item6.Users?.[index]?.Operation !== 'none') changed.add(row.number);
  for (const { row } of members) if (!changed.has(row.number)) stored.add(row.number);
}
