import { required } from '../../lib/required.ts';
import type { OwnUser } from '../check/check.store.ts';
import {
  editPrincipal,
  editUser,
  fieldChanges,
  insertPrincipal,
  newUser,
  shownInvite,
  stateEdit,
} from '../check/compare.ts';
import { moveOf } from '../check/moves.ts';
import type { CallOptions } from '../check/operation.ts';
import type { SentPrincipal, StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import { type UserFields, userFieldNames } from '../fields/fields.ts';
import type { InviteChannel, NewPassword } from '../parse/new-password.ts';
import type { ParsedRecord } from '../parse/parsed-record.ts';
import type { Upsert } from '../parse/parsed-user.ts';
import { type NewUser, noChange, type PrincipalChange, type UserChange } from '../write/change.ts';
import type { AppliedUser } from '../write/outcome.ts';

export interface ComparedUser {
  readonly sent: Upsert;
  /** Null if the user would be registered. */
  readonly stored: StoredUser | null;
  /** True if the user has another principal. */
  readonly isMoved: boolean;
  /** The names of the fields that change, including `State` and `Password`. Empty for a user to register. */
  readonly changed: readonly string[];
  /** The password to write; null if the stored one is kept, or if the user is invited. */
  readonly password: NewPassword | null;
  /** Null for an existing user. */
  readonly invite: InviteChannel | null;
}

/** A record of `irs/upsert` beside the stored principal and its users. */
export interface ComparedRecord {
  readonly parsed: ParsedRecord;
  readonly sent: SentPrincipal;
  /** Null if the principal would be inserted. */
  readonly stored: StoredPrincipal | null;
  /** The names of the principal's fields that change, including `State`. Empty for a new principal. */
  readonly changed: readonly string[];
  /** The users of the record, in the order sent. */
  readonly users: readonly ComparedUser[];
  /** The number of users of each principal that loses users to this one. */
  readonly sourceUsers: ReadonlyMap<number, number>;
}

/** A stored user that the record does not contain. */
export type RemovedUser = Pick<OwnUser, 'id' | 'username' | 'email'>;

interface Removal {
  readonly users: readonly RemovedUser[];
  readonly namedElsewhere: readonly string[];
  readonly action: CallOptions['missing'];
}

/** Returns the change of a valid record. */
export function upsertChange(
  { parsed, sent, stored, changed, users, sourceUsers }: ComparedRecord,
  removal: Removal,
  { showsChanges, callerTags }: { readonly showsChanges: boolean } & Pick<CallOptions, 'callerTags'>,
): PrincipalChange {
  // The users of a record without `Users` stay as they are.
  const removes = removal.action !== 'keep' && parsed.users !== null;
  return {
    ...noChange,
    principalId: stored?.id ?? null,
    action: stored ? 'update' : 'insert',
    principal: stored ? editPrincipal(stored, sent) : insertPrincipal(sent, callerTags),
    expectedVersion: stored?.version ?? null,
    storedUsers: removes ? (stored?.usersCount ?? 0) : 0,
    sourceUsers,
    users: [
      ...users.flatMap(userChanges),
      ...removal.users.map(({ id }): UserChange => {
        return removal.action === 'delete' ? { kind: 'delete', id } : stateEdit(id, 'disabled');
      }),
    ],
    namedElsewhere: removal.namedElsewhere,
    applied: [
      ...users.map((user) => shownUser(user, showsChanges)),
      ...removal.users.map(({ id, username, email }) => {
        return {
          id,
          username,
          email,
          operation: removal.action === 'delete' ? 'delete' : 'disable',
        } as const;
      }),
    ],
    changes: stored ? fieldChanges(changed, stored, sent) : [],
  };
}

function userChanges(user: ComparedUser): UserChange[] {
  const { stored, sent, changed, password, isMoved } = user;
  if (!stored) return [registration(user)];
  // The values of a moved user were compared, even if none of them changes.
  const moves = isMoved ? [moveOf(stored, stored.version)] : [];
  if (changed.length === 0) return moves;
  const isReset = changed.length === 1 && changed[0] === 'Password';
  return isReset
    ? [{ kind: 'reset', id: stored.id, password: required(password) }, ...moves]
    : [{ ...editUser(stored, sent, changed), password }, ...moves];
}

const emptyUser = Object.fromEntries(userFieldNames.map((name) => [name, null])) as UserFields;

function registration({ sent: { username, fields, state }, password, invite }: ComparedUser): NewUser {
  const user = { username, fields: { ...emptyUser, ...fields }, password, invite };
  return { ...newUser(user), state: state ?? 'active' };
}

function shownUser(
  { stored, sent, changed, isMoved, invite }: ComparedUser,
  showsChanges: boolean,
): AppliedUser {
  if (!stored) {
    const names = { id: null, username: required(sent.username).asSent, email: sent.fields.Email ?? null };
    return { ...names, operation: 'register', ...shownInvite(invite) };
  }
  const email = sent.fields.Email === undefined ? stored.fields.Email : sent.fields.Email;
  const names = { id: stored.id, username: stored.username, email };
  if (changed.length === 0 && !isMoved) return { ...names, operation: 'none' };
  const changes = showsChanges ? { changes: fieldChanges(changed, stored, sent) } : {};
  if (!isMoved) return { ...names, operation: 'edit', changed, ...changes };
  const disabled = (sent.state ?? stored.state) === 'disabled' ? { state: 'disabled' as const } : {};
  return { ...names, operation: 'move', ...(changed.length > 0 && { changed, ...changes }), ...disabled };
}
