import type { FieldErrors } from '../../lib/field-errors.ts';
import {
  type Fields,
  isAbsent,
  isId,
  isObject,
  refuseUnknownFields,
  within,
} from '../../lib/request-fields.ts';
import { passwordFields } from '../../passwords/policy.ts';
import { readUsername, type Username } from '../../usernames/username.ts';
import type { SentUser } from '../fields/compared-values.ts';
import {
  readFieldEdits,
  readFields,
  readState,
  type UserFields,
  userFieldNames,
  userFields,
} from '../fields/fields.ts';
import {
  type FirstPassword,
  firstPasswordNames,
  type InviteChannel,
  type NewPassword,
  readFirstPassword,
  readMustChange,
  readNewPassword,
  refuseOwnNamesIn,
  type UserRules,
} from './new-password.ts';

// Parsed users. A value that could not be parsed is null and has an error in the `errors` of the record.

export interface Registration extends FirstPassword {
  readonly operation: 'register';
  /** False if the item is a registration only because it has a `Username` and no `Operation`. */
  readonly isExplicit: boolean;
  /** Path of the user in the record, such as `Users[0]`. */
  readonly place: string;
  readonly username: Username | null;
  readonly fields: UserFields;
}

/** An existing user, which a record names by exactly one of `ID` and `Username`. */
export interface NamedUser {
  readonly place: string;
  readonly id: number | null;
  readonly username: Username | null;
}

export interface Reset extends NamedUser {
  readonly operation: 'reset';
  readonly password: NewPassword;
}

/** New values of a user. In `irs/state` it has only a state. */
export interface Edit extends NamedUser, SentUser {
  readonly operation: 'edit';
  readonly newUsername: Username | null;
}

export interface Deletion extends NamedUser {
  readonly operation: 'delete';
}

/** An existing user, usually of another principal, that moves to the principal of the record. */
export interface Move extends NamedUser {
  readonly operation: 'move';
}

/** An existing user that gets a code to set its password. */
export interface Invitation extends NamedUser {
  readonly operation: 'invite';
  /** Null if it has an error. */
  readonly channel: InviteChannel | null;
}

/** A user that a record names, and that must exist. */
export type NamedItem = Reset | Edit | Deletion | Move | Invitation;

/** A user of `irs/upsert`, which may exist or not. */
export interface Upsert extends SentUser {
  readonly operation: 'upsert';
  readonly place: string;
  readonly username: Username | null;
  /** Null if the record has none for the user. The errors count only if it is written. */
  readonly password: (FirstPassword & { readonly errors: FieldErrors }) | null;
}

/** The effect of a call on a user. */
export type UserEffect = 'register' | 'edit' | 'move' | 'reset' | 'delete';

/** A user that a run has written; see `parseUndo`. It is named by its ID. */
export interface Undo {
  readonly operation: 'undo';
  readonly place: string;
  readonly id: number;
  readonly username: null;
  readonly effects: readonly UserEffect[];
  /** The principal that the run has moved the user to; null if the record is about the principal that the user has. */
  readonly movedTo: number | null;
}

export type ParsedUser = Registration | NamedItem | Upsert | Undo;

export const itemOperations = ['register', 'reset', 'edit', 'delete', 'move'] as const;

const registrationFields = ['Username', ...userFieldNames, ...firstPasswordNames];
const resetFields = ['ID', ...passwordFields, 'MustChangePassword'];
const knownFields = {
  register: [...registrationFields, 'Operation'],
  reset: [...resetFields, 'Username', 'PasswordHash', 'Operation'],
  edit: ['ID', 'Username', 'NewUsername', ...userFieldNames, 'State', 'MustChangePassword', 'Operation'],
  delete: ['ID', 'Username', 'Operation'],
  move: ['ID', 'Username', 'Operation'],
};
const shapeFields = [...new Set([...registrationFields, ...resetFields])];
const anyFields = [...new Set(Object.values(knownFields).flat())];

/**
 * Parses a user item of `irs/update`. Without `Operation`, an item with a `Username` is a registration, and one with an
 * `ID` is a reset.
 */
export function readUserItem(
  value: unknown,
  place: string,
  rules: UserRules,
  errors: FieldErrors,
): ParsedUser | null {
  const fields = readItemObject(value, place, errors);
  if (!fields) return null;
  if (!isAbsent(fields.Operation)) return readOperation(fields, place, rules, errors);
  const named = !isAbsent(fields.Username);
  const numbered = !isAbsent(fields.ID);
  if (named && !numbered) return readRegistrationFields(fields, place, rules, errors);
  if (numbered && !named) {
    refuseUnknownFields(fields, resetFields, place, errors);
    return readReset(fields, place, rules, errors);
  }
  if (named) errors.add(place, 'AMBIGUOUS_USER', { variant: 'shape' });
  else errors.add(place, 'UNRECOGNISED_USER');
  refuseUnknownFields(fields, shapeFields, place, errors);
  return null;
}

