import type { Anagrafe, CloudEvent, EventType } from '@anagrafe/client';
import { type Asked, type KeysetPage, useNewestFirst } from '../../ui/newest-first.ts';
import { useAnagrafe } from '../session/api-client.ts';

/** All event types, in the order of the options in the interface. */
export const eventTypes: readonly EventType[] = [
  'principal.inserted',
  'principal.updated',
  'principal.state_changed',
  'principal.merged',
  'principal.deleted',
  'user.registered',
  'user.password_reset',
  'user.invited',
  'user.updated',
  'user.state_changed',
  'user.moved',
  'user.deleted',
  'call.completed',
  'job.completed',
  'webhook.disabled',
];

const searchPageSize = 1000;
/** Maximum number of requests per search; the user then decides whether to load older events. */
const searchPagesMax = 10;

/** Reads the events, newest first. A null `type` reads all types. */
export function useEvents(type: EventType | null) {
  const anagrafe = useAnagrafe();
  return useNewestFirst<CloudEvent, string>({
    key: ['events', type],
    pageSize: 50,
    read: (request) => (type === null ? readAll(anagrafe, request) : search(anagrafe, type, request)),
  });
}

type PagePromise = Promise<KeysetPage<CloudEvent, string>>;

async function readAll(anagrafe: Anagrafe, { order, after, count, signal }: Asked<string>): PagePromise {
  const page = await anagrafe.events({ order, pageSize: count, signal }).page(after);
  const { records } = page;
  return { ...page, first: records[0]?.id ?? null, reachedAt: records.at(-1)?.time ?? null };
}

/**
 * Filters by type in the browser, because the service returns events of all types. The search stops after
 * `searchPagesMax` requests; it may then return fewer than `count` events although `more` is true.
 */
async function search(anagrafe: Anagrafe, type: EventType, request: Asked<string>): PagePromise {
  const { count } = request;
  const found: CloudEvent[] = [];
  let page = await readAll(anagrafe, { ...request, count: searchPageSize });
  const { first } = page;
  for (let pagesRead = 1; ; pagesRead++) {
    found.push(...page.records.filter((event) => event.type === type));
    const last = found[count - 1];
    if (last && found.length > count)
      return { records: found.slice(0, count), first, after: last.id, more: true, reachedAt: last.time };
    if (!page.more || found.length === count || pagesRead === searchPagesMax)
      return { ...page, records: found, first };
    page = await readAll(anagrafe, { ...request, after: page.after, count: searchPageSize });
  }
}
