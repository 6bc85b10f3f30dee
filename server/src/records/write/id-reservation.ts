import { required } from '../../lib/required.ts';
import { type PrincipalChange, usersTo } from './change.ts';
import type { ReservedIds } from './writable-change.ts';
import type { WriteStore } from './write-changes.store.ts';

/**
 * Reserves the IDs of many changes at once, because each reservation costs a disk write, and before they are written, so
 * that records that are written in parallel are numbered in the order sent.
 */
export async function reserveIds(
  changes: readonly (PrincipalChange | null)[],
  store: WriteStore,
): Promise<ReservedIds[]> {
  const rows = changes.map(insertedRows);
  const [principalIds, userIds] = await Promise.all([
    store.reservePrincipalIds(rows.reduce((sum, { principals }) => sum + principals, 0)),
    store.reserveUserIds(rows.reduce((sum, { users }) => sum + users, 0)),
  ]);
  let principal = 0;
  let user = 0;
  return rows.map(({ principals, users }) => {
    const principalId = principals > 0 ? required(principalIds[principal]) : null;
    const ids = { principal: principalId, users: userIds.slice(user, user + users) };
    principal += principals;
    user += users;
    return ids;
  });
}

/** Returns the reserved IDs, or others if a change that was checked again inserts more than before. */
export async function enoughIds(
  change: PrincipalChange,
  reserved: ReservedIds,
  store: WriteStore,
): Promise<ReservedIds> {
  const { principals, users } = insertedRows(change);
  if (users <= reserved.users.length && (principals === 0 || reserved.principal !== null)) return reserved;
  const [ids] = await reserveIds([change], store);
  return required(ids);
}

/** Returns the numbers of principals and users that a change inserts; none for a refused record. */
function insertedRows(change: PrincipalChange | null) {
  const principals = change?.principal.kind === 'insert' ? 1 : 0;
  return { principals, users: change ? usersTo(change, 'register').length : 0 };
}
