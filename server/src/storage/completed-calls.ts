import type { CallListing, CallStore, CompletedCall } from '../core/journal/calls.ts';
import type { PlacedOutcome } from '../core/records/outcome.ts';
import type { Database } from './database.ts';
import { failedRecords } from './failed-records.ts';
import { reading } from './failures.ts';
import { countNewest, pageOfNewest } from './newest.ts';
import { type OutcomeRow, outcomeColumnsWithoutUsers, toOutcomes } from './outcomes.ts';

const callColumns = `at, actor, client_id as "clientId", user_id as "userId", host(address) as address,
  request_id as "requestId", call_id as "callId", details ->> 'operation' as operation,
  (details -> 'records')::integer as records, (details -> 'recordsFailed')::integer as "recordsFailed",
  (details -> 'users')::integer as users, (details -> 'usersApplied')::integer as "usersApplied",
  (details -> 'milliseconds')::integer as milliseconds`;

/** Calls that were answered at once, out of the journal; those that have no place in it yet included. */
export function openCompletedCalls(database: Database, options: { days: number }): CallStore {
  return {
    list: (listing) => reading(() => list(database, listing)),
    find: (id) => reading(() => find(database, id, options.days)),
    outcomes: (call, listing) => reading(() => outcomes(database, call, listing)),
    failed: (id) => failedRecords(database, id),
  };
}

async function list(database: Database, { failedOnly, ...page }: CallListing) {
  const failed = failedOnly ? `and details ->> 'recordsFailed' <> '0'` : '';
  const newest = `from anagrafe.journal where action = 'call.completed' ${failed} order by id desc`;
  const { limit, offset } = pageOfNewest(page);
  const [totalCount, calls] = await Promise.all([
    countNewest(database, newest),
    database.query<CompletedCall>(`select ${callColumns} ${newest} limit $1 offset $2`, [limit, offset]),
  ]);
  return { calls, totalCount };
}

async function find(database: Database, id: string, days: number): Promise<CompletedCall | null> {
  const [call] = await database.query<CompletedCall>(
    `select ${callColumns} from anagrafe.journal
      where action = 'call.completed' and call_id = $1 and at > now() - make_interval(days => $2)`,
    [id, days],
  );
  return call ?? null;
}

/** The clocks of the two machines do not go at quite the same speed, and of its end the milliseconds are known alone. */
const slackMs = 10_000;

/**
 * What was applied without a key is in the journal alone, with its place in the call. It is looked for in the time that
 * the call took: an index over the calls of all rows would cost every write.
 */
async function outcomes(
  database: Database,
  call: CompletedCall,
  { page, pageSize, failedOnly }: CallListing,
): Promise<PlacedOutcome[]> {
  const kept = `select ${outcomeColumnsWithoutUsers} from anagrafe.outcomes where call_id = $1`;
  const noted = `select (details -> 'position')::integer, principal_id, null, null, null from anagrafe.journal
     where call_id = $1 and details ? 'position'
       and at between $4::timestamptz - make_interval(secs => $5) and $4::timestamptz + interval '1 second'`;
  const rows = await database.query<OutcomeRow>(
    failedOnly
      ? `${kept} and refusal is not null order by position limit $2 offset $3`
      : `select * from (${kept} union all ${noted}) as outcome order by position limit $2 offset $3`,
    [
      call.callId,
      pageSize,
      pageSize * (page - 1),
      ...(failedOnly ? [] : [call.at, (call.milliseconds + slackMs) / 1000]),
    ],
  );
  return toOutcomes(database, rows);
}
