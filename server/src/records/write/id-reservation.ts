import { required } from '../parse/parsed-record.ts';
import type { ChangeStore, PrincipalChange, ReservedIds } from './change.ts';

interface IdStore {
  /** Reserves IDs before the writes, so that records written in parallel are numbered in the order sent. */
  reservePrincipalIds(count: number): Promise<readonly number[]>;
  reserveUserIds(count: number): Promise<readonly number[]>;
}

export interface RecordStore extends IdStore, ChangeStore {}

/** The numbers of principals and users that a change inserts. */
export interface IdNeed {
  readonly principals: 0 | 1;
  readonly users: number;
}

export function idsNeededBy(change: PrincipalChange | null): IdNeed {
  return {
    principals: change?.principal.kind === 'insert' ? 1 : 0,
    users: change?.registrations.length ?? 0,
  };
}

/** Reserves the IDs of all records at once, because each reservation costs a disk write. */
export async function reserveIds(needs: readonly IdNeed[], store: IdStore): Promise<ReservedIds[]> {
  const [principalIds, userIds] = await Promise.all([
    store.reservePrincipalIds(needs.reduce((sum, { principals }) => sum + principals, 0)),
    store.reserveUserIds(needs.reduce((sum, { users }) => sum + users, 0)),
  ]);
  const principals = principalIds.values();
  let offset = 0;
  return needs.map((need) => {
    const principal = need.principals === 1 ? required(principals.next().value) : null;
    const users = userIds.slice(offset, offset + need.users);
    offset += need.users;
    return { principal, users };
  });
}
