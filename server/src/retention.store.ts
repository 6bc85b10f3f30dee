import { sourceDays } from './accounts/login-throttle.store.ts';
import type { Database } from './db/database.ts';

/** Maximum number of rows per delete statement, so that each statement is short. */
const rowsAtOnce = 5000;

/**
 * Deletes calls and jobs that ended more than `jobDays` days ago, and calls that were not completed before their key
 * expired. A call whose key is still valid is kept, because a retry would otherwise be applied again.
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

/** Deletes the outcomes first, of which there may be 100,000. The next sweep continues if this one is interrupted. */
async function sweepCall(database: Database, id: string): Promise<number> {
  for (;;) {
    // Not by ranges of positions: an outcome written behind the current range would never be reached.
    const deleted = await database.query(
      `delete from anagrafe.outcomes where call_id = $1 and position = any(array(
         select position from anagrafe.outcomes where call_id = $1 limit ${rowsAtOnce})) returning 1`,
      [id],
    );
    if (deleted.length === 0) break;
  }
  const gone = await database.query('delete from anagrafe.calls where id = $1 returning id', [id]);
  return gone.length;
}

/** Retention periods in days. */
export interface RetentionPeriods {
  readonly deliveryDays: number;
  /** Zero keeps the audit log forever. */
  readonly auditDays: number;
}

/**
 * Deletes expired sessions, replaced webhook secrets, old login throttles and sign-in sources, old deliveries, and the
 * oldest part of the audit log. Returns the number of deleted rows.
 */
export async function deleteExpiredRows(database: Database, keeping: RetentionPeriods): Promise<number> {
  await database.query(
    'update anagrafe.webhooks set old_secret = null, old_secret_ends_at = null where old_secret_ends_at <= now()',
  );
  const expired: [table: string, condition: string, days: number][] = [
    ['sessions', 'refresh_expires_at <= now() - make_interval(days => $1)', 0],
    ['console_sessions', 'used_at <= now() - make_interval(days => $1)', 1],
    ['throttles', 'updated_at <= now() - make_interval(days => $1)', 1],
    ['sign_in_sources', 'used_at <= now() - make_interval(days => $1)', sourceDays],
    [
      'deliveries',
      `state <> 'pending' and created_at <= now() - make_interval(days => $1)`,
      keeping.deliveryDays,
    ],
  ];
  let swept = 0;
  for (const [table, condition, days] of expired) {
    const statement = `delete from anagrafe.${table} where ctid = any(array(
         select ctid from anagrafe.${table} where ${condition} limit ${rowsAtOnce})) returning 1`;
    swept += await untilFew(() => database.query(statement, [days]));
  }
  return swept + (await sweepAuditLog(database, keeping));
}

/** Repeats a statement until it deletes fewer than `rowsAtOnce` rows. Returns the number of deleted rows. */
async function untilFew(deleteSome: () => Promise<readonly unknown[]>): Promise<number> {
  for (let swept = 0; ; ) {
    const { length } = await deleteSome();
    swept += length;
    if (length < rowsAtOnce) return swept;
  }
}

/**
 * Deletes rows from the beginning of the hash chain, so that the remaining rows still form a chain, and stores the hash
 * that it now begins with. Rows that a webhook has not received yet are kept as long as deliveries.
 */
async function sweepAuditLog(
  database: Database,
  { auditDays, deliveryDays }: RetentionPeriods,
): Promise<number> {
  if (auditDays === 0) return 0;
  return untilFew(() =>
    database.query(
      `with old as (
         select position from anagrafe.audit_log, anagrafe.audit_chain
          where position >= first_position and position < first_position + ${rowsAtOnce}
            and at <= now() - make_interval(days => $1)
            and position < (select last_position from anagrafe.audit_chain)
            and position <= coalesce((
              select min(position) from anagrafe.webhooks
               where deleted_at is null and (disabled_at is null or disabled_at > now() - make_interval(days => $2))),
              position)
            and not exists (select from anagrafe.deliveries
                             where deliveries.position = audit_log.position and state = 'pending'
                               and created_at > now() - make_interval(days => $2))
          order by position
       ), whole as (
         -- Up to the first one that stays.
         select position from (select position, row_number() over (order by position) as nth from old) as numbered,
                anagrafe.audit_chain
          where position = first_position + nth - 1
       ), gone as (
         delete from anagrafe.audit_log where position in (select position from whole) returning position, hash
       ), chain as (
         update anagrafe.audit_chain
            set first_position = last.position + 1, first_hash = last.hash
           from (select position, hash from gone order by position desc limit 1) as last
       )
       select from gone`,
      [auditDays, deliveryDays],
    ),
  );
}
