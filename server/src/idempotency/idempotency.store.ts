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

interface LeasedCall {
  readonly id: string;
  readonly at: string;
}

const completeSql = statement(`with completed as (
     update anagrafe.calls set state = 'completed', lease_renewed_at = null, ended_at = now()
      where id = :callId and state = 'open' returning id
   )
   insert into anagrafe.audit_log (${actorColumns}, action, details)
   select ${actorParameters}, 'call.completed', :details::jsonb from completed`);

/** Stores the calls with an idempotency key, and the failed records of the calls without one. */
export function openIdempotencyStore(database: Database, options: { keyHours: number }): IdempotencyStore {
  return {
    claim: (call) => withApiErrors(() => claim(database, call, options.keyHours)),
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
 * Creates the lease of a call. `lease_renewed_at`, the time of the last renewal, is its fencing token: every statement
 * applies only if the column still has a value that this lease wrote, so a lease that was taken over changes nothing.
 * The lease chooses the time itself: when the response to a renewal is lost, the column has the old value or the new
 * one, and the lease knows both.
 */
function openLease(database: Database, { id, at }: LeasedCall): Lease {
  const claimedAt = Date.parse(at);
  const start = performance.now();
  let tokens = [at];
  let last: Promise<void> = Promise.resolve();

  /** Runs the statements one after the other, because each needs the tokens of the previous one. */
  function change(statement: () => Promise<unknown>): Promise<void> {
    const next = async () => {
      await withApiErrors(statement);
    };
    last = last.then(next, next);
    return last;
  }

  async function renew(): Promise<void> {
    const token = new Date(claimedAt + performance.now() - start).toISOString();
    const before = tokens;
    tokens = [...before, token];
    const renewed = await database.query(
      `update anagrafe.calls set lease_renewed_at = $3::timestamptz where ${ours} returning id`,
      [id, before, token],
    );
    if (renewed.length > 0) tokens = [token];
  }

  const ours = `id = $1 and state = 'open' and lease_renewed_at = any($2::timestamptz[])`;
  return {
    renew: () => change(renew),
    release: () =>
      change(() =>
        database.query(`update anagrafe.calls set lease_renewed_at = null where ${ours}`, [id, tokens]),
      ),
    discard: () => change(() => database.query(`delete from anagrafe.calls where ${ours}`, [id, tokens])),
  };
}

async function claim(database: Database, call: KeyedCall, keyHours: number): Promise<Claim> {
  const { clientId, operation, key } = call;
  const owner = [clientId, key.text];
  // An expired key can be used again even if the retention run has not removed it yet.
  await database.query(
    `update anagrafe.calls set idempotency_key = null
      where coalesce(client_id, 0) = coalesce($1::bigint, 0) and idempotency_key = $2 and key_expires_at <= now()`,
    owner,
  );
  const [made] = await database.query<LeasedCall>(
    `insert into anagrafe.calls
       (id, client_id, idempotency_key, operation, fingerprint, state, lease_renewed_at, key_expires_at)
     values ($3, $1, $2, $4, $5, 'open', now(), now() + make_interval(hours => $6))
     on conflict do nothing returning id, lease_renewed_at::text as at`,
    [...owner, randomUUID(), operation, key.fingerprint, keyHours],
  );
  if (made) return { state: 'new', callId: made.id, lease: openLease(database, made) };
  const [known] = await database.query<KnownCall>(
    `select id, state, is_job, fingerprint = $3 and operation = $4 as same from anagrafe.calls
      where coalesce(client_id, 0) = coalesce($1::bigint, 0) and idempotency_key = $2`,
    [...owner, key.fingerprint, operation],
  );
  // Another request deleted the call between the two statements, because it failed as a whole: try again.
  if (!known) return claim(database, call, keyHours);
  if (!known.same) return { state: 'reused' };
  if (known.is_job) return { state: 'job', callId: known.id };
  if (known.state === 'completed') return { state: 'answered', callId: known.id };
  const [taken] = await database.query<LeasedCall>(
    `update anagrafe.calls set lease_renewed_at = now()
      where id = $1 and state = 'open' and (lease_renewed_at is null or lease_renewed_at < now() - make_interval(secs => $2))
     returning id, lease_renewed_at::text as at`,
    [known.id, leaseMs / 1000],
  );
  return taken
    ? { state: 'resumed', callId: taken.id, lease: openLease(database, taken) }
    : { state: 'running' };
}

async function outcomes(database: Database, callId: string): Promise<Map<number, Outcome>> {
  const rows = await database.query<OutcomeRow>(
    `select ${outcomeColumns} from anagrafe.outcomes where call_id = $1 order by position`,
    [callId],
  );
  const read = await toOutcomes(database, rows);
  return new Map(rows.map((row, at) => [row.position, read[at] as Outcome]));
}
