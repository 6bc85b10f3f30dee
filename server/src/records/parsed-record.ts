import { LargeList } from '../json/large-list.ts';
import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, usersOf } from '../lib/request-fields.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { Edit, NewUser, Registration, UserItem } from './user-item.ts';

/** The effect of a checked record on the store, for operations that compute it before the record is written. */
export interface RecordEffect {
  /** Number of users that would be disabled or deleted because the record does not contain them. */
  readonly removals: number;
  /** Number of users that are stored under the principal; 0 if the record removes none, whichever users it contains. */
  readonly storedUsers: number;
  /** Returns a digest of the effect and of the stored values that it depends on. */
  tag(timeSlice: TimeSlice): Promise<string>;
}

/** A parsed but unapplied record of a call. Values that could not be parsed are null and have an error in `errors`. */
export interface ParsedRecord {
  /** The principal ID from the request, for the answer; null if it is absent or no integer. */
  readonly sentId: number | null;
  /** The external key from the request; null or absent if there is no valid one. */
  readonly externalKey?: string | null;
  /** The users whose passwords are written. A check may replace the list, if it depends on stored users. */
  readonly users: readonly UserItem[];
  /** The edits that change a username. */
  readonly renames?: readonly Edit[];
  readonly errors: FieldErrors;
  /** The effect that the checks have computed for a valid record; absent if the operation has no plan. */
  readonly effect?: RecordEffect | null;
  /**
   * The effect that the review of the call has approved: its tag if the call was sent with a plan, otherwise the number
   * of removals, such as `removals 3`. Null: any effect is accepted.
   */
  approved?: string | null;
}

/** Fields that the API adds to failed records for people to read. They are ignored when a record is sent again. */
export const ignoredFields = ['FieldErrors', 'Position'];

/** A sent user that can be parsed again, so that its values need not stay in memory. */
export interface ItemSource {
  readonly list: LargeList;
  /** Zero-based index of the user in the record. */
  readonly position: number;
  readonly start: number;
  readonly end: number;
}

type ReadItem<Item> = (
  value: unknown,
  place: string,
  errors: FieldErrors,
  source: ItemSource | null,
) => Item | null;

/** Returns true if `Users` is an array that is not empty. */
export function hasUsers(fields: Fields): boolean {
  return fields.Users instanceof LargeList || usersOf(fields).length > 0;
}

/**
 * Parses the users and removes them from the array `value`, so that 100,000 users are not held in memory twice. If
 * `value` is a `LargeList`, `readItem` also gets the source of each small item.
 */
export async function readUsers<Item>(
  value: unknown,
  readItem: ReadItem<Item>,
  errors: FieldErrors,
  timeSlice: TimeSlice,
): Promise<Item[]> {
  const items: Item[] = [];
  if (isAbsent(value)) return items;
  if (value instanceof LargeList) {
    let position = 0;
    for (const range of value.ranges()) {
      if (timeSlice.isOver) await timeSlice.yield();
      if (range === null) continue;
      const source = value.isSmall(range) ? { list: value, position, ...range } : null;
      const sent = source
        ? value.parseSmall(range.start, range.end)
        : await value.parseLarge(range, timeSlice);
      const item = readItem(sent, `Users[${position}]`, errors, source);
      if (item) items.push(item);
      position++;
    }
    return items;
  }
  if (!Array.isArray(value)) {
    errors.add('Users', 'WRONG_TYPE', undefined, 'array');
    return items;
  }
  for (let position = 0; position < value.length; position++) {
    const item = readItem(value[position], `Users[${position}]`, errors, null);
    if (item) items.push(item);
    value[position] = undefined;
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return items;
}

export function sentIdOf(fields: Fields): number | null {
  return Number.isSafeInteger(fields.ID) ? (fields.ID as number) : null;
}

export function isRegistration(item: UserItem): item is Registration {
  return item.operation === 'register';
}

export function newUser(
  item: Registration,
  id: number | undefined,
  passwordHash: string | null | undefined,
): NewUser {
  const { asSent: username, key: usernameKey } = required(item.username);
  return {
    operation: 'register',
    id: required(id),
    username,
    usernameKey,
    fields: item.fields,
    passwordHash: required(passwordHash),
  };
}

/** Returns a value of a valid record. A missing value is a bug, because the parser would have added a field error. */
export function required<Part>(part: Part | null | undefined): Part {
  if (part === null || part === undefined) throw new Error('a required value of a valid record is missing');
  return part;
}
