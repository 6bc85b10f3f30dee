import { randomUUID } from 'node:crypto';
import { actorColumns, actorParameters, actorValues, openAuditLog } from '../audit/audit.store.ts';
import type { Actor } from '../audit/audit-log.ts';
import type { Database } from '../db/database.ts';
import { withApiErrors } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { StoredFailure } from '../records/failed-records.ts';
import type { Outcome } from '../records/outcome.ts';
import {
  failuresJson,
  insertFailures,
  type OutcomeRow,
  outcomeColumns,
  storeFailures,
  toOutcomes,
} from '../records/outcomes.store.ts';
import {
  type Claim,
  type CompletedDetails,
  type IdempotencyStore,
  type KeyedCall,
  type Lease,
  leaseMs,
} from './idempotency.ts';

interface KnownCall {
  readonly id: string;
  readonly state: 'open' | 'queued' | 'running' | 'completed';
  readonly is_job: boolean;
  readonly same: boolean;
}

const completeSql = statement(`with completed as (
     update anagrafe.calls set state = 'completed', lease_id = null, ended_at = now()
      where id = :callId and state = 'open' returning id
   )
   insert into anagrafe.audit_log (${actorColumns}, action, details)
   select ${actorParameters}, 'call.completed', :details::jsonb from completed`);

/** Stores the calls with an idempotency key, and the failed records of the calls without one. */
export function openIdempotencyStore(database: Database, options: { keyHours: number }): IdempotencyStore {
  return {
    claim: (call, leaseId) => withApiErrors(() => claim(database, call, leaseId, options.keyHours)),
    abandon: (call, leaseId) => withApiErrors(() => abandon(database, call, leaseId)),
    outcomes: (callId) => withApiErrors(() => outcomes(database, callId)),
    storeApprovals: (callId, approvals) =>
      withApiErrors(() =>
        database.query('update anagrafe.calls set approvals = $2 where id = $1', [callId, approvals]),
      ),
    approvals: (callId) =>
      withApiErrors(async () => {
        const [call] = await database.query<{ tags: string[] | null }>(
          'select approvals as tags from anagrafe.calls where id = $1',
          [callId],
        );
        return call?.tags ?? [];
      }),
    storeFailures: (callId, failures) => withApiErrors(() => storeFailures(database, callId, failures)),
    complete: (callId, actor, details) =>
      withApiErrors(() =>
        database.execute(completeSql, { ...actorValues(actor, callId), details: JSON.stringify(details) }),
      ),
    storeCompleted: (callId, failures, actor, details) =>
      withApiErrors(() => storeCompleted(database, callId, failures, actor, details)),
  };
}

const storeFailedCallSql = statement(`with call as (
     insert into anagrafe.calls
       (id, client_id, operation, state, ended_at, records, users, records_failed, users_applied)
     values (:callId, :actorClientId, :operation, 'completed', now(), :records, :users, :recordsFailed, :usersApplied)
   ), failure as (${insertFailures})
   insert into anagrafe.audit_log (${actorColumns}, action, details)
   values (${actorParameters}, 'call.completed', :details::jsonb)`);

/** Stores a call without a key. A call without failed records needs only its audit row. */
async function storeCompleted(
  database: Database,
  callId: string,
  failures: readonly StoredFailure[],
  actor: Actor,
  details: CompletedDetails,
): Promise<void> {
  if (failures.length === 0)
    return openAuditLog(database).note(actor, { action: 'call.completed', callId, details });
  await database.execute(storeFailedCallSql, {
    ...actorValues(actor, callId),
    failures: await failuresJson(failures),
    operation: details.operation,
    records: details.records,
    users: details.users,
    recordsFailed: details.recordsFailed,
    usersApplied: details.usersApplied,
    details: JSON.stringify(details),
  });
}

/**
 * Every statement of a lease applies only while the call has its ID, so that a lease that was taken over changes
 * nothing.
 */
function openLease(database: Database, callId: string, leaseId: string): Lease {
  const ours = `id = $1 and state = 'open' and lease_id = $2`;
  const change = (statement: string) =>
    withApiErrors(async () => {
      await database.query(`${statement} where ${ours}`, [callId, leaseId]);
    });
  return {
    renew: () => change('update anagrafe.calls set lease_renewed_at = now()'),
    release: () => change('update anagrafe.calls set lease_id = null'),
    discard: () => change('delete from anagrafe.calls'),
  };
}

/** The condition for a call with the key $2 of the client $1. */
const withKey = 'coalesce(client_id, 0) = coalesce($1::bigint, 0) and idempotency_key = $2';

