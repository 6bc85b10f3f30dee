import type { Faults } from '../faults.ts';
import { type Fields, isAbsent } from '../fields/fields.ts';
import type { Turns } from '../turns.ts';
import type { NewPassword, NewUser, Registration, Reset, UserItem } from './user-item.ts';

/** One element of a call, read and checked as far as it goes, on its way to be applied or refused. */
export interface Draft {
  /** The ID as sent, for the answer; null where there was none or it was no integer. */
  readonly sentId: number | null;
  readonly users: readonly UserItem[];
  readonly faults: Faults;
}

/** What the retry kit puts beside a record for people; it may stay there when the record is sent again. */
export const passedOver = ['Faults', 'Position'];

type ReadItem<Item extends UserItem> = (value: unknown, place: string, faults: Faults) => Item | null;

/** Takes the users out of what was sent: it holds none of them afterwards. */
export async function readUsers<Item extends UserItem>(
  value: unknown,
  readItem: ReadItem<Item>,
  faults: Faults,
  turns: Turns,
): Promise<Item[]> {
  const items: Item[] = [];
  if (isAbsent(value)) return items;
  if (!Array.isArray(value)) {
    faults.add('Users', 'WRONG_TYPE', undefined, 'array');
    return items;
  }
  for (const [position, element] of value.entries()) {
    const item = readItem(element, `Users[${position}]`, faults);
    if (item) items.push(item);
    // So that a hundred thousand of them do not stand in memory twice.
    value[position] = undefined;
    if (turns.over) await turns.next();
  }
  return items;
}

/** The ID of a record for its answer; null where there was none or it was no integer. */
export function sentIdOf(fields: Fields): number | null {
  return Number.isSafeInteger(fields.ID) ? (fields.ID as number) : null;
}

export function isRegistration(item: UserItem): item is Registration {
  return item.operation === 'register';
}

/** What a registration of a draft without faults stores. */
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
    email: item.email,
    passwordHash: required(passwordHash),
  };
}

export function newPassword(item: Reset, passwordHash: string | undefined): NewPassword {
  return { operation: 'reset', id: required(item.id), passwordHash: required(passwordHash) };
}

/** A part of a draft without faults: had it not been read, there would be a fault. */
export function required<Part>(part: Part | null | undefined): Part {
  if (part === null || part === undefined) throw new Error('a draft without faults lacks a part');
  return part;
}
