import { wrongParameter } from '../fields/parameters.ts';
import { type Order, readOrder } from '../journal/order.ts';
import { type CloudEvent, type Entry, eventOf, type Part, partsOf, type UserNames } from './event.ts';

export interface EventStore {
  /** Where the journal ends. */
  end(): Promise<number>;
  /** Entries that make events, from a position on, in that order. */
  entries(order: Order, from: number, limit: number): Promise<readonly Entry[]>;
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

/** What the query of a call said. */
export interface EventQuery {
  readonly order: string | null;
  readonly after: string | null;
}

/** Up to `limit` events after the one that was read last, in the order that was asked for. */
export async function readEvents(
  { order: sentOrder, after }: EventQuery,
  limit: number,
  store: EventStore,
): Promise<EventPage> {
  const order = readOrder(sentOrder);
  const cursor = readCursor(after);
  const found = await findParts(order, cursor, limit + 1, store);
  // A reader that is ahead has read another store, and would miss what is written until this one has caught up.
  if (order === 'oldest' && found.length === 0 && cursor && cursor.position > (await store.end()))
    throw wrongParameter('after', 'beyond');
  const page = found.slice(0, limit);
  const names = await store.names(page.map(({ part }) => part.userId).filter((id) => id !== null));
  const events = page.map(({ entry, part, nth }) => eventOf(entry, part, nth, names));
  return { events, after: events.at(-1)?.id ?? after, more: found.length > limit };
}

async function findParts(
  order: Order,
  cursor: Cursor | null,
  limit: number,
  store: EventStore,
): Promise<Found[]> {
  const isNewest = order === 'newest';
  const found: Found[] = [];
  let from = cursor?.position ?? (isNewest ? Number.MAX_SAFE_INTEGER : 1);
  while (found.length < limit) {
    const entries = await store.entries(order, from, entriesAtOnce);
    for (const entry of entries) found.push(...partsAfter(entry, order, cursor, limit - found.length));
    from = (entries.at(-1)?.position ?? from) + (isNewest ? -1 : 1);
    if (entries.length < entriesAtOnce) break;
  }
  return found;
}

function partsAfter(entry: Entry, order: Order, cursor: Cursor | null, limit: number): Found[] {
  const parts = partsOf(entry).map((part, nth) => ({ entry, part, nth }));
  const reached = cursor?.position === entry.position ? cursor.nth : null;
  const left =
    order === 'oldest'
      ? parts.slice(reached === null ? 0 : reached + 1)
      : parts.slice(0, reached ?? parts.length).toReversed();
  return left.slice(0, Math.max(limit, 0));
}
