import { type Entry, eventActions } from '../core/events/event.ts';
import type { EventStore } from '../core/events/read.ts';
import type { Order } from '../core/journal/order.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';
import { namesOf } from './outcomes.ts';
import { readChain } from './sequence.ts';

export const entryColumns = `position, at, call_id as "callId", request_id as "requestId", action,
  principal_id as "principalId", registered, reset, details`;

/** Written out, so that the index over them is used. */
const actions = eventActions.map((action) => `'${action}'`).join(', ');
/** Near the first row that is young enough: places follow the time by a moment. Where none is, nothing is to be had. */
const oldest = `select coalesce(min(position) - 10000, ${Number.MAX_SAFE_INTEGER}) from (
  select position from anagrafe.journal where at > now() - make_interval(days => $2) and position is not null
   order by at limit 1) as young`;

const bounds: Readonly<Record<Order, string>> = {
  oldest: `position >= greatest($1, (${oldest}))`,
  newest: `position <= $1 and position >= (${oldest})`,
};

/** What happened, as rows of the journal that have their place. */
export function openEvents(database: Database, options: { days: number }): EventStore {
  return {
    entries: (order, from, limit) =>
      reading(() =>
        database.query<Entry>(
          `select ${entryColumns} from anagrafe.journal
            where ${bounds[order]} and action in (${actions}) and at > now() - make_interval(days => $2)
            order by position ${order === 'newest' ? 'desc' : 'asc'} limit $3`,
          [from, options.days, limit],
        ),
      ),
    end: () => reading(async () => (await readChain(database)).lastPosition),
    names: (ids) => reading(() => namesOf(database, ids)),
  };
}
