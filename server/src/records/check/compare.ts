import type { CallerTags } from '../../db/visibility.ts';
import { isAbsent, within } from '../../lib/request-fields.ts';
import { required } from '../../lib/required.ts';
import type { Username } from '../../usernames/username.ts';
import type { SentPrincipal, SentUser, StoredPrincipal, StoredUser } from '../fields/compared-values.ts';
import {
  changedFields,
  type FieldValue,
  type PrincipalFields,
  principalFieldNames,
  principalFields,
  type State,
  userFields,
} from '../fields/fields.ts';
import type { InviteChannel } from '../parse/new-password.ts';
import type { Registration } from '../parse/parsed-user.ts';
import type { NewUser, PrincipalStep, UserEdit } from '../write/change.ts';
import type { AppliedUser, FieldChange } from '../write/outcome.ts';
import type { NewName } from './taken-names.ts';

/** Returns the names of the sent values that differ from the stored ones. */
export function changedOfPrincipal(stored: StoredPrincipal, sent: SentPrincipal): string[] {
  const changed: string[] = changedFields(principalFields, stored.fields, sent.fields);
  return changesState(stored, sent) ? [...changed, 'State'] : changed;
}

export function changedOfUser(
  stored: StoredUser,
  sent: SentUser,
  newUsername: Username | null = null,
): string[] {
  return [
    ...(newUsername !== null && newUsername.asSent !== stored.username ? ['Username'] : []),
    ...changedFields(userFields, stored.fields, sent.fields),
    ...(changesState(stored, sent) ? ['State'] : []),
    ...(!isAbsent(sent.mustChange) && sent.mustChange !== stored.mustChange ? ['MustChangePassword'] : []),
  ];
}

function changesState(stored: { state: State }, sent: { state: State | null }): boolean {
  return sent.state !== null && sent.state !== stored.state;
}

/** `newAliases` are those of the aliases that the principal gets. */
export function editPrincipal(
  stored: StoredPrincipal,
  sent: SentPrincipal,
  newAliases: readonly string[] = [],
): PrincipalStep {
  const changed = [...changedOfPrincipal(stored, sent), ...(newAliases.length > 0 ? ['Aliases'] : [])];
  if (changed.length === 0) return { kind: 'keep' };
  const own = { ...stored.fields, ...sent.fields };
  const tags = [...(own.Tags ?? []), ...stored.hiddenTags].toSorted();
  const fields = { ...own, Tags: tags.length === 0 ? null : tags };
  const state = sent.state ?? stored.state;
  return { kind: 'edit', values: { fields, state, aliases: stored.aliases }, changed };
}

/** Returns the change of a user. `changed` has the names of the fields, as `changedOfUser` returns them. */
export function editUser(
  stored: StoredUser,
  sent: SentUser,
  changed: readonly string[],
  newUsername: Username | null = null,
): UserEdit {
  return {
    kind: 'edit',
    id: stored.id,
    newUsername,
    fields: { ...stored.fields, ...sent.fields },
    state: sent.state ?? stored.state,
    mustChange: sent.mustChange ?? null,
    changed,
  };
}

/** Returns the changed fields with their values, without the password. */
export function fieldChanges(
  changed: readonly string[],
  stored: { readonly fields: AnyFields; readonly state: State },
  sent: { readonly fields: AnyFields; readonly state: State | null },
): FieldChange[] {
  return changed
    .filter((field) => field !== 'Password')
    .map((field) =>
      field === 'State'
        ? { field, from: stored.state, to: sent.state }
        : { field, from: stored.fields[field] ?? null, to: sent.fields[field] ?? null },
    );
}

type AnyFields = Readonly<Record<string, FieldValue | null | undefined>>;

/** A limited caller sees what it inserts: the principal gets its tags, unless some of them are sent. */
export function insertPrincipal(
  { fields: sent, state }: SentPrincipal,
  callerTags: CallerTags,
): PrincipalStep {
  const fields = { ...emptyPrincipal, ...sent, Tags: sent.Tags ?? callerTags };
  return { kind: 'insert', values: { fields, state: state ?? 'active', aliases: [] } };
}

const emptyPrincipal = Object.fromEntries(principalFieldNames.map((name) => [name, null])) as PrincipalFields;

/** Returns the value of a field or the state. */
export function valueOfPrincipal({ fields, state }: StoredPrincipal, field: string): FieldValue | null {
  return field === 'State' ? state : (fields[field as keyof typeof fields] ?? null);
}

/** Returns the value of what `changedOfUser` compares, except the password. */
export function valueOfUser(
  { fields, state, mustChange, username }: StoredUser,
  field: string,
): FieldValue | null {
  if (field === 'State') return state;
  if (field === 'MustChangePassword') return String(mustChange);
  if (field === 'Username') return username;
  return fields[field as keyof typeof fields] ?? null;
}

/** Returns a change of the state alone. */
export function stateEdit(id: number, state: State): UserEdit {
  return { kind: 'edit', id, state, changed: ['State'] };
}

/**
 * Returns the first field that is sent if the principal would have no field left; otherwise null. A principal needs at
 * least one field, as in `irs/insert`.
 */
export function clearedField(stored: StoredPrincipal, sent: SentPrincipal): string | null {
  const fields = { ...stored.fields, ...sent.fields };
  const isEmpty = principalFieldNames.every((name) => fields[name] === null);
  return isEmpty ? (Object.keys(sent.fields)[0] ?? null) : null;
}

/** Returns the username of a registration, unless it is invalid. */
export function registeredName({ username, place, isExplicit }: Registration): NewName[] {
  return username ? [{ key: username.key, place: within(place, 'Username'), mayBeReset: !isExplicit }] : [];
}

export function newUser({
  username,
  fields,
  password,
  invite,
}: Pick<Registration, 'username' | 'fields' | 'password' | 'invite'>): NewUser {
  const { asSent, key: usernameKey } = required(username);
  const names = { username: asSent, usernameKey };
  return { kind: 'register', id: null, ...names, fields, password, invite, state: 'active' };
}

export function registeredUser({ username, fields, invite }: Registration): AppliedUser {
  const names = { id: null, username: required(username).asSent, email: fields.Email };
  return { ...names, operation: 'register', ...shownInvite(invite) };
}

/** Returns the invitation of a user for the answer, whose code is added when it is issued. */
export function shownInvite(invite: InviteChannel | null): Pick<AppliedUser, 'invite'> {
  return invite === null ? {} : { invite: { channel: invite, code: null } };
}
