import type { Faults } from '../faults.ts';
import {
  type Fields,
  isAbsent,
  isId,
  isObject,
  readEmail,
  refuseUnknownFields,
  within,
} from '../fields/fields.ts';
import { type PasswordPolicy, readPassword, refuseOwnNames } from '../fields/password.ts';
import { readPasswordHash } from '../fields/password-hash.ts';
import { readUsername, type Username } from '../fields/username.ts';

export interface UserRules {
  readonly requireEmail: boolean;
  readonly password: PasswordPolicy;
}

/** A user item that has been read. What could not be read is null, and the record's faults say why. */
export interface Registration {
  readonly operation: 'register';
  readonly place: string;
  readonly username: Username | null;
  readonly email: string | null;
  readonly password: string | null;
  /** A hash that was made elsewhere, in place of the password. */
  readonly passwordHash: string | null;
}

export interface Reset {
  readonly operation: 'reset';
  readonly place: string;
  readonly id: number | null;
  readonly password: string | null;
}

export type UserItem = Registration | Reset;

const registrationFields = ['Username', 'Email', 'Password', 'ConfirmPassword', 'PasswordHash'];
const resetFields = ['ID', 'Password', 'ConfirmPassword'];
const anyFields = [...new Set([...registrationFields, ...resetFields])];

/** Tells a registration from a reset by the item's own shape. */
export function readUserItem(
  value: unknown,
  place: string,
  rules: UserRules,
  faults: Faults,
): UserItem | null {
  const fields = readItemObject(value, place, faults);
  if (!fields) return null;
  const named = !isAbsent(fields.Username);
  const numbered = !isAbsent(fields.ID);
  if (named !== numbered)
    return named
      ? readRegistrationFields(fields, place, rules, faults)
      : readReset(fields, place, rules, faults);
  faults.add(place, named ? 'AMBIGUOUS_USER' : 'UNRECOGNISED_USER');
  refuseUnknownFields(fields, anyFields, place, faults);
  return null;
}

/** Reads an item where only a registration makes sense: the users of a principal that is being inserted. */
export function readRegistration(
  value: unknown,
  place: string,
  rules: UserRules,
  faults: Faults,
): Registration | null {
  const fields = readItemObject(value, place, faults);
  return fields && readRegistrationFields(fields, place, rules, faults);
}

function readItemObject(value: unknown, place: string, faults: Faults): Fields | null {
  if (isObject(value)) return value;
  faults.add(place, 'WRONG_TYPE', undefined, 'object');
  return null;
}

function readRegistrationFields(
  fields: Fields,
  place: string,
  rules: UserRules,
  faults: Faults,
): Registration {
  refuseUnknownFields(fields, registrationFields, place, faults);
  if (isAbsent(fields.Username)) faults.add(within(place, 'Username'), 'REQUIRED');
  const username = readUsername(fields.Username, within(place, 'Username'), faults);
  if (rules.requireEmail && isAbsent(fields.Email)) faults.add(within(place, 'Email'), 'REQUIRED');
  const email = readEmail(fields.Email, within(place, 'Email'), faults);
  const passwordHash = readPasswordHash(fields.PasswordHash, within(place, 'PasswordHash'), faults);
  if (!isAbsent(fields.PasswordHash)) {
    refuseBesideHash(fields, place, faults);
    return { operation: 'register', place, username, email, password: null, passwordHash };
  }
  const password = readPassword(fields, rules.password, place, faults);
  if (password !== null) {
    refuseOwnNames(
      password,
      { usernameKey: username?.key ?? null, email },
      within(place, 'Password'),
      faults,
    );
  }
  return { operation: 'register', place, username, email, password, passwordHash };
}

/** A hash stands in place of the password: which of the two should count could only be guessed. */
function refuseBesideHash(fields: Fields, place: string, faults: Faults): void {
  for (const name of ['Password', 'ConfirmPassword']) {
    if (!isAbsent(fields[name])) faults.add(within(place, name), 'PASSWORD_BESIDE_HASH');
  }
}

function readReset(fields: Fields, place: string, rules: UserRules, faults: Faults): Reset {
  refuseUnknownFields(fields, resetFields, place, faults);
  const id = isId(fields.ID) ? fields.ID : null;
  if (id === null) faults.add(within(place, 'ID'), 'INVALID_ID');
  return { operation: 'reset', place, id, password: readPassword(fields, rules.password, place, faults) };
}

/** What is stored of a user item once its password is hashed. */
export interface NewUser {
  readonly operation: 'register';
  readonly id: number;
  readonly username: string;
  readonly usernameKey: string;
  readonly email: string | null;
  readonly passwordHash: string;
}

export interface NewPassword {
  readonly operation: 'reset';
  readonly id: number;
  readonly passwordHash: string;
}
