import { ApiError, type UserOfPrincipal } from '@anagrafe/client';
import type { ImportRow, RecordRow, UserRow } from '../file/rows.ts';
import { dryRunUpsert, type ImportConnection, sendInParts, wouldCreate } from './calls.ts';
import { fieldsChangedBy, findChangedFields } from './changed-fields.ts';
import { findUsers } from './find-users.ts';
import { foldUsername, type PrincipalRow, principalOf, usersOf } from './records.ts';
import type { RowError, RowErrors } from './row-errors.ts';
import type { RowGroup } from './row-group.ts';
import { rowsWithoutChanges } from './unchanged-rows.ts';
import { UpsertQueue } from './upsert-queue.ts';

/** The stored principal of a row. */
interface StoredPrincipal {
  readonly id: number | null;
  /** The key under which rows name the principal. */
  readonly key: string;
}

/** The rows whose values are all stored already, by row number. */
export type StoredRows = ReadonlyMap<number, StoredPrincipal>;

export const noStoredRows: StoredRows = new Map();

/**
 * Returns the rows that failed only because their users exist, although all of their values are stored already, apart
 * from passwords, which cannot be compared. An earlier import of the file has applied such rows.
 *
 * The rows of a principal are compared as one record. If that is refused because of some of them, the others are
 * compared again.
 */
export async function findStoredRows(
  rows: readonly ImportRow[],
  errors: RowErrors,
  connection: ImportConnection,
): Promise<StoredRows> {
  const taken = rows.filter(({ number }) => isTakenOnly(errors.get(number)));
  const stored = new Map<number, StoredPrincipal>();
  if (taken.length === 0) return stored;
  const named: PrincipalRow[] = [];
  const others: (UserRow | RecordRow)[] = [];
  for (const row of taken) {
    if (row.kind === 'invalid') continue;
    const principal = principalOf(row);
    if (principal) named.push(principal);
    else others.push(row);
  }
  const all = [...named, ...(await withPrincipals(others, connection))];
  const queue = new UpsertQueue(all, { existing: 'update', isDryRun: true });
  for (let { groups } = queue.take(); groups.length > 0; { groups } = queue.take()) await compare(groups);
  return stored;

  async function compare(groups: readonly RowGroup[]): Promise<void> {
    const parts = await sendInParts(groups, (part) =>
      dryRunUpsert(
        part.map(({ record }) => record),
        'update',
        connection,
      ),
    );
    for (const { items, answer } of parts) {
      const isUpdated = (_: RowGroup, index: number) => answer?.tuples[index]?.Item6.Principal === 'updated';
      const changedFields = await findChangedFields(items.filter(isUpdated), connection);
      for (const [index, group] of items.entries()) {
        const { key, members } = group;
        const tuple = answer?.tuples[index];
        if (tuple?.Item3 && !wouldCreate(tuple)) {
          const changed = fieldsChangedBy(group, tuple.Item6.Principal, changedFields);
          for (const number of rowsWithoutChanges(members, tuple.Item6, changed))
            stored.set(number, { id: tuple.Item1, key });
        }
        // The rows that have errors of their own are not stored; the others stay in the queue.
        else if (tuple && !tuple.Item3) queue.refuse(group, tuple.Item5, tuple.Item4);
        else if (!tuple && members.length > 1) await compare([queue.firstHalf(group)]);
      }
    }
  }
}

function isTakenOnly(found: readonly RowError[] | undefined): boolean {
  return found?.every(({ serviceCode }) => serviceCode === 'USERNAME_TAKEN') ?? false;
}

/** Returns rows that name no principal with that of their stored users, which is compared with the values of the row. */
async function withPrincipals(
  rows: readonly (UserRow | RecordRow)[],
  connection: ImportConnection,
): Promise<PrincipalRow[]> {
  const users = await findUsers(rows.flatMap(usernamesOf), connection).catch((error) => {
    // An API client without the scope sync:read cannot look up users.
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return null;
    throw error;
  });
  return rows.flatMap((row) => {
    const found = usernamesOf(row).map((username) => users?.get(foldUsername(username)));
    const [first] = found;
    if (!first || found.some((user) => user?.IRID !== first.IRID)) return [];
    return principalOf(withReference(row, first)) ?? [];
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
