import type { Database } from './database.ts';
import { sourceDays } from './guesses.ts';

/** So many rows go in one statement, which is soon done. */
const rowsAtOnce = 5000;

/**
 * Removes what is kept no longer: calls and jobs that ended long ago, and calls that nobody has ended while their key was
 * good. One whose key is still remembered stays, or the same call would be done again.
 */
export async function sweepCalls(database: Database, options: { jobDays: number }): Promise<number> {
  await database.query(
    `update anagrafe.calls set idempotency_key = null
      where idempotency_key is not null and state <> 'open' and key_expires_at <= now()`,
  );
  const old = await database.query<{ id: string }>(
    `select id from anagrafe.calls
      where ended_at <= now() - make_interval(days => $1) and idempotency_key is null
     union all
     select id from anagrafe.calls where state = 'open' and key_expires_at <= now()`,
    [options.jobDays],
  );
  let swept = 0;
  for (const { id } of old) swept += await sweepCall(database, id);
  return swept;
}

/** The outcomes first, which may be a hundred thousand: what is left of a call that is half gone is swept next time. */
async function sweepCall(database: Database, id: string): Promise<number> {
  for (let from = 0; ; from += rowsAtOnce) {
    await database.query(
      'delete from anagrafe.outcomes where call_id = $1 and position >= $2 and position < $3',
      [id, from, from + rowsAtOnce],
    );
    const left = await database.query('select from anagrafe.outcomes where call_id = $1 limit 1', [id]);
    if (left.length === 0) break;
  }
  const gone = await database.query('delete from anagrafe.calls where id = $1 returning id', [id]);
  return gone.length;
}

/** What else is kept no longer than it is of use. */
export interface Keeping {
  readonly deliveryDays: number;
  /** Zero: for good. */
  readonly auditDays: number;
}

/** Removes sessions that have expired, secrets that have ended, guesses and sources of sign-ins that are forgotten, deliveries and the beginning of the journal. */
export async function sweepAccounts(database: Database, keeping: Keeping): Promise<number> {
  await database.query(
    'update anagrafe.webhooks set old_secret = null, old_secret_ends_at = null where old_secret_ends_at <= now()',
  );
  return (
    (await sweepRows(database, 'sessions', 'refresh_expires_at <= now() - make_interval(days => $1)', 0)) +
    (await sweepRows(database, 'console_sessions', 'used_at <= now() - make_interval(days => $1)', 1)) +
    (await sweepRows(database, 'throttles', 'updated_at <= now() - make_interval(days => $1)', 1)) +
    (await sweepRows(
      database,
      'sign_in_sources',
      'used_at <= now() - make_interval(days => $1)',
      sourceDays,
    )) +
    (await sweepRows(
      database,
      'deliveries',
      `state <> 'pending' and created_at <= now() - make_interval(days => $1)`,
      keeping.deliveryDays,
    )) +
    (await sweepJournal(database, keeping))
  );
}

async function sweepRows(
  database: Database,
  table: 'sessions' | 'console_sessions' | 'throttles' | 'sign_in_sources' | 'deliveries',
  condition: string,
  days: number,
): Promise<number> {
  let swept = 0;
  for (;;) {
    const gone = await database.query(
      `delete from anagrafe.${table} where ctid = any(array(
         select ctid from anagrafe.${table} where ${condition} limit ${rowsAtOnce})) returning 1`,
      [days],
    );
    swept += gone.length;
    if (gone.length < rowsAtOnce) return swept;
  }
}

/**
 * From the beginning of the chain on, so that what is left holds together; where it begins now is written down. What
 * an endpoint has not been told yet stays as long as deliveries are kept.
 */
async function sweepJournal(database: Database, { auditDays, deliveryDays }: Keeping): Promise<number> {
  if (auditDays === 0) return 0;
  let swept = 0;
  for (;;) {
    const gone = await database.query(
      `with old as (
         select position from anagrafe.journal, anagrafe.journal_chain
          where position >= first_position and position < first_position + ${rowsAtOnce}
            and at <= now() - make_interval(days => $1)
            and position < (select last_position from anagrafe.journal_chain)
            and position <= coalesce((
              select min(position) from anagrafe.webhooks
               where deleted_at is null and (disabled_at is null or disabled_at > now() - make_interval(days => $2))),
              position)
            and not exists (select from anagrafe.deliveries
                             where deliveries.position = journal.position and state = 'pending'
                               and created_at > now() - make_interval(days => $2))
          order by position
       ), whole as (
         -- Up to the first one that stays.
         select position from (select position, row_number() over (order by position) as nth from old) as numbered,
                anagrafe.journal_chain
          where position = first_position + nth - 1
       ), gone as (
         delete from anagrafe.journal where position in (select position from whole) returning position, seal
       ), chain as (
         update anagrafe.journal_chain
            set first_position = last.position + 1, first_seal = last.seal
           from (select position, seal from gone order by position desc limit 1) as last
       )
       select from gone`,
      [auditDays, deliveryDays],
    );
    swept += gone.length;
    if (gone.length < rowsAtOnce) return swept;
  }
}