function readOperation(
  fields: Fields,
  place: string,
  rules: UserRules,
  errors: FieldErrors,
): ParsedUser | null {
  const operation = itemOperations.find((known) => known === fields.Operation);
  if (!operation) {
    errors.add(within(place, 'Operation'), 'INVALID_OPERATION');
    refuseUnknownFields(fields, anyFields, place, errors);
    return null;
  }
  if (operation === 'register') {
    if (!isAbsent(fields.ID) && !isAbsent(fields.Username)) {
      errors.add(place, 'AMBIGUOUS_USER', { variant: 'register' });
      return null;
    }
    return readRegistrationFields(fields, place, rules, errors);
  }
  refuseUnknownFields(fields, knownFields[operation], place, errors);
  switch (operation) {
    case 'reset':
      return readReset(fields, place, rules, errors);
    case 'edit':
      return readEdit(fields, place, rules, errors);
    case 'delete':
    case 'move':
      return { operation, ...readNamedUser(fields, place, errors) };
  }
}

/** Parses a user item of `irs/insert`, where every item is a registration. */
export function readRegistration(
  value: unknown,
  place: string,
  rules: UserRules,
  errors: FieldErrors,
): Registration | null {
  const fields = readItemObject(value, place, errors);
  return fields && readRegistrationFields(fields, place, rules, errors);
}

/** Parses a user of `irs/state`. */
export function readUserState(value: unknown, place: string, errors: FieldErrors): Edit | null {
  const sent = readItemObject(value, place, errors);
  if (!sent) return null;
  refuseUnknownFields(sent, ['ID', 'Username', 'State'], place, errors);
  const user = readNamedUser(sent, place, errors);
  if (isAbsent(sent.State)) errors.addMissing(within(place, 'State'));
  const state = readState(sent.State, within(place, 'State'), errors);
  return { operation: 'edit', ...user, newUsername: null, fields: {}, state };
}

/** Parses a user item of `irs/delete`. */
export function readDeletion(value: unknown, place: string, errors: FieldErrors): Deletion | null {
  const fields = readItemObject(value, place, errors);
  if (!fields) return null;
  refuseUnknownFields(fields, ['ID', 'Username'], place, errors);
  return { operation: 'delete', ...readNamedUser(fields, place, errors) };
}

export function readItemObject(value: unknown, place: string, errors: FieldErrors): Fields | null {
  if (isObject(value)) return value;
  errors.add(place, 'WRONG_TYPE', { variant: 'object' });
  return null;
}

export function readNamedUser(fields: Fields, place: string, errors: FieldErrors): NamedUser {
  const idPlace = within(place, 'ID');
  if (!isAbsent(fields.ID) && !isAbsent(fields.Username)) {
    errors.add(place, 'AMBIGUOUS_USER', { variant: 'named' });
    return { place, id: null, username: null };
  }
  const id = isId(fields.ID) ? fields.ID : null;
  const username = readUsername(fields.Username, within(place, 'Username'), errors);
  if (isAbsent(fields.ID) && isAbsent(fields.Username)) errors.add(idPlace, 'REQUIRED', { variant: 'user' });
  else if (!isAbsent(fields.ID) && id === null) errors.add(idPlace, 'INVALID_ID');
  return { place, id, username };
}

/** Returns the path of the field that names the user. */
export function namingPlace({ place, username }: NamedUser): string {
  return within(place, username === null ? 'ID' : 'Username');
}

function readRegistrationFields(
  sent: Fields,
  place: string,
  rules: UserRules,
  errors: FieldErrors,
): Registration {
  const known = sent.Operation === 'register' ? knownFields.register : registrationFields;
  refuseUnknownFields(sent, known, place, errors);
  if (isAbsent(sent.Username)) errors.addMissing(within(place, 'Username'));
  const username = readUsername(sent.Username, within(place, 'Username'), errors);
  if (rules.requireEmail && isAbsent(sent.Email)) errors.addMissing(within(place, 'Email'));
  const fields = readFields(sent, userFields, place, errors);
  const first = readFirstPassword(sent, place, rules, errors);
  const owner = { usernameKey: username?.key ?? null, email: fields.Email };
  refuseOwnNamesIn(first.password, owner, place, errors);
  const isExplicit = sent.Operation === 'register';
  return { operation: 'register', isExplicit, place, username, fields, ...first };
}

function readReset(fields: Fields, place: string, rules: UserRules, errors: FieldErrors): Reset {
  const user = readNamedUser(fields, place, errors);
  // Without `Operation` a hash is an unknown field: it has an error already.
  const withoutRefusedHash = isAbsent(fields.Operation) ? { ...fields, PasswordHash: null } : fields;
  return { operation: 'reset', ...user, password: readNewPassword(withoutRefusedHash, place, rules, errors) };
}

function readEdit(sent: Fields, place: string, rules: UserRules, errors: FieldErrors): Edit {
  const user = readNamedUser(sent, place, errors);
  const newUsername = readUsername(sent.NewUsername, within(place, 'NewUsername'), errors);
  const fields = readFieldEdits(sent, userFields, place, errors);
  if (rules.requireEmail && sent.Email === '') errors.addMissing(within(place, 'Email'));
  const state = readState(sent.State, within(place, 'State'), errors);
  const mustChange = readMustChange(sent, place, errors);
  return { operation: 'edit', ...user, newUsername, fields, state, mustChange };
}

/** Returns true if the record names an existing user by its username, which another write may change. */
export function isNamedByUsername(user: ParsedUser): boolean {
  return user.operation !== 'register' && user.username !== null;
}
