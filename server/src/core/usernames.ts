import { type Draft, isRegistration } from './draft.ts';
import { within } from './fields.ts';

export interface UsernameStore {
  /** Those of the mapped usernames that some user has already. */
  findTakenUsernames(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * Notes a fault for every username that is stored already, or that an earlier user of the call claims.
 * Comes last among the checks: a record with other faults will not be applied, and claims nothing.
 */
export async function claimUsernames(drafts: readonly Draft[], store: UsernameStore): Promise<void> {
  const keys = new Set(
    drafts.flatMap((draft) => draft.users.filter(isRegistration).map((item) => item.username?.key)),
  );
  const wanted = [...keys].filter((key) => key !== undefined);
  if (wanted.length === 0) return;
  const taken = new Set(await store.findTakenUsernames(wanted));
  for (const draft of drafts) {
    const own = new Set<string>();
    for (const item of draft.users) {
      if (!isRegistration(item) || !item.username) continue;
      const { key } = item.username;
      if (taken.has(key) || own.has(key)) draft.faults.add(within(item.place, 'Username'), 'USERNAME_TAKEN');
      own.add(key);
    }
    if (draft.faults.none) for (const key of own) taken.add(key);
  }
}
