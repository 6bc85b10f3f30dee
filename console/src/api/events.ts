import type { Anagrafe, CloudEvent, EventType } from '@anagrafe/client';
import { useAnagrafe } from './anagrafe.ts';
import { type Asked, type NewestFirst, type Passage, useNewestFirst } from './newest-first.ts';

/** So many events are searched at a time, and so often, before the reader is asked whether to go on. */
const stretch = 1000;
const stretches = 10;

/** What happened, the newest first; all of it, or what is of one type. */
export function useEvents(type: EventType | null): NewestFirst<CloudEvent> {
  const anagrafe = useAnagrafe();
  return useNewestFirst<CloudEvent, string>({
    key: ['events', type],
    pageSize: 50,
    read: (asked) => (type === null ? readAll(anagrafe, asked) : search(anagrafe, type, asked)),
  });
}

type Read = Promise<Passage<CloudEvent, string>>;

async function readAll(anagrafe: Anagrafe, { order, after, count, signal }: Asked<string>): Read {
  const page = await anagrafe.events({ order, pageSize: count, signal }).page(after);
  const { records } = page;
  return { ...page, first: records[0]?.id ?? null, reachedAt: records.at(-1)?.time ?? null };
}

/** The service gives events of all types out: one passes over the others, but not without end. */
async function search(anagrafe: Anagrafe, type: EventType, asked: Asked<string>): Read {
  const { count } = asked;
  const found: CloudEvent[] = [];
  let read = await readAll(anagrafe, { ...asked, count: stretch });
  const { first } = read;
  for (let times = 1; ; times++) {
    found.push(...read.records.filter((event) => event.type === type));
    const last = found[count - 1];
    if (last && found.length > count)
      return { records: found.slice(0, count), first, after: last.id, more: true, reachedAt: last.time };
    if (!read.more || found.length === count || times === stretches)
      return { ...read, records: found, first };
    read = await readAll(anagrafe, { ...asked, after: read.after, count: stretch });
  }
}
