import { within } from '../fields/fields.ts';
import { type Draft, isRegistration } from './draft.ts';

export interface UsernameStore {
  /** Those of the mapped usernames that some user has already. */
  findTakenUsernames(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The usernames that a record of a call cannot have: those stored, and those that an earlier record claims. */
export class Usernames {
  readonly #store: UsernameStore;
  readonly #claimed = new Set<string>();
  #stored: ReadonlySet<string> = new Set();

  constructor(store: UsernameStore) {
    this.#store = store;
  }

  /** To be asked for the drafts that come next, before anything else. */
  async lookUp(drafts: readonly Draft[]): Promise<void> {
    const wanted = new Set(drafts.flatMap(keysOf));
    this.#stored = wanted.size > 0 ? await this.#store.findTakenUsernames([...wanted]) : wanted;
  }

  refuseTaken(draft: Draft): void {
    const own = new Set<string>();
    for (const item of draft.users) {
      const key = isRegistration(item) ? item.username?.key : undefined;
      if (key === undefined) continue;
      if (this.#stored.has(key) || this.#claimed.has(key) || own.has(key))
        draft.faults.add(within(item.place, 'Username'), 'USERNAME_TAKEN');
      own.add(key);
    }
  }

  /** For a record that is known to be sound: one that will be refused anyway claims nothing. */
  claim(draft: Draft): void {
    for (const key of keysOf(draft)) this.#claimed.add(key);
  }
}

function keysOf(draft: Draft): string[] {
  return draft.users.flatMap((item) => (isRegistration(item) && item.username ? [item.username.key] : []));
}
