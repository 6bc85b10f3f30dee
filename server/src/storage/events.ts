import { type Entry, eventActions } from '../core/events/event.ts';
import type { EventStore } from '../core/events/read.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';
import { namesOf } from './outcomes.ts';
import { readChain } from './sequence.ts';

export const entryColumns = `position, at, call_id as "callId", request_id as "requestId", action,
  principal_id as "principalId", registered, reset, details`;

/** Written out, so that the index over them is used. */
const actions = eventActions.map((action) => `'${action}'`).join(', ');
/** Near the first row that is young enough: places follow the time by a moment. */
const oldest = `select coalesce(min(position), 0) - 10000 from (
  select position from anagrafe.journal where at > now() - make_interval(days => $2) and position is not null
   order by at limit 1) as young`;

/** What happened, as rows of the journal that have their place. */
export function openEvents(database: Database, options: { days: number }): EventStore {
  return {
    entries: (from, limit) =>
      reading(() =>
        database.query<Entry>(
          `select ${entryColumns} from anagrafe.journal
            where position >= greatest($1, (${oldest})) and action in (${actions})
              and at > now() - make_interval(days => $2)
            order by position limit $3`,
          [from, options.days, limit],
        ),
      ),
    end: () => reading(async () => (await readChain(database)).lastPosition),
    names: (ids) => reading(() => namesOf(database, ids)),
  };
}
