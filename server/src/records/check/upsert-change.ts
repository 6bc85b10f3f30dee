import { required } from '../../lib/required.ts';
import type { SentPrincipal, StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import { type UserFields, userFieldNames } from '../fields/fields.ts';
import type { InviteChannel, NewPassword } from '../parse/new-password.ts';
import type { ParsedRecord } from '../parse/parsed-record.ts';
import type { Upsert } from '../parse/parsed-user.ts';
import { type NewUser, noChange, type PrincipalChange } from '../write/change.ts';
import type { AppliedUser } from '../write/outcome.ts';
import type { OwnUser } from './check.store.ts';
import {
  editPrincipal,
  editUser,
  fieldChanges,
  insertPrincipal,
  newUser,
  shownInvite,
  stateEdit,
} from './compare.ts';
import { moveOf } from './moves.ts';
import type { CallOptions } from './operation.ts';

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
  const existing = users.flatMap((user) => (user.stored ? [{ ...user, stored: user.stored }] : []));
  const resets = existing.filter(isReset);
  const edits = existing.filter((user) => user.changed.length > 0 && !isReset(user));
  const removed = removal.users.map(({ id }) => id);
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
    registrations: users.filter((user) => !user.stored).map(registration),
    resets: resets.map(({ stored: { id }, password }) => ({ id, password: required(password) })),
    edits: [
      ...edits.map((user) => ({
        ...editUser(user.stored, user.sent, user.changed),
        password: user.password,
      })),
      ...(removal.action === 'disable' ? removed.map((id) => stateEdit(id, 'disabled')) : []),
    ],
    // The values of a moved user were compared, even if none of them changes.
    moves: existing.filter(({ isMoved }) => isMoved).map((user) => moveOf(user.stored, user.stored.version)),
    deletes: removal.action === 'delete' ? removed : [],
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

function isReset({ changed }: ComparedUser): boolean {
  return changed.length === 1 && changed[0] === 'Password';
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
