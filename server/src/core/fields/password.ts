import type { Faults } from '../faults.ts';
import { type Fields, isAbsent, readString, within } from './fields.ts';
import { mapOpaqueString } from './precis/opaque-string.ts';
import { mapUsername } from './precis/username.ts';

const passwordMax = 128;
/** Checked before anything else touches the text. Twelve bytes a character leave room for decomposed letters. */
const passwordMaxBytes = passwordMax * 12;

export interface PasswordPolicy {
  readonly minLength: number;
  /** Whether a lower-case password is among the most used ones. */
  isCommon(password: string): boolean;
}

/** Reads `Password` and `ConfirmPassword`: the text to hash if the record has no fault, null where there is none. */
export function readPassword(
  fields: Fields,
  policy: PasswordPolicy,
  place: string,
  faults: Faults,
): string | null {
  const passwordPlace = within(place, 'Password');
  const confirmPlace = within(place, 'ConfirmPassword');
  const sent = readString(fields.Password, passwordPlace, faults);
  const confirmed = readString(fields.ConfirmPassword, confirmPlace, faults);
  if (sent === null) faults.add(passwordPlace, 'REQUIRED');
  if (confirmed === null) faults.add(confirmPlace, 'REQUIRED');
  else if (!isAbsent(sent) && confirmed !== undefined && confirmed !== sent) {
    faults.add(confirmPlace, 'PASSWORD_MISMATCH');
  }
  return isAbsent(sent) ? null : checkPassword(sent, policy, passwordPlace, faults);
}

function checkPassword(sent: string, policy: PasswordPolicy, place: string, faults: Faults): string | null {
  if (sent.length > passwordMaxBytes || Buffer.byteLength(sent) > passwordMaxBytes) {
    faults.add(place, 'PASSWORD_TOO_LONG', { max: passwordMax });
    return null;
  }
  const result = mapOpaqueString(sent);
  if ('fault' in result) {
    if (result.fault === 'empty') faults.add(place, 'PASSWORD_TOO_SHORT', { min: policy.minLength });
    else faults.add(place, 'PASSWORD_CHARACTERS');
    return null;
  }
  const length = [...result.mapped].length;
  if (length < policy.minLength) faults.add(place, 'PASSWORD_TOO_SHORT', { min: policy.minLength });
  else if (length > passwordMax) faults.add(place, 'PASSWORD_TOO_LONG', { max: passwordMax });
  else if (isGuessable(result.mapped, policy)) faults.add(place, 'PASSWORD_COMMON');
  return result.mapped;
}

/** Guessers try a common password in full width, in capitals and with spaces around it, and one character repeated. */
function isGuessable(password: string, policy: PasswordPolicy): boolean {
  const plain = password.normalize('NFKC').trim().toLowerCase();
  return new Set(plain).size <= 1 || policy.isCommon(plain);
}

/** A password that is the account's own name is the first thing that is guessed. */
export function refuseOwnNames(
  password: string,
  owner: { usernameKey: string | null; email: string | null },
  place: string,
  faults: Faults,
): void {
  const guess = password.toLowerCase();
  const email = owner.email?.toLowerCase();
  const asUsername = mapUsername(password);
  if ('mapped' in asUsername && asUsername.mapped === owner.usernameKey)
    faults.add(place, 'PASSWORD_IS_USERNAME');
  if (email && (guess === email || guess === email.slice(0, email.lastIndexOf('@')))) {
    faults.add(place, 'PASSWORD_IS_EMAIL');
  }
}
