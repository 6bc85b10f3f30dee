import { actorColumns, actorParameters, actorValues } from '../audit/audit.store.ts';
import { type Actor, clientActor } from '../audit/audit-log.ts';
import type { Database } from '../db/database.ts';
import { storeWithApiErrors } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { CallerTags } from '../db/visibility.ts';
import { leaseMs } from '../idempotency/idempotency.ts';
import { type Approvals, approvalText, readApproval } from '../records/check/plan.ts';
import type { OperationName } from '../records/parse/parsed-record.ts';
import {
  insertCall,
  type OutcomeRow,
  outcomeColumns,
  storeFailures,
  toOutcomes,
} from '../records/write/call-outcomes.store.ts';
import type { StoredFailure } from '../records/write/failed-records.ts';
import type { CallRow, Outcome } from '../records/write/outcome.ts';

// One statement and not a transaction: it is a round trip of every synchronous call, and may simply be repeated.
const completeCall = statement(`with completed as (
     update anagrafe.calls set state = 'completed', lease_id = null, ended_at = now(), undo_records = null,
                               users = (:details::jsonb ->> 'users')::integer
      where id = :callId and state = 'open' returning id
   )
   insert into anagrafe.audit_log (${actorColumns}, action, details)
   select ${actorParameters}, 'call.completed', :details::jsonb from completed`);

/** The synchronous calls and the outcomes of their records. The outcome of an applied record is stored with the record. */
export type CallStore = ReturnType<typeof openCallStore>;

export interface CallCounts {
  readonly operation: OperationName;
  readonly records: number;
  readonly recordsFailed: number;
  readonly users: number;
  readonly usersApplied: number;
  /** The time from the first record to the last. */
  readonly milliseconds: number;
}

export function openCallStore(database: Database) {
  async function read<Value>(column: string, callId: string): Promise<Value | null> {
    const [call] = await database.query<{ value: Value | null }>(
      `select ${column} as value from anagrafe.calls where id = $1`,
      [callId],
    );
    return call?.value ?? null;
  }

  return storeWithApiErrors({
    /** Returns the outcomes stored so far, by the zero-based index of the record in the request. */
    async outcomes(callId: string, callerTags: CallerTags): Promise<Map<number, Outcome>> {
      const rows = await database.query<OutcomeRow>(
        `select ${outcomeColumns} from anagrafe.outcomes where call_id = $1 order by position`,
        [callId],
      );
      const outcomes = await toOutcomes(database, rows, callerTags);
      return new Map(outcomes.map((outcome) => [outcome.position, outcome]));
    },
    /**
     * Stores failed records, except those that already have an outcome. Returns the positions that were stored. `unstoredCall`
     * is the call if its row may not be stored yet; see `WriteContext`.
     */
    async storeFailures(callId: string, failures: readonly StoredFailure[], unstoredCall: CallRow | null) {
      if (unstoredCall && failures.length > 0) await database.execute(insertCall, { ...unstoredCall });
      return storeFailures(database, callId, failures);
    },
    /** Stores what is approved for each record of a call, by its position, for a retry that resumes the call. */
    storeApprovals: (callId: string, approvals: Approvals) =>
      database.query('update anagrafe.calls set approvals = $2 where id = $1', [
        callId,
        approvals.map((approval) => approval && approvalText(approval)),
      ]),
    /** Returns the stored approvals; empty if there are none. */
    async approvals(callId: string): Promise<Approvals> {
      const texts = await read<(string | null)[]>('approvals', callId);
      return (texts ?? []).map((text) => (text === null ? null : readApproval(text)));
    },
    /** Stores the records of an undo as JSON, and the numbers of records and of users, for a retry that resumes it. */
    storeUndoRecords: (callId: string, json: Buffer, { count, users }: { count: number; users: number }) =>
      database.query('update anagrafe.calls set undo_records = $2, records = $3, users = $4 where id = $1', [
        callId,
        json,
        count,
        users,
      ]),
    undoRecords: (callId: string) => read<Buffer>('undo_records', callId),
    /** Marks a call whose records all have outcomes as completed, and writes its audit row. Does nothing if repeated. */
    complete: (callId: string, actor: Actor, counts: CallCounts): Promise<unknown> =>
      database.execute(completeCall, { ...actorValues(actor, callId), details: JSON.stringify(counts) }),
  });
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
    `select id, client_id as "clientId", operation, records, failed as "recordsFailed", applied as "usersApplied",
            case when operation = 'undo' then greatest(users, applied) else users end as users,
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
  const calls = openCallStore(database);
  for (const { id, clientId, ...counts } of settled) await calls.complete(id, clientActor(clientId), counts);
  return settled.length;
}
