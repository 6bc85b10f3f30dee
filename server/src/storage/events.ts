import { type Entry, eventActions } from '../core/events/event.ts';
import type { EventStore } from '../core/events/read.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';
import { namesOf } from './outcomes.ts';

export const entryColumns = `position, at, call_id as "callId", request_id as "requestId", action,
  principal_id as "principalId", registered, reset, details`;

/** What happened, as rows of the journal that have their place. */
export function openEvents(database: Database, options: { days: number }): EventStore {
  return {
    entries: (from, limit) =>
      reading(() =>
        database.query<Entry>(
          `select ${entryColumns} from anagrafe.journal
            where position >= $1 and action = any($2) and at > now() - make_interval(days => $3)
            order by position limit $4`,
          [from, eventActions, options.days, limit],
        ),
      ),
    names: (ids) => reading(() => namesOf(database, ids)),
  };
}
