import type { FieldErrors } from '../lib/field-errors.ts';
import { within } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { isRegistration, type ParsedRecord } from './parsed-record.ts';

export interface UsernameStore {
  /** Returns the subset of `keys` (mapped usernames) that stored users already have. */
  findTakenUsernames(keys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Maximum number of usernames that are looked up at a time. */
const namesAtOnce = 2000;

/** Usernames that a record of the call must not use: stored ones, and ones that an earlier valid record claims. */
export class Usernames {
  readonly #store: UsernameStore;
  #claimed = new Set<string>();
  /** The usernames of new users in the record that was checked last. */
  #checked: { readonly parsed: ParsedRecord; readonly keys: Set<string> } | null = null;
  #stored: ReadonlySet<string> = new Set();

  constructor(store: UsernameStore) {
    this.#store = store;
  }

  /** Loads the stored usernames of a group of records. Call it before `refuseTaken` and `claim` for that group. */
  async lookUp(parsedRecords: readonly ParsedRecord[]): Promise<void> {
    const timeSlice = new TimeSlice();
    const stored = new Set<string>();
    const wanted = new Set<string>();
    const lookUpWanted = async () => {
      for (const key of await this.#store.findTakenUsernames([...wanted])) stored.add(key);
      wanted.clear();
    };
    for (const parsed of parsedRecords) {
      for (const { key } of newUsernames(parsed)) {
        wanted.add(key);
        if (wanted.size >= namesAtOnce) await lookUpWanted();
        if (timeSlice.isOver) await timeSlice.yield();
      }
    }
    if (wanted.size > 0) await lookUpWanted();
    this.#stored = stored;
  }

  async refuseTaken(parsed: ParsedRecord, timeSlice: TimeSlice): Promise<void> {
    const own = new Set<string>();
    this.#checked = { parsed, keys: own };
    for (const { key, place, current } of newUsernames(parsed)) {
      if (timeSlice.isOver) await timeSlice.yield();
      // A user may change the spelling of its username, such as capital letters.
      if (key === current) continue;
      if (this.#stored.has(key)) parsed.errors.add(place, 'USERNAME_TAKEN', undefined, 'stored');
      else if (this.#claimed.has(key) || own.has(key))
        parsed.errors.add(place, 'USERNAME_TAKEN', undefined, 'call');
      own.add(key);
    }
  }

  /** Claims the usernames of a valid record. An invalid record must not claim any, since it will not be applied. */
  async claim(parsed: ParsedRecord, timeSlice: TimeSlice): Promise<void> {
    // A second set of 100,000 usernames would take several megabytes.
    const ownKeys = this.#checked?.parsed === parsed && !parsed.renames?.length ? this.#checked.keys : null;
    this.#checked = null;
    if (ownKeys && this.#claimed.size === 0) {
      this.#claimed = ownKeys;
      return;
    }
    for (const { key } of newUsernames(parsed)) {
      if (timeSlice.isOver) await timeSlice.yield();
      this.#claimed.add(key);
    }
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
      errors.add(place, 'EXTERNAL_KEY_TAKEN', { id: owner }, 'stored');
    else if (owner === undefined && this.#claimed.has(key))
      errors.add(place, 'EXTERNAL_KEY_TAKEN', undefined, 'call');
  }

  claim(key: string): void {
    this.#claimed.add(key);
  }
}
