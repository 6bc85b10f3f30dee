import type { Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { eventNamesOf } from '../db/lookups.ts';
import type { Order } from '../db/paging.ts';
import { statement } from '../db/statement.ts';
import { type CallerTags, sawPrincipalId, seesCaller } from '../db/visibility.ts';
import { entryColumns, eventActionsSql, examinedAtOnce, positionNear, readEntries } from './audit.store.ts';
import { bytesOfAnswer } from './bounded-rows.store.ts';
import type { EventStore, FoundEntries } from './events.ts';
import { readChain } from './hash-chain.store.ts';

/** The columns for a limited caller: names only operators that see no more than it does. */
const limitedEntryColumns = entryColumns.replace(
  'is_operator',
  `is_operator and ${seesCaller('clients.id', ':callerTags')}`,
);

const oldestPosition = positionNear('now() - make_interval(days => :days::integer)', 'from');

const bounds: Readonly<Record<Order, string>> = {
  oldest: `position >= greatest(:start::bigint, (${oldestPosition}))`,
  newest: `position <= :start::bigint and position >= (${oldestPosition})`,
};

/** Reads events from the rows of the hash chain. `days` is how long an event stays available. */
export function openEvents(database: Database, options: { days: number }): EventStore {
  return storeWithApiErrors<EventStore>({
    entries: (range, callerTags) => findEntries(database, range, { ...options, callerTags }),
    end: async () => (await readChain(database)).lastPosition,
    names: (subjects, callerTags) => eventNamesOf(database, subjects, callerTags),
  });
}

const isEvent = `action in (${eventActionsSql}) and at > now() - make_interval(days => :days::integer)`;

/** The rows about principals that a limited caller sees, and about its calls and jobs. */
const isSeen = `case when principal_id is null
  then action in ('call.completed', 'job.completed') and ${seesCaller('client_id', ':callerTags')}
  else ${sawPrincipalId('principal_id', ':callerTags')} end`;

async function findEntries(
  database: Database,
  { order, from, limit }: Parameters<EventStore['entries']>[0],
  { days, callerTags }: { readonly days: number; readonly callerTags: CallerTags },
): Promise<FoundEntries> {
  const bounded = { order: order === 'newest' ? 'desc' : 'asc', limit, bytes: bytesOfAnswer } as const;
  const range = `${bounds[order]} and ${isEvent}`;
  if (callerTags === null)
    return { ...(await readEntries(database, range, bounded, { start: from, days })), examined: null };
  const values = { start: from, days, callerTags };
  const compare = order === 'newest' ? '>=' : '<=';
  const [last] = await database.execute<{ position: number }>(
    statement(
      `select position from anagrafe.audit_log_hashed where ${bounds[order]} and action in (${eventActionsSql})
        order by position ${bounded.order} offset ${examinedAtOnce - 1} limit 1`,
    ),
    { start: from, days },
  );
  const read = await readEntries(
    database,
    `${range} and position ${compare} :last::bigint and ${isSeen}`,
    { ...bounded, columns: limitedEntryColumns },
    { ...values, last: last?.position ?? (order === 'newest' ? 0 : Number.MAX_SAFE_INTEGER) },
  );
  return { ...read, examined: last?.position ?? null };
}
