import type { Faults } from '../faults.ts';
import { isAbsent } from '../fields/fields.ts';
import type { Pace } from './pace.ts';
import type { Registration, UserItem } from './user-item.ts';

/** One element of a call, read and checked as far as it goes, on its way to be applied or refused. */
export interface Draft {
  /** The ID as sent, for the answer; null where there was none or it was no integer. */
  readonly sentId: number | null;
  readonly users: readonly UserItem[];
  readonly faults: Faults;
}

type ReadItem<Item extends UserItem> = (value: unknown, place: string, faults: Faults) => Item | null;

export async function readUsers<Item extends UserItem>(
  value: unknown,
  readItem: ReadItem<Item>,
  faults: Faults,
  pace: Pace,
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
    if (pace.due) await pace.rest();
  }
  return items;
}

export function isRegistration(item: UserItem): item is Registration {
  return item.operation === 'register';
}

/** A part of a draft without faults: had it not been read, there would be a fault. */
export function sound<Part>(part: Part | null | undefined): Part {
  if (part === null || part === undefined) throw new Error('a draft without faults lacks a part');
  return part;
}
