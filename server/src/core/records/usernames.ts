import { within } from '../fields/fields.ts';
import { type Draft, isRegistration } from './draft.ts';

export interface UsernameStore {
  /** Those of the mapped usernames that some user has already. */
  findTakenUsernames(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The usernames that a record cannot have: those stored, and those that an earlier record of the call claims. */
export class Usernames {
  readonly #taken: Set<string>;

  private constructor(taken: ReadonlySet<string>) {
    this.#taken = new Set(taken);
  }

  static async lookUp(drafts: readonly Draft[], store: UsernameStore): Promise<Usernames> {
    const wanted = new Set(drafts.flatMap(keysOf));
    return new Usernames(wanted.size > 0 ? await store.findTakenUsernames([...wanted]) : wanted);
  }

  refuseTaken(draft: Draft): void {
    const own = new Set<string>();
    for (const item of draft.users) {
      const key = isRegistration(item) ? item.username?.key : undefined;
      if (key === undefined) continue;
      if (this.#taken.has(key) || own.has(key))
        draft.faults.add(within(item.place, 'Username'), 'USERNAME_TAKEN');
      own.add(key);
    }
  }

  /** For a record that is known to be sound: one that will be refused anyway claims nothing. */
  claim(draft: Draft): void {
    for (const key of keysOf(draft)) this.#taken.add(key);
  }
}

function keysOf(draft: Draft): string[] {
  return draft.users.flatMap((item) => (isRegistration(item) && item.username ? [item.username.key] : []));
}
