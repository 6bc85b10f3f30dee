import { randomUUID } from 'node:crypto';
import type { Connection, Database } from '../db/database.ts';
import { CommitUnknown, NoAnswer, storeWithApiErrors, withApiErrors } from '../db/errors.ts';
import type { Claim, Lease, StoredCall } from './idempotency.ts';
import { discardCall, joinRun, unleased } from './run-membership.store.ts';

interface KnownCall {
  readonly id: string;
  readonly state: 'open' | 'queued' | 'running' | 'completed';
  readonly is_job: boolean;
  readonly same: boolean;
}

/** The calls with an idempotency key or a run, and the requests that work on them. */
export type IdempotencyStore = ReturnType<typeof openIdempotencyStore>;

export function openIdempotencyStore(database: Database, options: { keyHours: number }) {
  return storeWithApiErrors({
    /**
     * Finds or creates the call with the key, and takes its lease if no other request holds it. The caller chooses the ID
     * of the lease, so that it can give up a lease that it does not know of, because the answer was lost. Throws an
     * `ApiError`, and stores nothing, if the call cannot be a part of its run; see `joinRun`.
     */
    claim: (call: StoredCall, leaseId: string) => claim(database, call, leaseId, options.keyHours),
    /** Ends the lease with this ID. Returns false if the call with the key does not have it, or not yet. */
    async abandon({ clientId, key }: StoredCall, leaseId: string): Promise<boolean> {
      const released = await database.query(
        `update anagrafe.calls set lease_id = null where ${withKey} and lease_id = $3 returning id`,
        [clientId, key?.text, leaseId],
      );
      return released.length > 0;
    },
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
    discard: () =>
      withApiErrors(() =>
        database.transaction((connection) => discardCall(connection, ours, [callId, leaseId])),
      ),
  };
}

/** The condition for a call with the key $2 of the client $1. */
const withKey = 'coalesce(client_id, 0) = coalesce($1::bigint, 0) and idempotency_key = $2';

async function claim(
  database: Database,
  call: StoredCall,
  leaseId: string,
  keyHours: number,
): Promise<Claim> {
  const { clientId, operation, key } = call;
  const owner = [clientId, key?.text ?? null];
  // An expired key can be used again even if the retention run has not removed it yet.
  if (key)
    await database.query(
      `update anagrafe.calls set idempotency_key = null where ${withKey} and key_expires_at <= now()`,
      owner,
    );
  const callId = randomUUID();
  const isNew = await ofRun(database, call, async (connection) => {
    const made = await insertCall(connection, { id: callId, leaseId, keyHours, ...call });
    if (made) await joinRun(connection, callId, call);
    return made;
  });
  if (isNew) return { state: 'new', callId, lease: openLease(database, callId, leaseId) };
  const [known] = await database.query<KnownCall>(
    `select id, state, is_job, fingerprint = any($3) and operation = $4 as same from anagrafe.calls where ${withKey}`,
    [...owner, key?.fingerprints, operation],
  );
  // Another request deleted the call between the two statements, because it failed as a whole: try again.
  if (!known) return claim(database, call, leaseId, keyHours);
  if (!known.same) return { state: 'reused' };
  if (known.is_job) return { state: 'job', callId: known.id };
  if (known.state === 'completed') return { state: 'answered', callId: known.id };
  const isTaken = await ofRun(database, call, async (connection) => {
    const taken = await connection.query(
      `update anagrafe.calls set lease_id = $2, lease_renewed_at = now()
        where id = $1 and state = 'open' and ${unleased} returning id`,
      [known.id, leaseId],
    );
    if (taken.length > 0) await joinRun(connection, known.id, call);
    return taken.length > 0;
  });
  return isTaken
    ? { state: 'resumed', callId: known.id, lease: openLease(database, known.id, leaseId) }
    : { state: 'running' };
}

/** Runs `work` in a transaction if the call has a run. A claim may be repeated, so a lost commit is one without an answer. */
function ofRun<Result>(
  database: Database,
  { run }: StoredCall,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  if (run === null) return work(database);
  return database.transaction(work).catch((error) => {
    throw error instanceof CommitUnknown ? new NoAnswer(error) : error;
  });
}

/** Returns false if a call with the key exists. */
async function insertCall(
  connection: Connection,
  call: StoredCall & { readonly id: string; readonly leaseId: string; readonly keyHours: number },
): Promise<boolean> {
  const { id, leaseId, keyHours, clientId, operation, key, run, records, users } = call;
  const made = await connection.query(
    `insert into anagrafe.calls
       (id, client_id, idempotency_key, operation, fingerprint, state, records, users, lease_id, lease_renewed_at,
        key_expires_at, run_id)
     values ($1, $2, $3, $4, $5, 'open', $6, $7, $8, now(), now() + make_interval(hours => $9), $10)
     on conflict do nothing returning id`,
    [
      id,
      clientId,
      key?.text,
      operation,
      key?.fingerprints[0],
      records,
      users,
      leaseId,
      key ? keyHours : null,
      run,
    ],
  );
  return made.length > 0;
}
