import type { Query } from '../../db/database.ts';
import { preparedStatement, type Statement } from '../../db/statement.ts';
import { type PrincipalChange, resetUsers } from './change.ts';
import { idOf, principalIds, withRows } from './query.ts';

/** SQL for the IDs of some users, and of all users of some principals. */
const usersAndThoseOf = `array(
  select unnest(:users::bigint[])
  union all select id from anagrafe.users where principal_id = any(:principals::bigint[]))`;

const endSessionsStatement = preparedStatement(
  'end sessions',
  `delete from anagrafe.sessions where user_id = any(${usersAndThoseOf})`,
);

/** Ends the sessions of users that are disabled or deleted, or whose password is reset. */
export function endSessions(
  changes: readonly PrincipalChange[],
  deleted: readonly PrincipalChange[],
): Query[] {
  const disabled = changes.filter(
    ({ principal }) =>
      principal.kind === 'edit' &&
      principal.changed.includes('State') &&
      principal.values.state === 'disabled',
  );
  const users = changes.flatMap(({ edits }) => edits).filter(({ state }) => state === 'disabled');
  const values = {
    users: [...signedOutUsers(changes), ...users.map(idOf)],
    principals: principalIds([...disabled, ...deleted]),
  };
  return withUsers(endSessionsStatement, values);
}

const forgetThrottlesStatement = preparedStatement(
  'forget throttles',
  `delete from anagrafe.throttles where user_id = any(${usersAndThoseOf})`,
);
const forgetSourcesStatement = preparedStatement(
  'forget sources of sign-ins',
  `delete from anagrafe.sign_in_sources where user_id = any(${usersAndThoseOf})`,
);

/** Forgets the wrong passwords and the known sources of users that are deleted, or whose password is reset. */
export function forgetSignIns(
  changes: readonly PrincipalChange[],
  deleted: readonly PrincipalChange[],
): Query[] {
  const values = { users: signedOutUsers(changes), principals: principalIds(deleted) };
  return [...withUsers(forgetThrottlesStatement, values), ...withUsers(forgetSourcesStatement, values)];
}

/** Returns the users that are deleted, or whose password is reset. */
function signedOutUsers(changes: readonly PrincipalChange[]): number[] {
  return changes.flatMap((change) => [...resetUsers(change), ...change.deletes]);
}

function withUsers(
  statement: Statement,
  values: { readonly users: readonly number[]; readonly principals: readonly number[] },
): Query[] {
  return withRows(statement, [...values.users, ...values.principals], values);
}