/** The condition for a call that no request works on. */
const unleased = `(lease_id is null or lease_renewed_at < now() - interval '${leaseMs} milliseconds')`;

async function claim(database: Database, call: KeyedCall, leaseId: string, keyHours: number): Promise<Claim> {
  const { clientId, operation, key, records, users } = call;
  const owner = [clientId, key.text];
  // An expired key can be used again even if the retention run has not removed it yet. Without a key, retention removes
  // only calls that have ended; a job ends by itself.
  await database.query(
    `update anagrafe.calls
        set idempotency_key = null, ended_at = case when state = 'open' then now() else ended_at end
      where ${withKey} and key_expires_at <= now()`,
    owner,
  );
  const callId = randomUUID();
  const made = await database.query(
    `insert into anagrafe.calls
       (id, client_id, idempotency_key, operation, fingerprint, state, records, users, lease_id, lease_renewed_at,
        key_expires_at)
     values ($3, $1, $2, $4, $5, 'open', $6, $7, $8, now(), now() + make_interval(hours => $9))
     on conflict do nothing returning id`,
    [...owner, callId, operation, key.fingerprint, records, users, leaseId, keyHours],
  );
  if (made.length > 0) return { state: 'new', callId, lease: openLease(database, callId, leaseId) };
  const [known] = await database.query<KnownCall>(
    `select id, state, is_job, fingerprint = $3 and operation = $4 as same from anagrafe.calls where ${withKey}`,
    [...owner, key.fingerprint, operation],
  );
  // Another request deleted the call between the two statements, because it failed as a whole: try again.
  if (!known) return claim(database, call, leaseId, keyHours);
  if (!known.same) return { state: 'reused' };
  if (known.is_job) return { state: 'job', callId: known.id };
  if (known.state === 'completed') return { state: 'answered', callId: known.id };
  const taken = await database.query(
    `update anagrafe.calls set lease_id = $2, lease_renewed_at = now()
      where id = $1 and state = 'open' and ${unleased} returning id`,
    [known.id, leaseId],
  );
  return taken.length > 0
    ? { state: 'resumed', callId: known.id, lease: openLease(database, known.id, leaseId) }
    : { state: 'running' };
}

async function abandon(database: Database, { clientId, key }: KeyedCall, leaseId: string): Promise<boolean> {
  const released = await database.query(
    `update anagrafe.calls set lease_id = null where ${withKey} and lease_id = $3 returning id`,
    [clientId, key.text, leaseId],
  );
  return released.length > 0;
}

/** Number of open calls that are searched for complete ones at a time, beginning with the latest. */
const openCallsAtOnce = 1000;

/**
 * Completes the calls whose records all have outcomes, although no request has completed them: their last statement
 * failed, and the client need not send them again. The number of calls that wait for a retry is small, and the search
 * is limited to the latest, which includes every call that was not searched before. Returns the number of calls.
 */
export async function completeSettledCalls(database: Database): Promise<number> {
  const completed = await database.query(
    `with settled as (
       select open_call.*, failed, applied from (
         select * from anagrafe.calls where state = 'open' and ${unleased}
          order by lease_renewed_at desc limit ${openCallsAtOnce}
       ) as open_call cross join lateral (
         select count(*) as outcomes, count(error) as failed,
                coalesce(sum(outcomes.users) filter (where error is null), 0) as applied
           from anagrafe.outcomes where call_id = open_call.id
       ) as counted
       where counted.outcomes = open_call.records
     ), completed as (
       update anagrafe.calls as call set state = 'completed', lease_id = null, ended_at = now()
         from settled
        where call.id = settled.id and call.state = 'open' and call.lease_id is not distinct from settled.lease_id
       returning settled.*
     )
     insert into anagrafe.audit_log (actor, client_id, call_id, action, details)
     select case when client_id is null then 'protected' else 'client' end, client_id, id, 'call.completed',
            jsonb_build_object('operation', operation, 'records', records, 'recordsFailed', failed, 'users', users,
                               'usersApplied', applied, 'milliseconds',
                               ceil(extract(epoch from now() - submitted_at) * 1000)::bigint)
       from completed
     returning call_id`,
  );
  return completed.length;
}

async function outcomes(database: Database, callId: string): Promise<Map<number, Outcome>> {
  const rows = await database.query<OutcomeRow>(
    `select ${outcomeColumns} from anagrafe.outcomes where call_id = $1 order by position`,
    [callId],
  );
  const read = await toOutcomes(database, rows);
  return new Map(rows.map((row, at) => [row.position, read[at] as Outcome]));
}
