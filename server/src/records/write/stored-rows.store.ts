import type { Query } from '../../db/database.ts';
import { preparedStatement } from '../../db/statement.ts';
import type { State } from '../fields.ts';
import type { PrincipalChange } from './change.ts';
import { principalIds, withIds } from './query.ts';

// The rows that the checks relied on. A transaction locks them first, and compares them with what the checks found.

interface LockedPrincipal {
  readonly kind: 'principal';
  readonly id: number;
  readonly version: string;
  readonly state: State;
  readonly externalKey: string | null;
}

interface LockedUser {
  readonly kind: 'user';
  readonly id: number;
  readonly principalId: number;
  readonly usernameKey: string;
  readonly passwordHash: string;
}

export interface StoredRows {
  readonly principals: ReadonlyMap<number, LockedPrincipal>;
  readonly users: ReadonlyMap<number, LockedUser>;
}

/**
 * SQL for the version of a principal: `updated_at` in microseconds, which a JavaScript date cannot hold. Every change
 * of the principal or of one of its users increases it.
 */
export function versionOf(table: string): string {
  return `(extract(epoch from ${table}.updated_at) * 1000000)::bigint::text`;
}

const selectPrincipals = `
  select 'principal' as kind, id, ${versionOf('principals')} as version, state, external_key as "externalKey"
    from anagrafe.principals where id = any(:ids::bigint[])`;

/** For records that change nothing: their values only have to be the ones that were compared. */
const versionsStatement = preparedStatement('read versions of principals', selectPrincipals);
const lockPrincipalsStatement = preparedStatement(
  'lock principals',
  `${selectPrincipals} order by id for update`,
);

const selectUsers = `
  select 'user' as kind, id, principal_id as "principalId", username_key as "usernameKey",
         password_hash as "passwordHash"
    from anagrafe.users where id = any(:ids::bigint[]) order by id`;

/** A sign-in that creates a session need not wait for these users, and they need not wait for it. */
const lockChangedUsersStatement = preparedStatement('lock changed users', `${selectUsers} for no key update`);
/** A sign-in locks the user before its sessions and counters, too. */
const lockDeletedUsersStatement = preparedStatement('lock deleted users', `${selectUsers} for update`);
/** The users of principals that are deleted, of which there may be a million. */
const lockUsersOfStatement = preparedStatement(
  'lock users of deleted principals',
  `select count(*) from (
     select from anagrafe.users where principal_id = any(:ids::bigint[]) order by id for update) as locked`,
);

export function readVersions(changes: readonly PrincipalChange[]): Query[] {
  return withIds(versionsStatement, principalIds(changes));
}

export function lockPrincipals(changes: readonly PrincipalChange[]): Query[] {
  return withIds(lockPrincipalsStatement, principalIds(changes));
}

export function lockUsers(changes: readonly PrincipalChange[]): Query[] {
  const deleted = changes.filter(({ principal }) => principal.kind === 'delete');
  return [
    ...withIds(
      lockChangedUsersStatement,
      changes.flatMap(({ resets, edits }) => [...resets, ...edits].map(({ id }) => id)),
    ),
    ...withIds(
      lockDeletedUsersStatement,
      changes.flatMap(({ deletes }) => deletes),
    ),
    ...withIds(lockUsersOfStatement, principalIds(deleted)),
  ];
}

/** Returns the IDs of the users that must exist under the principal. */
function existingUsers({ resets, edits, deletes }: PrincipalChange): number[] {
  return [...resets.map(({ id }) => id), ...edits.map(({ id }) => id), ...deletes];
}

export function storedRows(rows: readonly unknown[]): StoredRows {
  const found = rows as readonly (LockedPrincipal | LockedUser)[];
  const principals = found.filter((row) => row.kind === 'principal');
  const users = found.filter((row) => row.kind === 'user');
  return {
    principals: new Map(principals.map((row) => [row.id, row])),
    users: new Map(users.map((row) => [row.id, row])),
  };
}

/** Returns true if the principal and the users of the change are as the checks found them. */
export function isCurrent(change: PrincipalChange, { principals, users }: StoredRows): boolean {
  const { principal, principalId, expectedVersion, registrations, context } = change;
  if (principal.kind === 'insert') return true;
  const stored = principals.get(principalId);
  if (!stored) return false;
  // The checks of a record with a version have compared the stored state.
  if (expectedVersion === null && registrations.length > 0 && stored.state !== 'active') return false;
  const isExpected = expectedVersion === null || expectedVersion === stored.version;
  const { expectedCurrentHash } = context;
  return (
    isExpected &&
    existingUsers(change).every((id) => {
      const user = users.get(id);
      const hasHash = expectedCurrentHash === null || expectedCurrentHash === user?.passwordHash;
      return user?.principalId === principalId && hasHash;
    })
  );
}
