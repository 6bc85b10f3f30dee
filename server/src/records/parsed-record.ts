import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent } from '../lib/request-fields.ts';
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

/** Parses the users of a record. */
export async function readUsers<Item>(
  value: unknown,
  readItem: (value: unknown, place: string, errors: FieldErrors) => Item | null,
  errors: FieldErrors,
  timeSlice: TimeSlice,
): Promise<Item[]> {
  const items: Item[] = [];
  if (isAbsent(value)) return items;
  if (!Array.isArray(value)) {
    errors.add('Users', 'WRONG_TYPE', { variant: 'array' });
    return items;
  }
  for (const [position, user] of value.entries()) {
    const item = readItem(user, `Users[${position}]`, errors);
    if (item) items.push(item);
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
