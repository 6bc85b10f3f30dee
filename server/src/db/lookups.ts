import type { Connection } from './database.ts';
import { selectByKeys } from './statement.ts';
import { type CallerTags, sawPrincipalId, seesPrincipal, seesPrincipalId } from './visibility.ts';

export const bothActive = `users.state = 'active' and principals.state = 'active'`;
export const epochsMatch =
  'user_epoch = users.sessions_epoch and principal_epoch = principals.sessions_epoch';
export const sessionsOfUsers =
  'anagrafe.sessions join anagrafe.users on users.id = user_id join anagrafe.principals on principals.id = principal_id';

/** The current names of a user. `email` is null if the user has none. */
export interface UserNames {
  readonly username: string;
  readonly email: string | null;
}

const usersById = selectByKeys(
  'id, username, email',
  'users',
  'id',
  'bigint',
  seesPrincipalId('users.principal_id', '$2'),
);

/** Leaves out the users that the caller does not see. */
export async function namesOf(
  connection: Connection,
  ids: readonly number[],
  callerTags: CallerTags,
): Promise<Map<number, UserNames>> {
  const rows = await connection.query<UserNames & { id: number }>(usersById, [ids, callerTags]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The current names of the principals and users of events. A principal without an external key is absent. */
export interface EventNames {
  readonly externalKeys: ReadonlyMap<number, string>;
  readonly users: ReadonlyMap<number, UserNames>;
  /** The IDs of the principals that a limited caller may know, deleted ones included; null: all. */
  readonly principals: ReadonlySet<number> | null;
}

const principalsById = selectByKeys(
  'id, external_key as key',
  'principals',
  'id',
  'bigint',
  seesPrincipal('principals', '$2'),
);
const knownPrincipals = `select id from unnest($1::bigint[]) as named (id) where ${sawPrincipalId('named.id', '$2')}`;

export async function eventNamesOf(
  connection: Connection,
  { principalIds, userIds }: { principalIds: readonly number[]; userIds: readonly number[] },
  callerTags: CallerTags,
): Promise<EventNames> {
  const ids = [...new Set(principalIds)];
  const principals = await connection.query<{ id: number; key: string | null }>(principalsById, [
    ids,
    callerTags,
  ]);
  const users = userIds.length > 0 ? await namesOf(connection, [...new Set(userIds)], callerTags) : new Map();
  const known = callerTags && (await connection.query<{ id: number }>(knownPrincipals, [ids, callerTags]));
  return {
    externalKeys: new Map(principals.flatMap(({ id, key }) => (key === null ? [] : [[id, key]]))),
    users,
    principals: known && new Set(known.map(({ id }) => id)),
  };
}
