import { columnText, isTags } from '../fields/fields.ts';
import type { Outcome } from '../write/outcome.ts';

// What the records of a call need in memory, in bytes. A call reserves it before it takes it; see `WriteCall.holdMemory`.

/** The size of a call: of its body in bytes, and the numbers of its records and users. */
interface CallSize {
  readonly bytes: number;
  readonly count: number;
  readonly users: number;
}

/**
 * Estimates the memory in bytes that a call needs besides its body, until it is answered. A job and a dry run are checked
 * in groups, and keep outcomes and failed records; a synchronous call is checked as a whole. The figures are resident
 * memory, measured with 100,000 records and users; a part of it waits for a garbage collection.
 */
export function workingMemory({ bytes, count, users }: CallSize, checked: 'in groups' | 'whole'): number {
  return (bytes + count * 1536 + users * 1024) * (checked === 'whole' ? 3 : 1);
}

/** The memory for a stored user that is removed or moved, until its record is written. */
export const bytesPerUser = 600;
/** The memory for the forms of a new principal, which are compared with those of others, until the end of the call. */
export const bytesPerPrincipal = 1000;
/** The memory for a username of the call. */
export const bytesPerUsername = 150;

/** Returns the memory in bytes of the stored values that an outcome shows. A character takes up to two bytes. */
export function shownBytes({ changes = [], users }: Outcome): number {
  const shown = [changes, ...users.map((user) => user.changes ?? [])].flat();
  return shown.reduce((bytes, { from }) => {
    const text = from === null || typeof from === 'string' || isTags(from) ? columnText(from) : from.json;
    return bytes + 128 + 2 * (text?.length ?? 0);
  }, 0);
}
