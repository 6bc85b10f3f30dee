import { required } from '../../lib/required.ts';
import type { PrincipalChange } from './change.ts';
import type { ReservedIds } from './writable-change.ts';
import type { WriteStore } from './write-changes.store.ts';

/** The numbers of rows that a change inserts. */
export interface NewRows {
  readonly principals: number;
  readonly users: number;
}

export function newRows(change: PrincipalChange | null): NewRows {
  return {
    principals: change?.principal.kind === 'insert' ? 1 : 0,
    users: change?.registrations.length ?? 0,
  };
}

/**
 * Reserves the IDs of many changes at once, because each reservation costs a disk write, and before they are written, so
 * that records that are written in parallel are numbered in the order sent.
 */
export async function reserveIds(changes: readonly NewRows[], store: WriteStore): Promise<ReservedIds[]> {
  const total = (rows: keyof NewRows) => changes.reduce((sum, change) => sum + change[rows], 0);
  const [principalIds, userIds] = await Promise.all([
    store.reservePrincipalIds(total('principals')),
    store.reserveUserIds(total('users')),
  ]);
  let principal = 0;
  let user = 0;
  return changes.map(({ principals, users }) => {
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
  const { principals, users } = newRows(change);
  if (users <= reserved.users.length && (principals === 0 || reserved.principal !== null)) return reserved;
  const [ids] = await reserveIds([{ principals, users }], store);
  return required(ids);
}
