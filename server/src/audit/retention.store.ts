import { ago, expiredAtOnce, type RetentionRule, repeatWhileFull } from '../db/retention.ts';
import { statement } from '../db/statement.ts';

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

export const auditRetention: RetentionRule = {
  kind: 'audit_log',
  expired: expiredAuditRows,
  remove: (database, values) => repeatWhileFull(() => database.execute(deleteAuditRows, values)),
};
