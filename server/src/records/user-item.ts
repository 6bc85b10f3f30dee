import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, isId, isObject, refuseUnknownFields, within } from '../lib/request-fields.ts';
import { readPasswordHash } from '../passwords/imported-hash-cost.ts';
import { type PasswordPolicy, readPassword, refuseOwnNames } from '../passwords/policy.ts';
import { readUsername, type Username } from '../usernames/username.ts';
import type { StoredUser } from './compared-values.ts';
import {
  type FieldEdits,
  readFieldEdits,
  readFields,
  readState,
  type State,
  type UserFields,
  userFieldNames,
  userFields,
} from './fields.ts';

export interface UserRules {
  readonly requireEmail: boolean;
  readonly password: PasswordPolicy;
}

/** A parsed user item. A value that could not be parsed is null and has an error in the `errors` of the record. */
export interface Registration {
  readonly operation: 'register';
  /** Path of the item in the record, such as `Users[0]`. */
  readonly place: string;
  readonly username: Username | null;
  readonly fields: UserFields;
  readonly password: string | null;
  /** An imported password hash, sent instead of the password. */
  readonly passwordHash: string | null;
}

/** An existing user, which an item names by exactly one of `ID` and `Username`. */
export interface NamedUser {
  readonly place: string;
  readonly id: number | null;
  readonly username: Username | null;
  /** The user that the checks found under the principal of the record; null before the checks and without one. */
  stored: StoredUser | null;
}

export interface Reset extends NamedUser {
  readonly operation: 'reset';
  readonly password: string | null;
  readonly passwordHash: string | null;
}

export interface Edit extends NamedUser {
  readonly operation: 'edit';
  readonly newUsername: Username | null;
  readonly fields: FieldEdits<typeof userFields>;
  /** Null if the state stays as it is. */
  readonly state: State | null;
}

export interface Deletion extends NamedUser {
  readonly operation: 'delete';
}

/** A user item whose password is hashed and written. */
export type UserItem = Registration | Reset;
export type UpdateItem = UserItem | Edit | Deletion;

export const itemOperations = ['register', 'reset', 'edit', 'delete'] as const;

const passwordFields = ['Password', 'ConfirmPassword'];
const registrationFields = ['Username', ...userFieldNames, ...passwordFields, 'PasswordHash'];
const resetFields = ['ID', ...passwordFields];
const knownFields = {
  register: [...registrationFields, 'Operation'],
  reset: [...resetFields, 'Username', 'PasswordHash', 'Operation'],
  edit: ['ID', 'Username', 'NewUsername', ...userFieldNames, 'State', 'Operation'],
  delete: ['ID', 'Username', 'Operation'],
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
): UpdateItem | null {
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
): UpdateItem | null {
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
    return { place, id: null, username: null, stored: null };
  }
  const id = isId(fields.ID) ? fields.ID : null;
  const username = readUsername(fields.Username, within(place, 'Username'), errors);
  if (isAbsent(fields.ID) && isAbsent(fields.Username)) errors.add(idPlace, 'REQUIRED', { variant: 'user' });
  else if (!isAbsent(fields.ID) && id === null) errors.add(idPlace, 'INVALID_ID');
  return { place, id, username, stored: null };
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
  const secrets = readSecrets(sent, place, rules, errors);
  if (secrets.password !== null) {
    refuseOwnNames(
      secrets.password,
      { usernameKey: username?.key ?? null, email: fields.Email },
      within(place, 'Password'),
      errors,
    );
  }
  return { operation: 'register', place, username, fields, ...secrets };
}

/** Reads either the password or the imported hash. The other one is null. */
export function readSecrets(sent: Fields, place: string, rules: UserRules, errors: FieldErrors) {
  const passwordHash = readPasswordHash(sent.PasswordHash, within(place, 'PasswordHash'), errors);
  if (isAbsent(sent.PasswordHash))
    return { password: readPassword(sent, rules.password, place, errors), passwordHash };
  // It would be ambiguous which of the two applies.
  for (const name of passwordFields) {
    if (!isAbsent(sent[name])) errors.add(within(place, name), 'PASSWORD_BESIDE_HASH');
  }
  return { password: null, passwordHash };
}

function readReset(fields: Fields, place: string, rules: UserRules, errors: FieldErrors): Reset {
  const user = readNamedUser(fields, place, errors);
  const imported = isAbsent(fields.Operation) ? { ...fields, PasswordHash: null } : fields;
  return { operation: 'reset', ...user, ...readSecrets(imported, place, rules, errors) };
}

function readEdit(sent: Fields, place: string, rules: UserRules, errors: FieldErrors): Edit {
  const user = readNamedUser(sent, place, errors);
  const newUsername = readUsername(sent.NewUsername, within(place, 'NewUsername'), errors);
  const fields = readFieldEdits(sent, userFields, place, errors);
  if (rules.requireEmail && sent.Email === '') errors.addMissing(within(place, 'Email'));
  const state = readState(sent.State, within(place, 'State'), errors);
  return { operation: 'edit', ...user, newUsername, fields, state };
}

export interface NewUser {
  readonly operation: 'register';
  readonly id: number;
  readonly username: string;
  readonly usernameKey: string;
  readonly fields: UserFields;
  readonly passwordHash: string;
  /** Default: active. */
  readonly state?: State;
}

export interface NewPassword {
  readonly operation: 'reset';
  readonly id: number;
  readonly passwordHash: string;
}

/** Returns true if the item names an existing user by its username, which another write may change. */
export function isNamedByUsername(item: UpdateItem): boolean {
  return item.operation !== 'register' && item.username !== null;
}
