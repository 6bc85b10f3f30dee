import { arrayLiteral, type Query, type Statement, statement } from '../../db/statement.ts';
import { resetUsers, usersTo } from './change.ts';
import { deletedUsers, idOf, principalIds, withRows } from './statement-values.ts';
import type { WritableChange } from './writable-change.ts';

/** SQL for the IDs of some users, and of all users of some principals. */
export const usersAndThoseOfPrincipals = `array(
  select unnest(:users::bigint[])
  union all select id from anagrafe.users where principal_id = any(:principals::bigint[]))`;

const endSessionsStatement = statement(
  `delete from anagrafe.sessions where user_id = any(${usersAndThoseOfPrincipals})`,
);

/** Some users, and all users of some principals. */
interface UsersWithPrincipals {
  readonly users: readonly number[];
  readonly principals: readonly number[];
}

/** Returns the users that are disabled or deleted, or whose password is reset. */
export function usersWithoutAccess(
  changes: readonly WritableChange[],
  deleted: readonly WritableChange[],
): UsersWithPrincipals {
  const disabled = changes.filter(
    ({ principal }) =>
      principal.kind === 'edit' &&
      principal.changed.includes('State') &&
      principal.values.state === 'disabled',
  );
  const users = changes
    .flatMap((change) => usersTo(change, 'edit'))
    .filter(({ state }) => state === 'disabled');
  return {
    users: [...resetOrDeletedUsers(changes), ...users.map(idOf)],
    principals: principalIds([...disabled, ...deleted]),
  };
}

/** Ends the sessions of users that are disabled, moved or deleted, or whose password is reset. */
export function endSessions(changes: readonly WritableChange[], deleted: readonly WritableChange[]): Query[] {
  const { users, principals } = usersWithoutAccess(changes, deleted);
  const moved = changes.flatMap((change) => usersTo(change, 'move').map(idOf));
  return withUsers(endSessionsStatement, { users: [...users, ...moved], principals });
}

const forgetThrottlesStatement = statement(
  `delete from anagrafe.throttles where user_id = any(${usersAndThoseOfPrincipals})`,
);
const forgetSourcesStatement = statement(
  `delete from anagrafe.sign_in_sources where user_id = any(${usersAndThoseOfPrincipals})`,
);

/** Forgets the wrong passwords and the known sources of users that are deleted, or whose password is reset. */
export function forgetSignIns(
  changes: readonly WritableChange[],
  deleted: readonly WritableChange[],
): Query[] {
  const values = { users: resetOrDeletedUsers(changes), principals: principalIds(deleted) };
  return [...withUsers(forgetThrottlesStatement, values), ...withUsers(forgetSourcesStatement, values)];
}

/** Returns the users that are deleted, or whose password is reset. */
function resetOrDeletedUsers(changes: readonly WritableChange[]): number[] {
  return [...changes.flatMap(resetUsers), ...deletedUsers(changes)];
}

export function withUsers(sql: Statement, { users, principals }: UsersWithPrincipals): Query[] {
  const values = { users: arrayLiteral(users), principals: arrayLiteral(principals) };
  return withRows(sql, [...users, ...principals], values);
}
