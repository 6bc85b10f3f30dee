import { createHash } from 'node:crypto';
import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import type { Username } from '../usernames/username.ts';
import { editPrincipal, editUser, stateEdit, termsOf } from './compare.ts';
import type { SentPrincipal, SentUser, StoredPrincipal, StoredUser } from './compared-values.ts';
import {
  type FieldValue,
  type PrincipalFields,
  principalFields,
  type State,
  type UserFields,
  userFields,
} from './fields.ts';
import type { ReservedIds, UpsertOptions } from './operation.ts';
import type { AppliedUser, FieldChange, PrincipalOutcome, ShownUser, WriteContext } from './outcome.ts';
import { newUser, type RecordEffect, required } from './parsed-record.ts';
import type { NewPassword, NewUser, UserItem } from './user-item.ts';
import type { PrincipalChange, PrincipalStep, UserEdit } from './write/change.ts';

export interface UserDiff {
  readonly sent: SentUser & { readonly username: Username | null };
  /** Null if the user would be registered. */
  readonly stored: StoredUser | null;
  /** The names of the fields that change, including `State` and `Password`. Empty for a user to register. */
  readonly changed: readonly string[];
  /** The password to write; null if the stored one is kept. */
  readonly secret: UserItem | null;
}

/** A stored user that the record does not contain. */
export type RemovedUser = Pick<AppliedUser, 'id' | 'username' | 'email'>;

/** The difference between a record and the stored principal with its users. */
export interface RecordDiff {
  readonly sent: SentPrincipal;
  /** Null if the principal would be inserted. */
  readonly stored: StoredPrincipal | null;
  /** The names of the principal's fields that change, including `State`. Empty for a new principal. */
  readonly changed: readonly string[];
  /** The users of the record, in the order sent. */
  readonly users: readonly UserDiff[];
  /** The users that are disabled or deleted, because the record does not contain them. */
  readonly removed: readonly RemovedUser[];
  /** Action for the removed users. There are none if it is `keep`. */
  readonly removal: UpsertOptions['missing'];
}

function isChanged({ stored, changed, users, removed }: RecordDiff): boolean {
  return (
    stored === null ||
    changed.length > 0 ||
    removed.length > 0 ||
    users.some((user) => user.stored === null || user.changed.length > 0)
  );
}

/** Returns the effect on the principal, as the answer contains it. */
export function principalOutcome({ stored, changed }: RecordDiff): PrincipalOutcome {
  if (stored === null) return 'inserted';
  return changed.length > 0 ? 'updated' : 'unchanged';
}

export function effectOf(diff: RecordDiff): RecordEffect {
  return {
    removals: diff.removed.length,
    storedUsers: diff.removal === 'keep' ? 0 : (diff.stored?.usersCount ?? 0),
    tag: (timeSlice) => effectTag(diff, timeSlice),
  };
}

/**
 * The digest contains the version of a principal that the record changes: the plan shows the values that were stored
 * then. A record that changes nothing depends only on being equal.
 */
