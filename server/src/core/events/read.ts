import { wrongParameter } from '../fields/parameters.ts';
import { type CloudEvent, type Entry, eventOf, type Part, partsOf, type UserNames } from './event.ts';

export interface EventStore {
  /** Where the journal ends. */
  end(): Promise<number>;
  /** Entries that make events, from a position on, in order. */
  entries(from: number, limit: number): Promise<readonly Entry[]>;
  names(userIds: readonly number[]): Promise<ReadonlyMap<number, UserNames>>;
}

export interface EventPage {
  readonly events: readonly CloudEvent[];
  /** What to give as `after` to read on; null where nothing has happened yet. */
  readonly after: string | null;
  /** Whether there is more at once. */
  readonly more: boolean;
}

/** An event by the position of its entry and its place in it. */
interface Cursor {
  readonly position: number;
  readonly nth: number;
}

/** An entry may be about a hundred thousand users. */
const entriesAtOnce = 100;
const cursorText = /^(\d{1,15})\.(\d{1,9})$/;

export function readCursor(text: string | null): Cursor | null {
  if (text === null) return null;
  const [, position, nth] = cursorText.exec(text) ?? [];
  if (position === undefined || nth === undefined) throw wrongParameter('after', 'after');
  return { position: Number(position), nth: Number(nth) };
}

interface Found {
  readonly entry: Entry;
  readonly part: Part;
  readonly nth: number;
}

/** Up to `limit` events after the one that was read last. */
export async function readEvents(after: string | null, limit: number, store: EventStore): Promise<EventPage> {
  const cursor = readCursor(after);
  const found: Found[] = [];
  let from = cursor?.position ?? 1;
  while (found.length <= limit) {
    const entries = await store.entries(from, entriesAtOnce);
    for (const entry of entries) found.push(...partsAfter(entry, cursor, limit + 1 - found.length));
    from = (entries.at(-1)?.position ?? from) + 1;
    if (entries.length < entriesAtOnce) break;
  }
  // A reader that is ahead has read another store, and would miss what is written until this one has caught up.
  if (found.length === 0 && cursor && cursor.position > (await store.end()))
    throw wrongParameter('after', 'beyond');
  const page = found.slice(0, limit);
  const names = await store.names(page.map(({ part }) => part.userId).filter((id) => id !== null));
  const events = page.map(({ entry, part, nth }) => eventOf(entry, part, nth, names));
  return { events, after: events.at(-1)?.id ?? after, more: found.length > limit };
}

function partsAfter(entry: Entry, cursor: Cursor | null, limit: number): Found[] {
  const skipped = cursor?.position === entry.position ? cursor.nth + 1 : 0;
  return partsOf(entry)
    .slice(skipped, skipped + Math.max(limit, 0))
    .map((part, at) => ({ entry, part, nth: skipped + at }));
}
