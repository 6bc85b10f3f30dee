import type { EventNames } from '../db/lookups.ts';
import type { Order } from '../db/paging.ts';
import type { CallerTags } from '../db/visibility.ts';
import { wrongParameter } from '../lib/field-errors.ts';
import {
  type CloudEvent,
  type Entry,
  type EventStore,
  eventId,
  eventOf,
  type Part,
  partsOf,
  principalsIn,
} from './events.ts';

/** Identifies an event by the position of its entry and the zero-based index of its part. */
interface Cursor {
  readonly position: number;
  readonly nth: number;
}

/** Entries per query. */
const entriesAtOnce = 100;

export function isEventId(text: string): boolean {
  return /^\d{1,15}\.\d{1,9}$/.test(text);
}

function cursorOf(id: string): Cursor {
  const [position, nth] = id.split('.');
  return { position: Number(position), nth: Number(nth) };
}

type Found = { readonly entry: Entry; readonly part: Part; readonly nth: number };

interface EventPage {
  readonly count: number;
  /** The events are made one by one: a thousand of them would block the event loop. */
  readonly events: Iterable<CloudEvent>;
  /** The cursor of the next page. */
  readonly after: string | null;
  readonly more: boolean;
}

function* eventsOf(page: readonly Found[], names: EventNames): Generator<CloudEvent> {
  for (const { entry, part, nth } of page) yield eventOf(entry, part, nth, names);
}

/** Greater than the index of any part. */
const nthMax = 999_999_999;

interface EventRange {
  readonly order: Order;
  /** The ID of an event; null for the first one in the order. */
  readonly after: string | null;
  readonly callerTags: CallerTags;
}

/**
 * Returns up to `limit` events after the event with the ID `after`, or from the first one in the order. `after` in the
 * result is the cursor of the next page; null if there is no event yet.
 */
export async function readEvents(
  { order, after, callerTags }: EventRange,
  limit: number,
  store: EventStore,
): Promise<EventPage> {
  const cursor = after === null ? null : cursorOf(after);
  const { found, examined } = await findParts({ order, cursor, callerTags }, limit + 1, store);
  // A cursor beyond the end comes from another database: its reader would miss every event up to that position.
  if (order === 'oldest' && found.length === 0 && cursor && cursor.position > (await store.end()))
    throw wrongParameter('after', 'beyond');
  const page = found.slice(0, limit);
  const subjects = {
    principalIds: page.flatMap(({ entry, part }) => principalsIn(entry, [part])),
    userIds: page.map(({ part }) => part.userId).filter((id) => id !== null),
  };
  const names = await store.names(subjects, callerTags);
  const more = found.length > limit;
  const last = page.at(-1);
  const reached = last ? eventId(last.entry, last.nth) : after;
  return {
    count: page.length,
    events: eventsOf(page, names),
    after: examined !== null && !more ? `${examined}.${order === 'oldest' ? nthMax : 0}` : reached,
    more: more || examined !== null,
  };
}

/** Finds up to `limit` parts. `examined` is the position up to which there are no more; null if there are none at all. */
async function findParts(
  { order, cursor, callerTags }: Omit<EventRange, 'after'> & { readonly cursor: Cursor | null },
  limit: number,
  store: EventStore,
): Promise<{ found: Found[]; examined: number | null }> {
  const isNewest = order === 'newest';
  const found: Found[] = [];
  let examined: number | null = null;
  let from = cursor?.position ?? (isNewest ? Number.MAX_SAFE_INTEGER : 1);
  for (let more = true; more && found.length < limit; ) {
    const group = await store.entries({ order, from, limit: entriesAtOnce }, callerTags);
    for (const entry of group.entries) {
      if (found.length < limit) found.push(...partsAfter(entry, order, cursor, limit - found.length));
    }
    from = (group.entries.at(-1)?.position ?? from) + (isNewest ? -1 : 1);
    more = group.more;
    ({ examined } = group);
  }
  return { found, examined };
}

function partsAfter(entry: Entry, order: Order, cursor: Cursor | null, limit: number): Found[] {
  const parts = partsOf(entry).map((part, nth) => ({ entry, part, nth }));
  const reached = cursor?.position === entry.position ? cursor.nth : null;
  const left =
    order === 'oldest'
      ? parts.slice(reached === null ? 0 : reached + 1)
      : parts.slice(0, reached ?? parts.length).toReversed();
  return left.slice(0, limit);
}
