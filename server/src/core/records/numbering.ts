import { type Draft, isRegistration } from './draft.ts';
import type { Numbers } from './operation.ts';

export interface NumberingStore {
  /** IDs set aside, so that what is written side by side is numbered in the order sent. */
  reservePrincipalIds(count: number): Promise<readonly number[]>;
  reserveUserIds(count: number): Promise<readonly number[]>;
}

/** How many IDs a record takes for what it creates. */
export interface Need {
  readonly principals: 0 | 1;
  readonly users: number;
}

export function registrationsOf(draft: Draft): number {
  return draft.users.filter(isRegistration).length;
}

/** Sets aside what records need, for all of them at once: each time costs a write to the disk. */
export async function setAside(needs: readonly Need[], store: NumberingStore): Promise<Numbers[]> {
  const [principalIds, userIds] = await Promise.all([
    store.reservePrincipalIds(needs.reduce((sum, { principals }) => sum + principals, 0)),
    store.reserveUserIds(needs.reduce((sum, { users }) => sum + users, 0)),
  ]);
  const principals = principalIds.values();
  let taken = 0;
  return needs.map((need) => {
    const principal = need.principals === 1 ? (principals.next().value ?? null) : null;
    const users = userIds.slice(taken, taken + need.users);
    taken += need.users;
    return { principal, users };
  });
}
