import { ago, expiredAtOnce, type RetentionRule, tableRule } from '../db/retention.ts';
import { statement } from '../db/statement.ts';

/** Number of calls that are deleted together, after their outcomes. */
const callsAtOnce = 500;

export const callRetention: readonly RetentionRule[] = [
  tableRule({
    kind: 'idempotency_keys',
    table: 'calls',
    condition: `idempotency_key is not null and state <> 'open' and key_expires_at <= ${ago(0)}`,
    change: 'update anagrafe.calls set idempotency_key = null',
  }),
  // A call whose key is still valid is kept, because a retry would otherwise be applied again.
  callRule('calls', `ended_at <= ${ago(':jobDays::integer')} and idempotency_key is null`),
  callRule(
    'incomplete_calls',
    `state = 'open' and (key_expires_at <= ${ago(0)} or
       idempotency_key is null and submitted_at <= ${ago(':jobDays::integer')})`,
  ),
  tableRule({
    table: 'runs',
    condition: `started_at <= ${ago(':jobDays::integer')}
      and not exists (select from anagrafe.calls where run_id = runs.id)`,
  }),
];

/** A rule that deletes calls. Their outcomes are deleted first; a call may have 100,000 of them. */
function callRule(kind: string, condition: string): RetentionRule {
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
               select ctid from anagrafe.outcomes where call_id = any($1) limit ${expiredAtOnce})) returning 1`,
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
