import { randomUUID } from 'node:crypto';
import { type CallLedger, type Claim, inHandMs, type KeyedCall } from '../core/calls/ledger.ts';
import type { Outcome } from '../core/records/outcome.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';
import { keepRefusals, type OutcomeRow, outcomeColumns, toOutcomes } from './outcomes.ts';

/** A call that nobody has said anything about for so long is in nobody's hands any more. */
const lostSeconds = (4 * inHandMs) / 1000;

interface KnownCall {
  readonly id: string;
  readonly state: 'open' | 'queued' | 'running' | 'completed';
  readonly is_job: boolean;
  readonly same: boolean;
}

/** The calls that were sent with an idempotency key. */
export function openLedger(database: Database, options: { keyHours: number }): CallLedger {
  return {
    claim: (call) => reading(() => claim(database, call, options.keyHours)),
    keepInHand: (callId) =>
      change(`update anagrafe.calls set in_hand_at = now() where id = $1 and in_hand_at is not null`, callId),
    outcomes: (callId) => reading(() => outcomes(database, callId)),
    refuse: (callId, refusals) => reading(() => keepRefusals(database, callId, refusals)),
    complete: (callId) =>
      change(
        `update anagrafe.calls set state = 'completed', in_hand_at = null, ended_at = now()
          where id = $1 and state = 'open'`,
        callId,
      ),
    giveUp: (callId) =>
      change(`update anagrafe.calls set in_hand_at = null where id = $1 and state = 'open'`, callId),
    forget: (callId) => change(`delete from anagrafe.calls where id = $1 and state = 'open'`, callId),
  };

  async function change(sql: string, callId: string): Promise<void> {
    await reading(() => database.query(sql, [callId]));
  }
}

async function claim(database: Database, call: KeyedCall, keyHours: number): Promise<Claim> {
  const { clientId, operation, key } = call;
  const owner = [clientId, key.text];
  // A key that has expired is free, whether or not it has been swept.
  await database.query(
    `update anagrafe.calls set idempotency_key = null
      where coalesce(client_id, 0) = coalesce($1::bigint, 0) and idempotency_key = $2 and key_expires_at <= now()`,
    owner,
  );
  const [made] = await database.query<{ id: string }>(
    `insert into anagrafe.calls
       (id, client_id, idempotency_key, operation, fingerprint, state, in_hand_at, key_expires_at)
     values ($3, $1, $2, $4, $5, 'open', now(), now() + make_interval(hours => $6))
     on conflict do nothing returning id`,
    [...owner, randomUUID(), operation, key.fingerprint, keyHours],
  );
  if (made) return { state: 'new', callId: made.id };
  const [known] = await database.query<KnownCall>(
    `select id, state, is_job, fingerprint = $3 and operation = $4 as same from anagrafe.calls
      where coalesce(client_id, 0) = coalesce($1::bigint, 0) and idempotency_key = $2`,
    [...owner, key.fingerprint, operation],
  );
  // Forgotten this very moment: the call that had the key was refused as a whole.
  if (!known) return claim(database, call, keyHours);
  if (!known.same) return { state: 'reused' };
  if (known.is_job) return { state: 'job', callId: known.id };
  if (known.state === 'completed') return { state: 'answered', callId: known.id };
  const [taken] = await database.query<{ id: string }>(
    `update anagrafe.calls set in_hand_at = now()
      where id = $1 and state = 'open' and (in_hand_at is null or in_hand_at < now() - make_interval(secs => $2))
     returning id`,
    [known.id, lostSeconds],
  );
  return taken ? { state: 'resumed', callId: taken.id } : { state: 'running' };
}

async function outcomes(database: Database, callId: string): Promise<Map<number, Outcome>> {
  const rows = await database.query<OutcomeRow>(
    `select ${outcomeColumns} from anagrafe.outcomes where call_id = $1 order by position`,
    [callId],
  );
  const read = await toOutcomes(database, rows);
  return new Map(rows.map((row, at) => [row.position, read[at] as Outcome]));
}
