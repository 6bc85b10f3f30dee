import { arrayLiteral, type Query, type Statement, statement } from '../../db/statement.ts';
import { resetUsers, usersTo } from './change.ts';
import { deletedPrincipals, deletedUsers, idOf, principalIds, withRows } from './statement-values.ts';
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

/** Returns the users that are deleted, alone or with their principal. */
export function deletedIn(changes: readonly WritableChange[]): UsersWithPrincipals {
  return { users: deletedUsers(changes), principals: deletedPrincipals(changes) };
}

/** Returns the users that are disabled or deleted, or whose password is reset. */
export function usersWithoutAccess(changes: readonly WritableChange[]): UsersWithPrincipals {
  const deleted = deletedIn(changes);
  const disabled = changes.filter(
    ({ principal }) =>
      principal.kind === 'edit' &&
      principal.changed.includes('State') &&
      principal.values.state === 'disabled',
  );
  const edits = changes.flatMap((change) => usersTo(change, 'edit'));
  const users = edits.filter(({ state }) => state === 'disabled').map(idOf);
  return {
    users: [...deleted.users, ...changes.flatMap(resetUsers), ...users],
    principals: [...deleted.principals, ...principalIds(disabled)],
  };
}

/** Ends the sessions of users that are disabled, moved or deleted, or whose password is reset. */
export function endSessions(changes: readonly WritableChange[]): Query[] {
  const { users, principals } = usersWithoutAccess(changes);
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
export function forgetSignIns(changes: readonly WritableChange[]): Query[] {
  const { users, principals } = deletedIn(changes);
  const values = { users: [...users, ...changes.flatMap(resetUsers)], principals };
  return [...withUsers(forgetThrottlesStatement, values), ...withUsers(forgetSourcesStatement, values)];
}

export function withUsers(sql: Statement, { users, principals }: UsersWithPrincipals): Query[] {
  const values = { users: arrayLiteral(users), principals: arrayLiteral(principals) };
  return withRows(sql, [...users, ...principals], values);
}
