import type { Database } from '../db/database.ts';
import { ago, expiredAtOnce, type RetentionRule, repeatWhileFull, tableRule } from '../db/retention.ts';
import { type ParameterValues, statement } from '../db/statement.ts';

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
       and position >= first_position and position < first_position + ${expiredAtOnce} and position < last_position
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

/** Also deletes them from the history of the users that they name. */
const deleteRows = statement(
  `with gone as (
     delete from anagrafe.audit_log where position in (select position from ${expiredAuditRows})
     returning position, hash, action, user_id, registered, reset, deleted, details
   ), forgotten as (
     delete from anagrafe.audit_users
      using (select position, named
               from gone cross join lateral
                    anagrafe.users_named(action, user_id, registered, reset, deleted, details)) as old
      where audit_users.user_id = named and audit_users.position = old.position
   )
   select position, hash from gone`,
);

interface DeletedRow {
  readonly position: number;
  readonly hash: Buffer;
}

export const auditRetention: readonly RetentionRule[] = [
  {
    kind: 'audit_log',
    expired: expiredAuditRows,
    remove: (database, values) => repeatWhileFull(() => deleteExpired(database, values)),
  },
  tableRule({ table: 'deleted_principals', condition: `deleted_at <= ${ago(':eventDays::integer')}` }),
  tableRule({ table: 'changed_values', condition: `changed_at <= ${ago(':historyDays::integer')}` }),
];

/** Deletes rows, and stores the hash that the rest of the chain begins with. Returns the deleted rows. */
function deleteExpired(database: Database, values: ParameterValues): Promise<readonly DeletedRow[]> {
  return database.transaction(async (connection) => {
    const deleted = await connection.execute<DeletedRow>(deleteRows, values);
    if (deleted.length > 0) {
      const last = deleted.reduce((one, other) => (one.position > other.position ? one : other));
      await connection.query('update anagrafe.audit_chain set first_position = $1, first_hash = $2', [
        last.position + 1,
        last.hash,
      ]);
    }
    return deleted;
  });
}
