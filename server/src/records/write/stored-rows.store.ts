import { arrayLiteral, type Query, statement } from '../../db/statement.ts';
import { isVisible } from '../../db/visibility.ts';
import type { State } from '../fields/fields.ts';
import { sourcesOf, type UserMove, usersTo } from './change.ts';
import { deletedPrincipals, deletedUsers, idOf, principalIds, withIds } from './statement-values.ts';
import type { WritableChange } from './writable-change.ts';

// The rows that the checks relied on. A transaction locks them first, and compares them with what the checks found.

interface LockedPrincipal {
  readonly kind: 'principal';
  readonly id: number;
  readonly version: string;
  readonly state: State;
  readonly externalKey: string | null;
  readonly usersCount: number;
  readonly tags: readonly string[] | null;
}

interface LockedUser {
  readonly kind: 'user';
  readonly id: number;
  readonly principalId: number;
  readonly usernameKey: string;
  readonly version: string;
  readonly state: State;
  readonly hasPassword: boolean;
  /** Null if no change depends on it. */
  readonly passwordHash: string | null;
}

export interface StoredRows {
  readonly principals: ReadonlyMap<number, LockedPrincipal>;
  readonly users: ReadonlyMap<number, LockedUser>;
  /** The digests of valid codes, in hexadecimal, of users whose change depends on them. */
  readonly codes: ReadonlySet<string>;
}

interface LockedCode {
  readonly kind: 'code';
  readonly digest: string;
}

/** SQL for a time in microseconds, which a JavaScript date cannot hold. */
const microseconds = (time: string) => `(extract(epoch from ${time}) * 1000000)::bigint::text`;

/**
 * SQL for the version of a principal. Every change of the principal or of one of its users increases it, except the move
 * of a user to another principal: in a call that moves users, the records of both principals are valid as they were
 * checked. A change names its users, which are compared themselves.
 */
export function versionOf(table: string): string {
  return microseconds(`coalesce(${table}.version_at, ${table}.updated_at)`);
}

export const userVersion = microseconds('users.updated_at');

const selectPrincipals = `
  select 'principal' as kind, id, ${versionOf('principals')} as version, state, external_key as "externalKey",
         users_count as "usersCount", tags
    from anagrafe.principals where id = any(:ids::bigint[])`;

const selectUsers = `
  select 'user' as kind, id, principal_id as "principalId", username_key as "usernameKey", ${userVersion} as version,
         state, password_hash is not null as "hasPassword", case when id = any(:compared::bigint[]) then password_hash end as "passwordHash"
    from anagrafe.users where id = any(:ids::bigint[]) order by id`;

/** A group leaves out the records whose rows are locked; a single record waits for them. */
function lockStatement(sql: string) {
  return { waiting: statement(sql), skipping: statement(`${sql} skip locked`) };
}

/** For records that change nothing: their values only have to be the ones that were compared. */
const versionsStatement = statement(selectPrincipals);
const lockPrincipalsStatement = lockStatement(`${selectPrincipals} order by id for update`);
/** A sign-in creates a session meanwhile. */
const lockChangedUsersStatement = lockStatement(`${selectUsers} for no key update`);
/** A sign-in waits: it locks the user before its sessions and counters, too. */
const lockDeletedUsersStatement = lockStatement(`${selectUsers} for update`);
/** The users of principals that are deleted, of which there may be a million. It waits: none of them may be left. */
const lockUsersOfStatement = statement(
  `select count(*) from (
     select from anagrafe.users where principal_id = any(:ids::bigint[]) order by id for update) as locked`,
);

/** Follows the lock of the users, so that of two transactions with one code the second does not find it. */
const lockCodesStatement = statement(
  `select 'code' as kind, encode(digest, 'hex') as digest from anagrafe.password_codes
    where user_id = any(:ids::bigint[]) and expires_at > now() order by user_id, kind for update`,
);

export function readVersions(changes: readonly WritableChange[]): Query[] {
  return withIds(versionsStatement, principalIds(changes));
}

