import { ApiError } from '../../lib/field-errors.ts';
import type { CheckStore } from '../check/check.store.ts';
import { bytesPerUser } from '../check/memory-estimates.ts';
import type { CallOptions, CheckTools } from '../check/operation.ts';
import type { StoredPrincipal } from '../fields/compared-values.ts';
import type { ComparedRecord, RemovedUser } from './upsert-change.ts';

export interface RemovalLimits {
  /** Maximum number of users in a record, and of those that it may disable or delete besides. */
  readonly maxRecordUsers: number;
  /** Maximum number of users that a call may disable or delete, because all of them are kept in memory. */
  readonly maxRemoved: number;
}

/** The users that a record does not contain. */
interface MissingOfRecord {
  readonly removed: RemovedUser[];
  /** The mapped usernames of those that stay, because other records of the call contain them. */
  readonly namedElsewhere: string[];
}

/** Finds the stored users that the records of a call do not contain, if they are to be disabled or deleted. */
export class MissingUsers {
  readonly #store: CheckStore;
  readonly #option: CallOptions['missing'];
  readonly #limits: RemovalLimits;
  readonly #tools: CheckTools;
  #removed = 0;

  constructor(store: CheckStore, { missing }: CallOptions, limits: RemovalLimits, tools: CheckTools) {
    this.#store = store;
    this.#option = missing;
    this.#limits = limits;
    this.#tools = tools;
  }

  /** Returns the users that the valid records remove. Adds an error to a record that would remove too many. */
  async find(
    records: readonly ComparedRecord[],
    isNamedElsewhere: (usernameKey: string) => boolean,
  ): Promise<ReadonlyMap<ComparedRecord, MissingOfRecord>> {
    const removed = new Map<ComparedRecord, MissingOfRecord>();
    if (this.#option === 'keep') return removed;
    const byPrincipal = new Map<number, ComparedRecord>();
    const principals: StoredPrincipal[] = [];
    const sent = new Set<string>();
    const { maxRecordUsers, maxRemoved } = this.#limits;
    let expected = 0;
    for (const record of records) {
      const { parsed, stored, users } = record;
      if (!stored || parsed.users === null || !parsed.errors.none) continue;
      const missing =
        stored.usersCount - users.filter((user) => user.stored !== null && !user.isMoved).length;
      if (missing === 0) continue;
      // The number of users to disable is known only after they are read, because some may be disabled already.
      if (this.#option === 'delete' && missing > maxRecordUsers) {
        this.#refuse(record);
        continue;
      }
      expected += Math.min(missing, maxRecordUsers);
      principals.push(stored);
      byPrincipal.set(stored.id, record);
      removed.set(record, { removed: [], namedElsewhere: [] });
      for (const { username } of parsed.users) if (username) sent.add(username.key);
    }
    if (principals.length === 0) return removed;
    if (this.#option === 'delete') this.#limitRemoved(this.#removed + expected);
    this.#tools.holdMemory?.(Math.min(expected, maxRemoved) * bytesPerUser);
    // Among so many users of a principal are too many that its record does not contain.
    const options = { activeOnly: this.#option === 'disable', limit: 2 * maxRecordUsers + 1 };
    for await (const users of this.#store.usersOfPrincipals(principals, options)) {
      for (const { id, username, email, principalId, usernameKey } of users) {
        const record = byPrincipal.get(principalId);
        const own = record && removed.get(record);
        if (!own || sent.has(usernameKey)) continue;
        if (isNamedElsewhere(usernameKey)) own.namedElsewhere.push(usernameKey);
        else if (own.removed.length < maxRecordUsers) {
          own.removed.push({ id, username, email });
          this.#limitRemoved(++this.#removed);
        } else {
          this.#removed -= own.removed.length;
          removed.delete(record);
          this.#refuse(record);
        }
      }
    }
    return removed;
  }

  #refuse({ parsed }: ComparedRecord): void {
    const figures = { users: this.#limits.maxRecordUsers };
    parsed.errors.add('Users', 'RECORD_TOO_LARGE', { variant: 'removals', figures });
  }

  #limitRemoved(count: number): void {
    const { maxRemoved: users } = this.#limits;
    if (count > users) throw new ApiError('BATCH_TOO_LARGE', { variant: 'removals', figures: { users } });
  }
}
