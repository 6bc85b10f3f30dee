import type { Query } from '../../db/database.ts';
import { preparedStatement } from '../../db/statement.ts';
import type { PrincipalChange } from './change.ts';
import { idOf, principalIds } from './query.ts';

const countRows = (kind: 'principals' | 'users', alsoRemoved: string) => `
  insert into anagrafe.row_counts as counted (kind, block, slot, amount)
  select '${kind}', id >> 12, pg_backend_pid() % 16, sum(amount)
    from (select unnest(:added::bigint[]) as id, 1 as amount
          union all select unnest(:removed::bigint[]), -1 ${alsoRemoved}) as changed
   group by id >> 12 order by id >> 12
  on conflict (kind, block, slot) do update set amount = counted.amount + excluded.amount`;

const countUsersStatement = preparedStatement(
  'count users',
  countRows(
    'users',
    `union all select id, -1 from anagrafe.users where principal_id = any(:principals::bigint[])`,
  ),
);
const countPrincipalsStatement = preparedStatement('count principals', countRows('principals', ''));

export function countUsers(
  changes: readonly PrincipalChange[],
  deleted: readonly PrincipalChange[],
): Query[] {
  const added = changes.flatMap(({ registrations }) => registrations.map(idOf));
  const removed = changes.flatMap(({ deletes }) => deletes);
  const principals = principalIds(deleted);
  const isNeeded = added.length + removed.length + principals.length > 0;
  return isNeeded ? [{ statement: countUsersStatement, values: { added, removed, principals } }] : [];
}

export function countPrincipals(
  changes: readonly PrincipalChange[],
  deleted: readonly PrincipalChange[],
): Query[] {
  const added = principalIds(changes.filter(({ principal }) => principal.kind === 'insert'));
  const removed = principalIds(deleted);
  const isNeeded = added.length + removed.length > 0;
  return isNeeded ? [{ statement: countPrincipalsStatement, values: { added, removed } }] : [];
}
