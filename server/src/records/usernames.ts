import { within } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { isRegistration, type ParsedRecord } from './parsed-record.ts';
import type { UserItem } from './user-item.ts';

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

  /** Loads the stored usernames of a group of records. Call it before `refuseTaken` and `claim` for that group. */
  async lookUp(parsedRecords: readonly ParsedRecord[]): Promise<void> {
    const timeSlice = new TimeSlice();
    const wanted = new Set<string>();
    for (const parsed of parsedRecords) {
      for (const item of parsed.users) {
        const key = keyOf(item);
        if (key !== undefined) wanted.add(key);
        if (timeSlice.isOver) await timeSlice.yield();
      }
    }
    this.#stored = wanted.size > 0 ? await this.#store.findTakenUsernames([...wanted]) : wanted;
  }

  async refuseTaken(parsed: ParsedRecord, timeSlice: TimeSlice): Promise<void> {
    const own = new Set<string>();
    for (const item of parsed.users) {
      if (timeSlice.isOver) await timeSlice.yield();
      const key = keyOf(item);
      if (key === undefined) continue;
      const place = within(item.place, 'Username');
      if (this.#stored.has(key)) parsed.errors.add(place, 'USERNAME_TAKEN', undefined, 'stored');
      else if (this.#claimed.has(key) || own.has(key))
        parsed.errors.add(place, 'USERNAME_TAKEN', undefined, 'call');
      own.add(key);
    }
  }

  /** Claims the usernames of a valid record. An invalid record must not claim any, since it will not be applied. */
  async claim(parsed: ParsedRecord, timeSlice: TimeSlice): Promise<void> {
    for (const item of parsed.users) {
      if (timeSlice.isOver) await timeSlice.yield();
      const key = keyOf(item);
      if (key !== undefined) this.#claimed.add(key);
    }
  }
}

function keyOf(item: UserItem): string | undefined {
  return isRegistration(item) ? item.username?.key : undefined;
}
