import { required } from '../../lib/required.ts';
import type { PrincipalChange } from './change.ts';
import type { ChangeStore, ReservedIds } from './writable-change.ts';

export interface IdStore {
  /** Reserves IDs before the writes, so that records written in parallel are numbered in the order sent. */
  reservePrincipalIds(count: number): Promise<readonly number[]>;
  reserveUserIds(count: number): Promise<readonly number[]>;
}

export interface RecordStore extends IdStore, ChangeStore {}

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

/** Reserves the IDs of many changes at once, because each reservation costs a disk write. */
export async function reserveIds(changes: readonly NewRows[], store: IdStore): Promise<ReservedIds[]> {
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
  store: IdStore,
): Promise<ReservedIds> {
  const { principals, users } = newRows(change);
  if (users <= reserved.users.length && (principals === 0 || reserved.principal !== null)) return reserved;
  const [ids] = await reserveIds([{ principals, users }], store);
  return required(ids);
}
