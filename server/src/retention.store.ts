import { sourceDays } from './accounts/login-throttle.store.ts';
import type { Database } from './db/database.ts';
import { type ParameterValues, statement } from './db/statement.ts';
import type { Config } from './settings/config.ts';

/** Maximum number of rows per statement, so that each statement is short. */
const rowsAtOnce = 2000;
/** Number of calls that are deleted together, after their outcomes. */
const callsAtOnce = 500;
/** Retention runs every hour. Rows that have expired for longer than this are overdue. */
const overdueHours = 3;
/** Overdue rows of a kind are counted up to this number. */
const countedAtMost = 10_000;

/** Retention periods in days. */
export interface RetentionPeriods {
  /** Counted from the end of a call or job. */
  readonly jobDays: number;
  readonly deliveryDays: number;
  /** Zero keeps the audit log forever. */
  readonly auditDays: number;
}

export function retentionPeriods(config: Config): RetentionPeriods {
  return { jobDays: config.JOB_DAYS, deliveryDays: config.DELIVERY_DAYS, auditDays: config.AUDIT_DAYS };
}

/** Removes one kind of expired rows. */
interface Step {
  readonly kind: string;
  /** FROM and WHERE clauses of the expired rows. */
  readonly expired: string;
  /** Yields the number of removed rows after each statement. */
  remove(database: Database, values: ParameterValues): AsyncIterable<number>;
}

/** SQL for a time in the past. `:hours` is zero to remove rows, and `overdueHours` to count overdue ones. */
const ago = (days: string | number) => `now() - make_interval(days => ${days}, hours => :hours::integer)`;

/** A step that changes the expired rows of a table, by default by deleting them. */
function tableStep(
  kind: string,
  table: string,
  condition: string,
  change = `delete from anagrafe.${table}`,
): Step {
  const expired = `anagrafe.${table} where ${condition}`;
  const changeSome = statement(
    `${change} where ctid = any(array(select ctid from ${expired} limit ${rowsAtOnce})) returning 1`,
  );
  return {
    kind,
    expired,
    remove: (database, values) => untilFew(() => database.execute(changeSome, values)),
  };
}

/** Repeats a statement until it changes fewer than `rowsAtOnce` rows. */
async function* untilFew(changeSome: () => Promise<readonly unknown[]>): AsyncGenerator<number> {
  for (let length = rowsAtOnce; length >= rowsAtOnce; ) {
    ({ length } = await changeSome());
    yield length;
  }
}

/** A step that deletes calls. Their outcomes are deleted first; a call may have 100,000 of them. */
function callStep(kind: string, condition: string): Step {
  const expired = `anagrafe.calls where ${condition}`;
  const findSome = statement(`select id from ${expired} limit ${callsAtOnce}`);
  return {
    kind,
    expired,
    async *remove(database, values) {
      for (;;) {
        const calls = await database.execute<{ id: string }>(findSome, values);
        if (calls.length === 0) return;
        const ids = calls.map(({ id }) => id);
        // Not by ranges of positions: an outcome written behind the current range would never be reached.
        for (let outcomes = 1; outcomes > 0; yield 0)
          ({ length: outcomes } = await database.query(
            `delete from anagrafe.outcomes where ctid = any(array(
               select ctid from anagrafe.outcomes where call_id = any($1) limit ${rowsAtOnce})) returning 1`,
            [ids],
          ));
        // By `ctid`, so that all nodes lock the rows in the same order.
        const deleted = await database.query(
          `delete from anagrafe.calls
            where ctid = any(array(select ctid from anagrafe.calls where id = any($1))) returning 1`,
          [ids],
        );
        yield deleted.length;
      }
    },
  };
}

/**
 * SQL for the positions of the rows that can be deleted from the beginning of the hash chain, up to the first row that
 * stays, so that the remaining rows still form a chain. Rows that a webhook has not received yet are kept as long as
 * deliveries.
 */
