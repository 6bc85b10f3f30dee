import type { FieldErrors } from '../lib/field-errors.ts';
import { within } from '../lib/request-fields.ts';
import { isRegistration, type ParsedRecord } from './parsed-record.ts';

export interface UsernameStore {
  /** Returns the subset of `keys` (mapped usernames) that stored users already have. */
  findTakenUsernames(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Usernames that a record of the call must not use: stored ones, and ones that an earlier valid record claims. */
export class Usernames {
  readonly #store: UsernameStore;
  readonly #claimed = new Set<string>();
  #stored: ReadonlySet<string> = new Set();

  constructor(store: UsernameStore) {
    this.#store = store;
  }

  /** Loads the stored usernames of a group of records. Call it before `refuseTaken` for that group. */
  async lookUp(parsedRecords: readonly ParsedRecord[]): Promise<void> {
    const wanted = new Set(
      parsedRecords.flatMap((parsed) => [...newUsernames(parsed)].map(({ key }) => key)),
    );
    this.#stored = wanted.size > 0 ? await this.#store.findTakenUsernames([...wanted]) : wanted;
  }

  refuseTaken(parsed: ParsedRecord): void {
    const own = new Set<string>();
    for (const { key, place, current } of newUsernames(parsed)) {
      // A user may change the spelling of its username, such as capital letters.
      if (key === current) continue;
      if (this.#stored.has(key)) parsed.errors.add(place, 'USERNAME_TAKEN', { variant: 'stored' });
      else if (this.#claimed.has(key) || own.has(key))
        parsed.errors.add(place, 'USERNAME_TAKEN', { variant: 'call' });
      own.add(key);
    }
  }

  /** Claims the usernames of a valid record. An invalid record must not claim any, since it will not be applied. */
  claim(parsed: ParsedRecord): void {
    for (const { key } of newUsernames(parsed)) this.#claimed.add(key);
  }
}

interface NewUsername {
  readonly key: string;
  readonly place: string;
  /** The mapped username that the user has now; absent for a new user. */
  readonly current?: string | undefined;
}

/** Yields the usernames that the record gives to users. */
function* newUsernames({ users, renames = [] }: ParsedRecord): Generator<NewUsername> {
  for (const item of users) {
    if (isRegistration(item) && item.username)
      yield { key: item.username.key, place: within(item.place, 'Username') };
  }
  for (const { newUsername, place, stored } of renames) {
    if (newUsername)
      yield { key: newUsername.key, place: within(place, 'NewUsername'), current: stored?.usernameKey };
  }
}

export interface ExternalKeyStore {
  findExternalKeys(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

/** External keys that a record of the call must not give to its principal, as `Usernames` for usernames. */
export class ExternalKeys {
  readonly #store: ExternalKeyStore;
  readonly #claimed = new Set<string>();
  #owners: ReadonlyMap<string, number> = new Map();

  constructor(store: ExternalKeyStore) {
    this.#store = store;
  }

  /** Loads the owners of external keys. Call it before `refuseTaken` and `claim` for these keys. */
  async lookUp(keys: readonly string[]): Promise<void> {
    this.#owners = keys.length > 0 ? await this.#store.findExternalKeys(keys) : new Map();
  }

  /** `principalId` is the principal that gets the key; null for a new one. */
  refuseTaken(key: string, place: string, principalId: number | null, errors: FieldErrors): void {
    const owner = this.#owners.get(key);
    if (owner !== undefined && owner !== principalId)
      errors.add(place, 'EXTERNAL_KEY_TAKEN', { variant: 'stored', figures: { id: owner } });
    else if (owner === undefined && this.#claimed.has(key))
      errors.add(place, 'EXTERNAL_KEY_TAKEN', { variant: 'call' });
  }

  claim(key: string): void {
    this.#claimed.add(key);
  }
}