/** Locks the principals, and then the users that must exist under them. A group does not wait for locked rows. */
export function lockRows(changes: readonly WritableChange[], { isGroup }: { isGroup: boolean }): Query[] {
  const mode = isGroup ? 'skipping' : 'waiting';
  const existing = changes.filter(({ principal }) => principal.kind !== 'insert');
  const principals = new Set([...principalIds(existing), ...changes.flatMap(sourcesOf)]);
  const changedUsers = changes.flatMap((change) =>
    usersTo(change, 'reset', 'edit', 'move', 'invite').map(idOf),
  );
  const withCodes = changes.filter(({ context }) => context.expectedCode !== undefined);
  const compared = arrayLiteral(
    changes.filter(({ context }) => context.expectedCurrentHash !== undefined).flatMap(existingIds),
  );
  return [
    ...withIds(lockPrincipalsStatement[mode], [...principals]),
    ...withIds(lockChangedUsersStatement[mode], changedUsers, { compared }),
    ...withIds(lockDeletedUsersStatement[mode], deletedUsers(changes), { compared }),
    ...withIds(lockUsersOfStatement, deletedPrincipals(changes)),
    ...withIds(lockCodesStatement, withCodes.flatMap(existingIds)),
  ];
}

/** Returns the users that must exist under the principal, or under the one that they move from. */
function existingUsers(change: WritableChange) {
  return usersTo(change, 'reset', 'edit', 'move', 'invite', 'delete');
}

function existingIds(change: WritableChange): number[] {
  return existingUsers(change).map(idOf);
}

export function storedRows(rows: readonly unknown[]): StoredRows {
  const found = rows as readonly (LockedPrincipal | LockedUser | LockedCode)[];
  const principals = found.filter((row) => row.kind === 'principal');
  const users = found.filter((row) => row.kind === 'user');
  const codes = found.filter((row) => row.kind === 'code');
  return {
    principals: new Map(principals.map((row) => [row.id, row])),
    users: new Map(users.map((row) => [row.id, row])),
    codes: new Set(codes.map(({ digest }) => digest)),
  };
}

/** Returns true if the principals and the users of the change are as the checks found them. */
export function isCurrent(change: WritableChange, { principals, users, codes }: StoredRows): boolean {
  const { principal, principalId, context } = change;
  const sourceOf = new Map(usersTo(change, 'move').map(({ id, from }) => [id, from]));
  if (principal.kind === 'insert' && sourceOf.size === 0 && context.expectedCode === undefined) return true;
  const { expectedCurrentHash, expectedCode, callerTags } = context;
  const sees = (id: number) => isVisible(principals.get(id)?.tags ?? null, callerTags);
  return (
    (expectedCode === undefined || codes.has(expectedCode)) &&
    (principal.kind === 'insert' || sees(principalId)) &&
    isCurrentPrincipal(change, principals.get(principalId)) &&
    isCurrentMerge(change, principals) &&
    sourcesOf(change).every((id) => principals.has(id) && sees(id)) &&
    existingUsers(change).every((user) => {
      const stored = users.get(user.id);
      if (!stored || stored.principalId !== (sourceOf.get(user.id) ?? principalId)) return false;
      if (user.kind === 'move' && !isCurrentMove(user, stored)) return false;
      if (user.kind === 'invite') {
        if (stored.state !== 'active' || (user.unlessHasPassword && stored.hasPassword)) return false;
      }
      return expectedCurrentHash === undefined || expectedCurrentHash === stored.passwordHash;
    })
  );
}

function isCurrentPrincipal(change: WritableChange, stored: LockedPrincipal | undefined): boolean {
  const { principal, expectedVersion, storedUsers } = change;
  if (principal.kind === 'insert') return true;
  if (!stored) return false;
  // A user that was moved away is not deleted.
  if (principal.kind === 'delete' && storedUsers !== stored.usersCount) return false;
  // The checks of a record with a version have compared the stored state.
  const needsActive = usersTo(change, 'register', 'move', 'invite').length > 0;
  if (expectedVersion === null && needsActive && stored.state !== 'active') return false;
  return expectedVersion === null || expectedVersion === stored.version;
}

/** A user that another call has moved away from the principal does not change its version. */
function isCurrentMerge({ merged }: WritableChange, principals: StoredRows['principals']): boolean {
  if (!merged) return true;
  const { version, usersCount } = principals.get(merged.id) ?? {};
  return version === merged.version && usersCount === merged.users;
}

function isCurrentMove({ usernameKey, expectedVersion }: UserMove, user: LockedUser): boolean {
  return user.usernameKey === usernameKey && (expectedVersion === null || expectedVersion === user.version);
}
