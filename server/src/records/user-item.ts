import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, isId, isObject, refuseUnknownFields, within } from '../lib/request-fields.ts';
import { readPasswordHash } from '../passwords/imported-hash-cost.ts';
import { type PasswordPolicy, readPassword, refuseOwnNames } from '../passwords/policy.ts';
import { readUsername, type Username } from '../usernames/username.ts';
import { readFields, type UserFields, userFieldNames, userFields } from './fields.ts';

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

export interface Reset {
  readonly operation: 'reset';
  readonly place: string;
  readonly id: number | null;
  readonly password: string | null;
}

export type UserItem = Registration | Reset;

const registrationFields = ['Username', ...userFieldNames, 'Password', 'ConfirmPassword', 'PasswordHash'];
const resetFields = ['ID', 'Password', 'ConfirmPassword'];
const anyFields = [...new Set([...registrationFields, ...resetFields])];

/** Parses a user item of `irs/update`: one with a `Username` is a registration, one with an `ID` is a reset. */
export function readUserItem(
  value: unknown,
  place: string,
  rules: UserRules,
  errors: FieldErrors,
): UserItem | null {
  const fields = readItemObject(value, place, errors);
  if (!fields) return null;
  const named = !isAbsent(fields.Username);
  const numbered = !isAbsent(fields.ID);
  if (named !== numbered)
    return named
      ? readRegistrationFields(fields, place, rules, errors)
      : readReset(fields, place, rules, errors);
  errors.add(place, named ? 'AMBIGUOUS_USER' : 'UNRECOGNISED_USER');
  refuseUnknownFields(fields, anyFields, place, errors);
  return null;
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

function readItemObject(value: unknown, place: string, errors: FieldErrors): Fields | null {
  if (isObject(value)) return value;
  errors.add(place, 'WRONG_TYPE', undefined, 'object');
  return null;
}

function readRegistrationFields(
  sent: Fields,
  place: string,
  rules: UserRules,
  errors: FieldErrors,
): Registration {
  refuseUnknownFields(sent, registrationFields, place, errors);
  if (isAbsent(sent.Username)) errors.addMissing(within(place, 'Username'));
  const username = readUsername(sent.Username, within(place, 'Username'), errors);
  if (rules.requireEmail && isAbsent(sent.Email)) errors.addMissing(within(place, 'Email'));
  const fields = readFields(sent, userFields, place, errors);
  const passwordHash = readPasswordHash(sent.PasswordHash, within(place, 'PasswordHash'), errors);
  if (!isAbsent(sent.PasswordHash)) {
    refuseBesideHash(sent, place, errors);
    return { operation: 'register', place, username, fields, password: null, passwordHash };
  }
  const password = readPassword(sent, rules.password, place, errors);
  if (password !== null) {
    refuseOwnNames(
      password,
      { usernameKey: username?.key ?? null, email: fields.Email },
      within(place, 'Password'),
      errors,
    );
  }
  return { operation: 'register', place, username, fields, password, passwordHash };
}

/** Rejects a password that is sent together with a hash, because it is ambiguous which of the two applies. */
function refuseBesideHash(fields: Fields, place: string, errors: FieldErrors): void {
  for (const name of ['Password', 'ConfirmPassword']) {
    if (!isAbsent(fields[name])) errors.add(within(place, name), 'PASSWORD_BESIDE_HASH');
  }
}

function readReset(fields: Fields, place: string, rules: UserRules, errors: FieldErrors): Reset {
  refuseUnknownFields(fields, resetFields, place, errors);
  const id = isId(fields.ID) ? fields.ID : null;
  if (id === null) errors.add(within(place, 'ID'), 'INVALID_ID');
  return { operation: 'reset', place, id, password: readPassword(fields, rules.password, place, errors) };
}

export interface NewUser {
  readonly operation: 'register';
  readonly id: number;
  readonly username: string;
  readonly usernameKey: string;
  readonly fields: UserFields;
  readonly passwordHash: string;
}

export interface NewPassword {
  readonly operation: 'reset';
  readonly id: number;
  readonly passwordHash: string;
}
