import { dictionary } from '@zxcvbn-ts/language-common';
import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, readString, within } from '../lib/request-fields.ts';
import { mapOpaqueString, mapUsername } from '../usernames/precis-profiles.ts';

const passwordMax = 128;
/** The limit before any other check of the text. Twelve bytes for each character leave room for decomposed letters. */
const passwordMaxBytes = passwordMax * 12;

export const passwordFields = ['Password', 'ConfirmPassword'];

/** The fields of a record or a user that hold a password or its hash. */
export const secretNames = [...passwordFields, 'CurrentPassword', 'PasswordHash'];

export interface PasswordPolicy {
  readonly minLength: number;
  /** Returns true for a common password; expects lower case. */
  isCommon(password: string): boolean;
}

/**
 * Reads `Password` and `ConfirmPassword`. Returns the mapped password, which may be hashed only if no error was added;
 * null if it is absent or has no mapped form.
 */
export function readPassword(
  fields: Fields,
  policy: PasswordPolicy,
  place: string,
  errors: FieldErrors,
): string | null {
  const passwordPlace = within(place, 'Password');
  const confirmPlace = within(place, 'ConfirmPassword');
  const sent = readString(fields.Password, passwordPlace, errors);
  const confirmed = readString(fields.ConfirmPassword, confirmPlace, errors);
  if (sent === null) errors.addMissing(passwordPlace);
  if (confirmed === null) errors.addMissing(confirmPlace);
  else if (!isAbsent(sent) && confirmed !== undefined && confirmed !== sent) {
    errors.add(confirmPlace, 'PASSWORD_MISMATCH');
  }
  return isAbsent(sent) ? null : checkPassword(sent, policy, passwordPlace, errors);
}

function checkPassword(
  sent: string,
  policy: PasswordPolicy,
  place: string,
  errors: FieldErrors,
): string | null {
  if (sent.length > passwordMaxBytes || Buffer.byteLength(sent) > passwordMaxBytes) {
    errors.add(place, 'PASSWORD_TOO_LONG', { figures: { max: passwordMax } });
    return null;
  }
  const result = mapOpaqueString(sent);
  if ('error' in result) {
    if (result.error === 'empty')
      errors.add(place, 'PASSWORD_TOO_SHORT', { figures: { min: policy.minLength } });
    else errors.add(place, 'PASSWORD_CHARACTERS');
    return null;
  }
  const length = [...result.mapped].length;
  if (length < policy.minLength)
    errors.add(place, 'PASSWORD_TOO_SHORT', { figures: { min: policy.minLength } });
  else if (length > passwordMax) errors.add(place, 'PASSWORD_TOO_LONG', { figures: { max: passwordMax } });
  else if (isGuessable(result.mapped, policy)) errors.add(place, 'PASSWORD_COMMON');
  return result.mapped;
}

/** Attackers also try common passwords in full width, in capitals and with outer spaces, and one repeated character. */
function isGuessable(password: string, policy: PasswordPolicy): boolean {
  const plain = password.normalize('NFKC').trim().toLowerCase();
  return new Set(plain).size <= 1 || policy.isCommon(plain);
}

/** Adds an error if the password equals the username or the email address, which attackers try first. */
export function refuseOwnNames(
  password: string,
  owner: { usernameKey: string | null; email: string | null },
  place: string,
  errors: FieldErrors,
): void {
  const guess = password.toLowerCase();
  const email = owner.email?.toLowerCase();
  const asUsername = mapUsername(password);
  if ('mapped' in asUsername && asUsername.mapped === owner.usernameKey)
    errors.add(place, 'PASSWORD_IS_USERNAME');
  if (email && (guess === email || guess === email.slice(0, email.lastIndexOf('@')))) {
    errors.add(place, 'PASSWORD_IS_EMAIL');
  }
}

/** The policy of the settings, without the search among leaked passwords, which is on disk. */
export function openPasswordPolicy(
  minLength: number,
  { hasWord }: { hasWord(word: string): boolean },
): PasswordPolicy {
  common ??= new Set((dictionary['passwords-common'] as string[]).map((password) => password.toLowerCase()));
  const passwords = common;
  return { minLength, isCommon: (text) => passwords.has(text) || hasWord(text) };
}

/** The about 49,000 most common passwords, which are loaded once for all services of the process. */
let common: ReadonlySet<string> | undefined;