async function effectTag(diff: RecordDiff, timeSlice: TimeSlice): Promise<string> {
  const { stored } = diff;
  if (!isChanged(diff)) return `unchanged ${stored?.id}`;
  const digest = createHash('sha256');
  const add = (...parts: unknown[]) => digest.update(`${JSON.stringify(parts)}\n`);
  add(principalOutcome(diff), stored?.id, stored?.version, diff.changed);
  for (const user of diff.users) {
    add(user.stored?.id ?? user.sent.username?.key, user.changed);
    if (timeSlice.isOver) await timeSlice.yield();
  }
  for (const { id } of diff.removed) {
    add(id, diff.removal);
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return digest.digest('base64url');
}

export function principalChanges({ stored, sent, changed }: RecordDiff): FieldChange[] {
  return stored ? changes(changed, stored, sent) : [];
}

/** Returns the changed fields of an existing user with their values, without the password. */
export function userChanges({ stored, sent, changed }: UserDiff): FieldChange[] {
  return stored ? changes(changed, stored, sent) : [];
}

type Values = { readonly fields: Readonly<Record<string, FieldValue | null>>; readonly state: State };
type SentValues = {
  readonly fields: Readonly<Record<string, FieldValue | null | undefined>>;
  readonly state: State | null;
};

function changes(names: readonly string[], stored: Values, sent: SentValues): FieldChange[] {
  return names
    .filter((field) => field !== 'Password')
    .map((field) =>
      field === 'State'
        ? { field, from: stored.state, to: sent.state }
        : { field, from: stored.fields[field] ?? null, to: sent.fields[field] ?? null },
    );
}

/** Returns the users of the record and those that it removes, as the answer contains them. `ids` are of new users. */
function appliedUsers(diff: RecordDiff, ids: readonly number[]): AppliedUser[] {
  const newIds = ids.values();
  return shownUsers(diff).map((user) => ({ ...user, id: user.id ?? required(newIds.next().value) }));
}

/** Does the same before the IDs of new users are known; they are null. */
export function shownUsers({ users, removed, removal }: RecordDiff): ShownUser[] {
  const operation = removal === 'delete' ? 'delete' : 'disable';
  return [
    ...users.map(shownUser),
    ...removed.map(({ id, username, email }) => ({ id, username, email, operation }) as const),
  ];
}

function shownUser({ stored, sent, changed }: UserDiff): ShownUser {
  if (!stored) {
    const { asSent: username } = required(sent.username);
    return { id: null, username, email: sent.fields.Email ?? null, operation: 'register' };
  }
  const email = sent.fields.Email === undefined ? stored.fields.Email : sent.fields.Email;
  const names = { id: stored.id, username: stored.username, email };
  return changed.length > 0 ? { ...names, operation: 'edit', changed } : { ...names, operation: 'none' };
}

/** Returns the change that applies the difference. `hashes` has the hash of each password to write. */
export async function changeOf(
  diff: RecordDiff,
  ids: ReservedIds,
  hashes: ReadonlyMap<UserItem, string>,
  context: WriteContext,
  timeSlice: TimeSlice,
): Promise<PrincipalChange> {
  const { stored, users, removed, removal } = diff;
  const newIds = ids.users.values();
  const registrations: NewUser[] = [];
  const resets: NewPassword[] = [];
  const edits: UserEdit[] = [];
  for (const user of users) {
    if (timeSlice.isOver) await timeSlice.yield();
    const { stored: known, sent, changed, secret } = user;
    const passwordHash = secret && required(hashes.get(secret));
    if (secret?.operation === 'register')
      registrations.push({
        ...newUser(secret, newIds.next().value, passwordHash),
        state: sent.state ?? 'active',
      });
    else if (!known) throw new Error('a user to register has no password');
    else if (changed.length === 1 && changed[0] === 'Password')
      resets.push({ operation: 'reset', id: known.id, passwordHash: required(passwordHash) });
    else if (changed.length > 0) edits.push({ ...editUser(known, sent, changed), passwordHash });
  }
  if (removal === 'disable') for (const { id } of removed) edits.push(stateEdit(id, 'disabled'));
  return {
    principalId: stored ? stored.id : required(ids.principal),
    action: stored ? 'update' : 'insert',
    principal: stored ? editPrincipal(stored, diff.sent) : newPrincipal(diff.sent),
    expectedVersion: stored?.version ?? null,
    registrations,
    resets,
    edits,
    deletes: removal === 'delete' ? removed.map(({ id }) => id) : [],
    applied: appliedUsers(diff, ids.users),
    context,
  };
}

function newPrincipal(sent: SentPrincipal): PrincipalStep {
  const fields = { ...emptyPrincipal, ...sent.fields };
  return {
    kind: 'insert',
    values: { fields, state: sent.state ?? 'active', searchTerms: termsOf(fields) },
  };
}

const emptyPrincipal = Object.fromEntries(
  Object.keys(principalFields).map((name) => [name, null]),
) as PrincipalFields;

/** Returns the fields of a new user. A field that is not sent is null. */
export function newUserFields(sent: SentUser['fields']): UserFields {
  return { ...emptyUser, ...sent };
}

const emptyUser = Object.fromEntries(Object.keys(userFields).map((name) => [name, null])) as UserFields;
