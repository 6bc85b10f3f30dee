import type { Database } from '../../db/database.ts';
import { storeWithApiErrors } from '../../db/errors.ts';
import { preparedStatement, type Query } from '../../db/statement.ts';
import { appendAuditRows, auditDeletions } from './audit-rows.store.ts';
import { isUnchanged, takesLong, usersTo } from './change.ts';
import { eraseValues } from './changed-values.store.ts';
import { eraseFailedRecords } from './erasure.store.ts';
import { deleteMerged, keepAliases, restoreAliases } from './merges.store.ts';
import { storeCalls, storeOutcomes } from './outcomes.store.ts';
import { endCodes, inviteUsers } from './password-codes.store.ts';
import { eraseHistory, keepHistory } from './password-history.store.ts';
import {
  countMovedUsers,
  deletePrincipals,
  editPrincipals,
  insertPrincipals,
  touchPrincipals,
} from './principals.store.ts';
import { countPrincipals, countUsers } from './row-counts.store.ts';
import { endSessions, forgetSignIns } from './sign-ins.store.ts';
import { isCurrent, lockRows, readVersions, type StoredRows, storedRows } from './stored-rows.store.ts';
import { deleteUsers, editUsers, insertUsers, moveUsers, resetPasswords } from './users.store.ts';
import type { WritableChange } from './writable-change.ts';

// Writes changes in groups. Every transaction takes its locks in the order of its statements: principals by ID, users by
// ID, new external keys, new usernames, row counts, failed records, calls, outcomes. If two transactions wait for each
// other all the same, because each takes a name that the other has just given up, PostgreSQL ends one of them, which is
// repeated.

/** The longest wait of a group for a name that another transaction takes. Its records are then written alone. */
const groupLockMs = 1000;

/** Writes the changes of records. */
export type WriteStore = ReturnType<typeof openWriteStore>;

/** `passwordsKept` is the number of earlier passwords of a user that are stored. */
export function openWriteStore(database: Database, passwordsKept: number) {
  return {
    ...storeWithApiErrors({
      reservePrincipalIds: (count: number) => reserveIds(database, 'anagrafe.principals_id_seq', count),
      reserveUserIds: (count: number) => reserveIds(database, 'anagrafe.users_id_seq', count),
    }),
    /**
     * Writes a group of changes of different principals in one transaction. Returns whether each was written: it is
     * written as a whole or, if the store is no longer as the checks found it, not at all. Throws a `WriteFailure` if
     * nothing was written, or if it is unknown whether anything was.
     */
    async writeChanges(changes: readonly WritableChange[]): Promise<readonly boolean[]> {
      const [unchanged, locked] = partition(changes, isUnchanged);
      const isGroup = changes.length > 1;
      let current: ReadonlySet<WritableChange> = new Set(changes);
      await database.lockAndWrite({
        locks: [...readVersions(unchanged), ...lockRows(locked, { isGroup })],
        writes(rows) {
          const stored = storedRows(rows);
          current = new Set(changes.filter((change) => isCurrent(change, stored)));
          return writesOf([...current], stored, passwordsKept);
        },
        lockMs: isGroup ? groupLockMs : null,
        patient: changes.some(takesLong),
      });
      return changes.map((change) => current.has(change));
    },
  };
}

/** Returns the statements that the group needs, in the order of their locks. */
function writesOf(changes: readonly WritableChange[], stored: StoredRows, passwordsKept: number): Query[] {
  const changed = changes.filter((change) => !isUnchanged(change));
  // The others have new users alone.
  const existing = changed.filter(
    (change) => change.principal.kind !== 'insert' || usersTo(change, 'move').length > 0,
  );
  return [
    ...insertPrincipals(changed),
    ...keepAliases(existing),
    ...editPrincipals(existing),
    ...restoreAliases(existing),
    ...touchPrincipals(existing),
    ...countMovedUsers(existing),
    ...insertUsers(changed),
    ...moveUsers(existing),
    ...keepHistory(existing, passwordsKept),
    ...resetPasswords(existing),
    ...editUsers(existing),
    ...endSessions(existing),
    ...forgetSignIns(existing),
    ...endCodes(existing),
    ...inviteUsers(changed),
    ...countUsers(changed),
    ...countPrincipals(changed),
    ...appendAuditRows(changed),
    ...auditDeletions(existing),
    ...eraseValues(existing),
    ...eraseFailedRecords(existing, stored),
    ...eraseHistory(existing),
    ...deleteUsers(existing),
    ...deletePrincipals(existing),
    ...deleteMerged(existing),
    ...storeCalls(changes),
    ...storeOutcomes(changes),
  ];
}

/** Returns ranges: one, unless another session draws from the sequence at the same time. */
const nextIds = preparedStatement(
  'next ids',
  `with taken as materialized (
     select nextval(:sequence::regclass) as id, place from generate_series(1, :count::integer) as place
   )
   select min(id) as first, max(id) as last from taken group by id - place order by first`,
);

async function reserveIds(database: Database, sequence: string, count: number): Promise<number[]> {
  if (count === 0) return [];
  const ranges = await database.execute<{ first: number; last: number }>(nextIds, { sequence, count });
  return ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at));
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
