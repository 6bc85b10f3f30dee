import { actorColumns } from '../../audit/audit.store.ts';
import { arrayLiteral, preparedStatement, type Query, rowsParameter, statement } from '../../db/statement.ts';
import { type AuditedChange, auditRows } from './audited-change.ts';
import { digestsOf } from './changed-values.store.ts';
import { withRows } from './statement-values.ts';
import { usersPerAuditRow, type WritableChange } from './writable-change.ts';

const auditRowsParameter = rowsParameter('row', {
  actor: 'text',
  client_id: 'bigint',
  user_id: 'bigint',
  address: 'inet',
  request_id: 'text',
  call_id: 'uuid',
  action: 'text',
  principal_id: 'bigint',
  registered: 'text',
  reset: 'text',
  deleted: 'text',
  details: 'text',
  change_id: 'uuid',
});

interface AuditRow extends AuditedChange {
  readonly change: WritableChange;
}

const auditColumns = {
  actor: ({ change }: AuditRow) => change.context.actor.kind,
  client_id: ({ change }: AuditRow) => change.context.actor.clientId,
  user_id: ({ change }: AuditRow) => change.context.actor.userId,
  address: ({ change }: AuditRow) => change.context.actor.address,
  request_id: ({ change }: AuditRow) => change.context.actor.requestId,
  call_id: ({ change }: AuditRow) => change.context.call?.id ?? null,
  action: ({ action }: AuditRow) => action,
  principal_id: ({ principalId }: AuditRow) => principalId,
  registered: ({ registered }: AuditRow) => arrayLiteral(registered),
  reset: ({ reset }: AuditRow) => arrayLiteral(reset),
  deleted: ({ deleted }: AuditRow) => arrayLiteral(deleted),
  details: ({ details }: AuditRow) => details,
  change_id: ({ changeId }: AuditRow) => changeId,
};

const namedUsers = `nullif(registered::bigint[], '{}'), nullif(reset::bigint[], '{}'), nullif(deleted::bigint[], '{}'),
          nullif(details::jsonb, '{}')`;

const appendAuditRowsStatement = preparedStatement(
  'append audit rows',
  `insert into anagrafe.audit_log (${actorColumns}, action, principal_id, registered, reset, deleted, details)
   select ${actorColumns}, action, principal_id, ${namedUsers} from ${auditRowsParameter.sql} order by row.index`,
);

/** Planned each time, because it reads the table of the changed values. */
const appendChangesStatement = statement(
  `insert into anagrafe.audit_log
     (${actorColumns}, action, principal_id, registered, reset, deleted, details, change_id, digests)
   select ${actorColumns}, action, principal_id, ${namedUsers}, case when digests is not null then change_id end, digests
     from ${auditRowsParameter.sql}
          cross join lateral (select ${digestsOf('row.change_id')} as digests) as changed
    order by row.index`,
);

/** Must follow the edits, whose values it reads. */
export function appendAuditRows(changes: readonly WritableChange[]): Query[] {
  const rows = changes
    .filter(({ principal }) => principal.kind !== 'delete')
    .flatMap((change) => auditRows(change).map((row) => ({ change, ...row })));
  const sql = rows.some(({ changeId }) => changeId !== null)
    ? appendChangesStatement
    : appendAuditRowsStatement;
  return withRows(sql, rows, auditRowsParameter.values(rows, auditColumns));
}

/** The users of a deleted principal are listed in parts, each of which has its own row: there may be a million users. */
const auditDeletionsStatement = statement(
  `insert into anagrafe.audit_log (${actorColumns}, action, principal_id, deleted, details)
   select ${actorColumns}, case when number > 0 then 'update' else 'delete' end, row.principal_id, users,
          nullif(details::jsonb, '{}')
     from ${auditRowsParameter.sql}
          left join lateral (
            select number, array_agg(id order by id) as users
              from (select id, (row_number() over (order by id) - 1) / ${usersPerAuditRow} as number
                      from anagrafe.users where users.principal_id = row.principal_id) as numbered
             group by number) as part on true
    order by row.index, number`,
);

export function auditDeletions(changes: readonly WritableChange[]): Query[] {
  const rows = changes
    .filter(({ principal }) => principal.kind === 'delete')
    .flatMap((change) => auditRows(change).map((row) => ({ change, ...row })));
  return withRows(auditDeletionsStatement, rows, auditRowsParameter.values(rows, auditColumns));
}
