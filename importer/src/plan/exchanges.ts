import type { ImportConnection } from '../import/calls.ts';
import { foldUsername } from '../import/records.ts';
import { rowsOfUsers } from '../import/row-group.ts';
import { findMoves } from './moves.ts';
import type { PlannedCall, PlannedRecord } from './plan.ts';
import type { SyncRecord } from './sync-file.ts';

/** Two records: the principal of `source` has a user that the file has under that of `target`. */
export interface Exchange {
  readonly source: SyncRecord;
  readonly target: SyncRecord;
}

/**
 * Returns the records that exchange users, if there are several calls: those that move a user from the principal of
 * another record, and those that would remove a user because it is in another call.
 *
 * @param isOpen Returns true for a record that fails and will be planned again. Another one that fails moves no users.
 */
export async function findExchanges(
  calls: readonly PlannedCall<SyncRecord>[],
  isOpen: (record: PlannedRecord) => boolean,
  connection: ImportConnection,
): Promise<readonly Exchange[]> {
  if (calls.length < 2) return [];
  const records = calls
    .flatMap((call) => call.records)
    .filter((record) => record.tuple?.Item3 !== false || isOpen(record));
  const owners = new Map<string, SyncRecord>();
  const byId = new Map<number, SyncRecord>();
  for (const { planned, tuple } of records) {
    for (const name of usernamesOf(planned)) owners.set(name, planned);
    if (tuple && tuple.Item1 !== null) byId.set(tuple.Item1, planned);
  }
  const { users } = await findMoves(calls, connection);
  const exchanges: Exchange[] = [];
  for (const { planned, tuple } of records)
    for (const { Operation, Username } of tuple?.Item3 ? (tuple.Item6.Users ?? []) : []) {
      if (Username === null) continue;
      const name = foldUsername(Username);
      if (Operation === 'move') {
        const source = byId.get(users.get(name)?.IRID ?? 0);
        if (source) exchanges.push({ source, target: planned });
      } else if (Operation === 'disable' || Operation === 'delete') {
        const target = owners.get(name);
        if (target) exchanges.push({ source: planned, target });
      }
    }
  return exchanges;
}

/** Returns the usernames of the rows of a record. The record may have others too, which `revise` has added. */
function usernamesOf({ members }: SyncRecord): string[] {
  return rowsOfUsers(members).flatMap(({ user }) => {
    const { Username } = (user ?? {}) as { readonly Username?: unknown };
    return typeof Username === 'string' ? [foldUsername(Username)] : [];
  });
}
