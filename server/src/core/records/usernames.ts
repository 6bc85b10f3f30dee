import { within } from '../fields/fields.ts';
import { Turns } from '../turns.ts';
import { type Draft, isRegistration } from './draft.ts';
import type { UserItem } from './user-item.ts';

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
    const turns = new Turns();
    const wanted = new Set<string>();
    for (const draft of drafts) {
      for (const item of draft.users) {
        const key = keyOf(item);
        if (key !== undefined) wanted.add(key);
        if (turns.over) await turns.next();
      }
    }
    this.#stored = wanted.size > 0 ? await this.#store.findTakenUsernames([...wanted]) : wanted;
  }

  async refuseTaken(draft: Draft, turns: Turns): Promise<void> {
    const own = new Set<string>();
    for (const item of draft.users) {
      if (turns.over) await turns.next();
      const key = keyOf(item);
      if (key === undefined) continue;
      const place = within(item.place, 'Username');
      if (this.#stored.has(key)) draft.faults.add(place, 'USERNAME_TAKEN', undefined, 'stored');
      else if (this.#claimed.has(key) || own.has(key))
        draft.faults.add(place, 'USERNAME_TAKEN', undefined, 'call');
      own.add(key);
    }
  }

  /** For a record that is known to be sound: one that will be refused anyway claims nothing. */
  async claim(draft: Draft, turns: Turns): Promise<void> {
    for (const item of draft.users) {
      if (turns.over) await turns.next();
      const key = keyOf(item);
      if (key !== undefined) this.#claimed.add(key);
    }
  }
}

function keyOf(item: UserItem): string | undefined {
  return isRegistration(item) ? item.username?.key : undefined;
}
