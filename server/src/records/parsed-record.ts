import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent } from '../lib/request-fields.ts';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { NewUser, Registration, UserItem } from './user-item.ts';

/** A parsed but unapplied record of a call. Values that could not be parsed are null and have an error in `errors`. */
export interface ParsedRecord {
  /** The principal ID from the request, for the answer; null if it is absent or no integer. */
  readonly sentId: number | null;
  readonly users: readonly UserItem[];
  readonly errors: FieldErrors;
}

/** Fields that the API adds to failed records for people to read. They are ignored when a record is sent again. */
export const ignoredFields = ['FieldErrors', 'Position'];

type ReadItem<Item extends UserItem> = (value: unknown, place: string, errors: FieldErrors) => Item | null;

/** Parses the users and removes them from the array `value`, so that 100,000 users are not held in memory twice. */
export async function readUsers<Item extends UserItem>(
  value: unknown,
  readItem: ReadItem<Item>,
  errors: FieldErrors,
  timeSlice: TimeSlice,
): Promise<Item[]> {
  const items: Item[] = [];
  if (isAbsent(value)) return items;
  if (!Array.isArray(value)) {
    errors.add('Users', 'WRONG_TYPE', undefined, 'array');
    return items;
  }
  for (const [position, element] of value.entries()) {
    const item = readItem(element, `Users[${position}]`, errors);
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
  passwordHash: string | undefined,
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
