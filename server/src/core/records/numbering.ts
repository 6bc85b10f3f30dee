import { type Draft, isRegistration, required } from './draft.ts';
import type { Numbers } from './operation.ts';

export interface NumberingStore {
  /** IDs set aside, so that what is written side by side is numbered in the order sent. */
  reservePrincipalIds(count: number): Promise<readonly number[]>;
  reserveUserIds(count: number): Promise<readonly number[]>;
}

/** Sets IDs aside for the registrations of the drafts and, where they are to be inserted, for their principals. */
export async function numberDrafts<D extends Draft>(
  drafts: readonly D[],
  store: NumberingStore,
  options: { principals: boolean },
): Promise<Map<D, Numbers>> {
  const registrations = drafts.map((draft) => draft.users.filter(isRegistration).length);
  const [principalIds, userIds] = await Promise.all([
    store.reservePrincipalIds(options.principals ? drafts.length : 0),
    store.reserveUserIds(registrations.reduce((sum, count) => sum + count, 0)),
  ]);
  const numbers = new Map<D, Numbers>();
  let taken = 0;
  for (const [position, draft] of drafts.entries()) {
    const users = userIds.slice(taken, taken + required(registrations[position]));
    taken += users.length;
    numbers.set(draft, { principal: principalIds[position] ?? null, users });
  }
  return numbers;
}
