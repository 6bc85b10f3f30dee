import { ApiError } from '../lib/field-errors.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { StoredPrincipal } from './compared-values.ts';
import type { CheckTools, UpsertOptions } from './operation.ts';
import type { ParsedUpsert } from './parsed-upsert.ts';
import type { RemovedUser } from './upsert-diff.ts';

/** Memory in bytes that a user to remove needs until its record is written. */
const bytesPerUser = 600;

/** A stored user of a principal that a record contains. */
export interface OwnUser {
  readonly id: number;
  readonly principalId: number;
  readonly username: string;
  readonly usernameKey: string;
  readonly email: string | null;
}

export interface MissingUserStore {
  /** Yields the users of principals, in pieces. `activeOnly` leaves out disabled users. */
  usersOfPrincipals(
    principals: readonly StoredPrincipal[],
    options: { activeOnly: boolean },
  ): AsyncIterable<readonly OwnUser[]>;
}

interface Limits {
  /** Maximum number of users that a call may disable or delete. */
  readonly max: number;
  readonly holdMemory: CheckTools['holdMemory'];
}

/** Finds the stored users that the records of a call do not contain, if they are to be disabled or deleted. */
export class MissingUsers {
  readonly #store: MissingUserStore;
  readonly #option: UpsertOptions['missing'];
  readonly #limits: Limits;
  #removed = 0;

  constructor(store: MissingUserStore, { missing }: UpsertOptions, limits: Limits) {
    this.#store = store;
    this.#option = missing;
    this.#limits = limits;
  }

  /** Adds the users to the differences of the valid records. Only those that are removed stay in memory. */
  async addTo(parsedRecords: readonly ParsedUpsert[], timeSlice: TimeSlice): Promise<void> {
    if (this.#option === 'keep') return;
    const removed = new Map<number, RemovedUser[]>();
    const principals: StoredPrincipal[] = [];
    const sent = new Set<string>();
    let expected = 0;
    for (const { diff, items } of parsedRecords) {
      if (!diff?.stored || items === null) continue;
      const found = diff.users.filter(({ stored }) => stored !== null).length;
      if (found === diff.stored.usersCount) continue;
      expected += diff.stored.usersCount - found;
      principals.push(diff.stored);
      removed.set(diff.stored.id, []);
      for (const { username } of items) if (username) sent.add(username.key);
    }
    if (principals.length === 0) return;
    // The number of users to disable is known only after they are read, because some may be disabled already.
    if (this.#option === 'delete') this.#refuseAbove(this.#removed + expected);
    this.#limits.holdMemory?.(Math.min(expected, this.#limits.max) * bytesPerUser);
    const activeOnly = this.#option === 'disable';
    for await (const users of this.#store.usersOfPrincipals(principals, { activeOnly })) {
      for (const user of users) {
        if (timeSlice.isOver) await timeSlice.yield();
        if (sent.has(user.usernameKey)) continue;
        this.#refuseAbove(++this.#removed);
        const { id, username, email } = user;
        removed.get(user.principalId)?.push({ id, username, email });
      }
    }
    for (const parsed of parsedRecords) {
      const own = removed.get(parsed.diff?.stored?.id ?? 0);
      if (parsed.diff && own && parsed.items !== null) parsed.diff = { ...parsed.diff, removed: own };
    }
  }

  #refuseAbove(count: number): void {
    const { max: users } = this.#limits;
    if (count > users) throw new ApiError('BATCH_TOO_LARGE', { variant: 'removals', figures: { users } });
  }
}