const expiredAuditRows = `(
  select position from (
    select position, first_position, row_number() over (order by position) as nth
      from anagrafe.audit_log, anagrafe.audit_chain
     where :auditDays::integer > 0 and at <= ${ago(':auditDays::integer')}
       and position >= first_position and position < first_position + ${rowsAtOnce} and position < last_position
       and position <= coalesce((
         select min(position) from anagrafe.webhooks
          where deleted_at is null
            and (disabled_at is null or disabled_at > now() - make_interval(days => :deliveryDays::integer))),
         position)
       and not exists (select from anagrafe.deliveries
                        where deliveries.position = audit_log.position and state = 'pending'
                          and created_at > now() - make_interval(days => :deliveryDays::integer))
  ) as old
  where position = first_position + nth - 1) as expired`;

/** Also stores the hash that the chain begins with after the deletion. */
const deleteAuditRows = statement(`
  with gone as (
    delete from anagrafe.audit_log where position in (select position from ${expiredAuditRows})
    returning position, hash
  ), chain as (
    update anagrafe.audit_chain
       set first_position = last.position + 1, first_hash = last.hash
      from (select position, hash from gone order by position desc limit 1) as last
  )
  select from gone`);

const auditStep: Step = {
  kind: 'audit_log',
  expired: expiredAuditRows,
  remove: (database, values) => untilFew(() => database.execute(deleteAuditRows, values)),
};

const steps: readonly Step[] = [
  tableStep(
    'idempotency_keys',
    'calls',
    `idempotency_key is not null and state <> 'open' and key_expires_at <= ${ago(0)}`,
    'update anagrafe.calls set idempotency_key = null',
  ),
  // A call whose key is still valid is kept, because a retry would otherwise be applied again.
  callStep('calls', `ended_at <= ${ago(':jobDays::integer')} and idempotency_key is null`),
  callStep(
    'incomplete_calls',
    `state = 'open' and (key_expires_at <= ${ago(0)} or
       idempotency_key is null and submitted_at <= ${ago(':jobDays::integer')})`,
  ),
  tableStep(
    'webhook_secrets',
    'webhooks',
    `old_secret_ends_at <= ${ago(0)}`,
    'update anagrafe.webhooks set old_secret = null, old_secret_ends_at = null',
  ),
  tableStep('sessions', 'sessions', `refresh_expires_at <= ${ago(0)}`),
  tableStep('console_sessions', 'console_sessions', `used_at <= ${ago(1)}`),
  tableStep('throttles', 'throttles', `updated_at <= ${ago(1)}`),
  tableStep('sign_in_sources', 'sign_in_sources', `used_at <= ${ago(sourceDays)}`),
  tableStep(
    'deliveries',
    'deliveries',
    `state <> 'pending' and created_at <= ${ago(':deliveryDays::integer')}`,
  ),
  auditStep,
];

/**
 * Removes the rows whose retention has ended, kind by kind, until the signal is aborted. A kind that fails does not
 * keep the others from being removed. Returns the number of removed rows of each kind that had any.
 */
export async function removeExpired(
  database: Database,
  periods: RetentionPeriods,
  options: { readonly signal: AbortSignal; onError(error: unknown, kind: string): void },
): Promise<Record<string, number>> {
  const values = { ...periods, hours: 0 };
  const removed: Record<string, number> = {};
  for (const { kind, remove } of steps) {
    try {
      for await (const count of remove(database, values)) {
        if (count > 0) removed[kind] = (removed[kind] ?? 0) + count;
        if (options.signal.aborted) return removed;
      }
    } catch (error) {
      options.onError(error, kind);
    }
  }
  return removed;
}

const countSql = statement(
  `select ${steps
    .map(
      ({ kind, expired }) =>
        `(select count(*) from (select from ${expired} limit ${countedAtMost}) as overdue) as ${kind}`,
    )
    .join(', ')}`,
);

/** Returns the number of overdue rows of each kind, up to `countedAtMost`. */
export async function countOverdue(
  database: Database,
  periods: RetentionPeriods,
): Promise<Record<string, number>> {
  const [counts] = await database.execute<Record<string, number>>(countSql, {
    ...periods,
    hours: overdueHours,
  });
  return counts ?? {};
}
