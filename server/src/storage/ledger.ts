import { randomUUID } from 'node:crypto';
import {
  type CallLedger,
  type Claim,
  type CompletedDetails,
  type Hand,
  type KeyedCall,
  leaseMs,
} from '../core/calls/ledger.ts';
import type { KeptRefusal } from '../core/jobs/kept-refusal.ts';
import type { Author } from '../core/journal/journal.ts';
import type { Outcome } from '../core/records/outcome.ts';
import type { Database } from './database.ts';
import { reading } from './failures.ts';
import { authorColumns, authorPlaces, authorValues, openJournal } from './journal.ts';
import {
  insertRefusals,
  keepRefusals,
  type OutcomeRow,
  outcomeColumns,
  refusalsJson,
  toOutcomes,
} from './outcomes.ts';

interface KnownCall {
  readonly id: string;
  readonly state: 'open' | 'queued' | 'running' | 'completed';
  readonly is_job: boolean;
  readonly same: boolean;
}

interface TakenCall {
  readonly id: string;
  readonly at: string;
}

/** The calls that were sent with an idempotency key, and what others refused. */
export function openLedger(database: Database, options: { keyHours: number }): CallLedger {
  return {
    claim: (call) => reading(() => claim(database, call, options.keyHours)),
    outcomes: (callId) => reading(() => outcomes(database, callId)),
    refuse: (callId, refusals) => reading(() => keepRefusals(database, callId, refusals)),
    complete: (callId, author, details) => reading(() => complete(database, callId, author, details)),
    note: (callId, refusals, author, details) =>
      reading(() => note(database, callId, refusals, author, details)),
  };
}

async function complete(
  database: Database,
  callId: string,
  author: Author,
  details: CompletedDetails,
): Promise<void> {
  await database.query(
    `with completed as (
       update anagrafe.calls set state = 'completed', in_hand_at = null, ended_at = now()
        where id = $1 and state = 'open' returning id
     )
     insert into anagrafe.journal (${authorColumns}, action, details)
     select ${authorPlaces(2)}, 'call.completed', $8::jsonb from completed`,
    [callId, ...authorValues(author, callId), JSON.stringify(details)],
  );
}

/** A call that refused nothing leaves nothing but its row in the journal. */
async function note(
  database: Database,
  callId: string,
  refusals: readonly KeptRefusal[],
  author: Author,
  details: CompletedDetails,
): Promise<void> {
  const action = 'call.completed';
  if (refusals.length === 0) return openJournal(database).note(author, { action, callId, details });
  const { operation, records, users, recordsFailed, usersApplied } = details;
  await database.query(
    `with call as (
       insert into anagrafe.calls
         (id, client_id, operation, state, ended_at, records, users, records_failed, users_applied)
       values ($1, $3, $4, 'completed', now(), $5, $6, $7, $8)
     ), refused as (${insertRefusals(1)})
     insert into anagrafe.journal (${authorColumns}, action, details)
     values (${authorPlaces(9)}, '${action}', $15::jsonb)`,
    [
      callId,
      await refusalsJson(refusals),
      author.clientId,
      operation,
      records,
      users,
      recordsFailed,
      usersApplied,
      ...authorValues(author, callId),
      JSON.stringify(details),
    ],
  );
}

/**
 * The holder of a lease recognises it by the time of its last renewal, which no other holder has written. It chooses
 * that time itself: when the answer to a renewal is lost, the row has the old time or the new one, and both are its own.
 */
function openHand(database: Database, { id, at }: TakenCall): Hand {
  const claimedAt = Date.parse(at);
  const start = performance.now();
  let times = [at];
  let last: Promise<void> = Promise.resolve();

  /** Runs one statement after the other, so that each knows which times the one before may have written. */
  function change(statement: () => Promise<unknown>): Promise<void> {
    const next = async () => {
      await reading(statement);
    };
    last = last.then(next, next);
    return last;
  }

  async function renew(): Promise<void> {
    const time = new Date(claimedAt + performance.now() - start).toISOString();
    const before = times;
    times = [...before, time];
    const renewed = await database.query(
      `update anagrafe.calls set in_hand_at = $3::timestamptz where ${ours} returning id`,
      [id, before, time],
    );
    if (renewed.length > 0) times = [time];
  }

  const ours = `id = $1 and state = 'open' and in_hand_at = any($2::timestamptz[])`;
  return {
    keep: () => change(renew),
    giveUp: () =>
      change(() => database.query(`update anagrafe.calls set in_hand_at = null where ${ours}`, [id, times])),
    forget: () => change(() => database.query(`delete from anagrafe.calls where ${ours}`, [id, times])),
  };
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
  const [made] = await database.query<TakenCall>(
    `insert into anagrafe.calls
       (id, client_id, idempotency_key, operation, fingerprint, state, in_hand_at, key_expires_at)
     values ($3, $1, $2, $4, $5, 'open', now(), now() + make_interval(hours => $6))
     on conflict do nothing returning id, in_hand_at::text as at`,
    [...owner, randomUUID(), operation, key.fingerprint, keyHours],
  );
  if (made) return { state: 'new', callId: made.id, hand: openHand(database, made) };
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
  const [taken] = await database.query<TakenCall>(
    `update anagrafe.calls set in_hand_at = now()
      where id = $1 and state = 'open' and (in_hand_at is null or in_hand_at < now() - make_interval(secs => $2))
     returning id, in_hand_at::text as at`,
    [known.id, leaseMs / 1000],
  );
  return taken
    ? { state: 'resumed', callId: taken.id, hand: openHand(database, taken) }
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
