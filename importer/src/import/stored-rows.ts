import { ApiError } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import { dryRunUpsert, type ImportConnection, sendInParts } from './calls.ts';
import { findUsers } from './find-users.ts';
import { externalKeyOf, foldUsername, type PrincipalRow, principalOf } from './records.ts';
import type { RowError, RowErrors } from './row-errors.ts';
import { type CombinedRecord, groupOf } from './row-group.ts';
import { rowsWithoutChangedUsers } from './unchanged-rows.ts';

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
    for (const [index, { members }] of items.entries()) {
      const tuple = answer?.tuples[index];
      if (tuple?.Item3 && tuple.Item6.Principal === 'unchanged')
        for (const number of rowsWithoutChangedUsers(members, tuple.Item6)) stored.add(number);
    }
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
