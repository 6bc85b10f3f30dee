import { actorColumns, actorParameters, actorValues } from '../audit/audit.store.ts';
import { type Actor, clientActor } from '../audit/audit-log.ts';
import type { Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { CallerTags } from '../db/visibility.ts';
import { leaseMs } from '../idempotency/idempotency.ts';
import { approvalText, readApproval } from '../records/check/plan.ts';
import {
  insertCall,
  type OutcomeRow,
  outcomeColumns,
  storeFailures,
  toOutcomes,
} from '../records/write/call-outcomes.store.ts';
import type { Outcome } from '../records/write/outcome.ts';
import type { CallCounts, CallStore } from './calls.ts';

// One statement and not a transaction: it is a round trip of every synchronous call, and may simply be repeated.
const completeCall = statement(`with completed as (
     update anagrafe.calls set state = 'completed', lease_id = null, ended_at = now(), undo_records = null
      where id = :callId and state = 'open' returning id
   )
   insert into anagrafe.audit_log (${actorColumns}, action, details)
   select ${actorParameters}, 'call.completed', :details::jsonb from completed`);

export function openCallStore(database: Database): CallStore {
  return storeWithApiErrors<CallStore>({
    outcomes: (callId, callerTags) => outcomes(database, callId, callerTags),
    async storeFailures(callId, failures, newCall) {
      if (newCall && failures.length > 0) await database.execute(insertCall, { ...newCall });
      return storeFailures(database, callId, failures);
    },
    storeApprovals: (callId, approvals) =>
      database.query('update anagrafe.calls set approvals = $2 where id = $1', [
        callId,
        approvals.map((approval) => approval && approvalText(approval)),
      ]),
    async approvals(callId) {
      const [call] = await database.query<{ approvals: (string | null)[] | null }>(
        'select approvals from anagrafe.calls where id = $1',
        [callId],
      );
      return (call?.approvals ?? []).map((text) => (text === null ? null : readApproval(text)));
    },
    storeUndoRecords: (callId, json, { count, users }) =>
      database.query('update anagrafe.calls set undo_records = $2, records = $3, users = $4 where id = $1', [
        callId,
        json,
        count,
        users,
      ]),
    async undoRecords(callId) {
      const [call] = await database.query<{ records: Buffer | null }>(
        'select undo_records as records from anagrafe.calls where id = $1',
        [callId],
      );
      return call?.records ?? null;
    },
    complete: (callId, actor, counts) => complete(database, callId, actor, counts),
  });
}

async function outcomes(
  database: Database,
  callId: string,
  callerTags: CallerTags,
): Promise<Map<number, Outcome>> {
  const rows = await database.query<OutcomeRow>(
    `select ${outcomeColumns} from anagrafe.outcomes where call_id = $1 order by position`,
    [callId],
  );
  const read = await toOutcomes(database, rows, callerTags);
  return new Map(rows.map((row, at) => [row.position, read[at] as Outcome]));
}

/** Number of open calls that a run searches, beginning with the one whose lease was renewed last. */
const openCallsAtOnce = 1000;

interface SettledCall extends CallCounts {
  readonly id: string;
  readonly clientId: number | null;
}

/**
 * Completes the calls whose records all have outcomes, although no request has completed them: their last statement
 * failed, and the client need not send them again. A call behind `openCallsAtOnce` later ones, which wait for a retry, is
 * not found: it stays open until it is sent again, or until its retention ends. Returns the number of completed calls.
 */
export async function completeSettledCalls(database: Database): Promise<number> {
  const settled = await database.query<SettledCall>(
    `select id, client_id as "clientId", operation, records, failed as "recordsFailed", users, applied as "usersApplied",
            ceil(extract(epoch from now() - submitted_at) * 1000)::bigint as milliseconds
       from (
         select * from anagrafe.calls where state = 'open' and (lease_id is null or lease_renewed_at < now() - interval '${leaseMs} milliseconds')
          order by lease_renewed_at desc limit ${openCallsAtOnce}
       ) as open_call cross join lateral (
         select count(*) as outcomes, count(error) as failed,
                coalesce(sum(outcomes.users) filter (where error is null), 0) as applied
           from anagrafe.outcomes where call_id = open_call.id
       ) as counted
      where outcomes = records`,
  );
  for (const { id, clientId, ...counts } of settled)
    await complete(database, id, clientActor(clientId), counts);
  return settled.length;
}

function complete(database: Database, callId: string, actor: Actor, counts: CallCounts): Promise<unknown> {
  return database.execute(completeCall, { ...actorValues(actor, callId), details: JSON.stringify(counts) });
}
