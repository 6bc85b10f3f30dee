import type { FieldErrors } from '../../lib/field-errors.ts';
import { type Fields, isAbsent, within } from '../../lib/request-fields.ts';
import { readPasswordHash } from '../../passwords/imported-hash-cost.ts';
import { type PasswordPolicy, passwordFields, readPassword, refuseOwnNames } from '../../passwords/policy.ts';

/** The ways in which an invited user gets its code: by mail, or from the caller. */
export const inviteChannels = ['email', 'code'] as const;
export type InviteChannel = (typeof inviteChannels)[number];

export interface InviteRules {
  /** True if the service can send mail. */
  readonly sendsMail: boolean;
  /**
   * `answered`: the answer to the call has the codes. `later`: a job or a dry run, which issues no codes. `refused`: the
   * caller does not want the users in the answer, so that it would not get the codes.
   */
  readonly codes: 'answered' | 'later' | 'refused';
}

export interface UserRules extends InviteRules {
  readonly requireEmail: boolean;
  readonly password: PasswordPolicy;
  /** Searches a password on disk among those that were leaked. */
  isLeaked(password: string): Promise<boolean>;
}

/** A password to write. A second check of the same record returns the same object, so that a password is hashed once. */
export interface NewPassword {
  /** Null if the hash was sent. */
  readonly text: string | null;
  /** The hash that was sent instead of the password, which is not hashed again. */
  readonly hash: string | null;
  /** True if the user must change the password after the next sign-in. */
  readonly mustChange: boolean;
}

/** The password of a new user, or the way in which it gets a code to set one. One of them is null, or both after an error. */
export interface FirstPassword {
  readonly password: NewPassword | null;
  readonly invite: InviteChannel | null;
}

/** The fields with which a user gets a password. */
const passwordNames = [...passwordFields, 'PasswordHash', 'MustChangePassword'];
export const firstPasswordNames = [...passwordNames, 'Invite'];

/** Reads either the password or the imported hash. The other one is null. */
export function readNewPassword(
  sent: Fields,
  place: string,
  rules: Pick<UserRules, 'password'>,
  errors: FieldErrors,
): NewPassword {
  const hash = readPasswordHash(sent.PasswordHash, within(place, 'PasswordHash'), errors);
  const mustChange = readMustChange(sent, place, errors) ?? false;
  if (isAbsent(sent.PasswordHash))
    return { text: readPassword(sent, rules.password, place, errors), hash, mustChange };
  // It would be ambiguous which of the two applies.
  for (const name of passwordFields) {
    if (!isAbsent(sent[name])) errors.add(within(place, name), 'PASSWORD_BESIDE_HASH');
  }
  return { text: null, hash, mustChange };
}

/** Reads `MustChangePassword`; null if it is absent. */
export function readMustChange(
  { MustChangePassword: value }: Fields,
  place: string,
  errors: FieldErrors,
): boolean | null {
  if (isAbsent(value)) return null;
  if (typeof value === 'boolean') return value;
  errors.add(within(place, 'MustChangePassword'), 'WRONG_TYPE', { variant: 'boolean' });
  return null;
}

/** Reads the password of a new user, or `Invite` instead. */
export function readFirstPassword(
  sent: Fields,
  place: string,
  rules: UserRules,
  errors: FieldErrors,
): FirstPassword {
  if (isAbsent(sent.Invite)) return { password: readNewPassword(sent, place, rules, errors), invite: null };
  const at = within(place, 'Invite');
  const invite = readInvite(sent.Invite, at, rules, errors);
  // It would be ambiguous whether the user has a password. An invited user chooses it anyway.
  const others = passwordNames.filter((name) => !isAbsent(sent[name]) && sent[name] !== false);
  if (others.length > 0) errors.add(at, 'INVITE_BESIDE_PASSWORD', { figures: { names: others.join(', ') } });
  if (invite === 'email' && isAbsent(sent.Email)) errors.add(at, 'CANNOT_INVITE', { variant: 'noAddress' });
  return { password: null, invite };
}

/** Reads the channel of an invitation; null if it is absent, invalid or not possible. */
export function readInvite(
  value: unknown,
  place: string,
  { sendsMail, codes }: InviteRules,
  errors: FieldErrors,
): InviteChannel | null {
  if (isAbsent(value)) return null;
  const channel = inviteChannels.find((known) => known === value) ?? null;
  if (channel === null) errors.add(place, 'INVALID_INVITE');
  else if (channel === 'email' && !sendsMail) errors.add(place, 'CANNOT_INVITE', { variant: 'noMail' });
  else if (channel === 'code' && codes === 'refused')
    errors.add(place, 'CANNOT_INVITE', { variant: 'noAnswer' });
  else return channel;
  return null;
}

/** Adds an error if a password contains the username or the email address of its owner. */
export function refuseOwnNamesIn(
  password: NewPassword | null,
  owner: Parameters<typeof refuseOwnNames>[1],
  place: string,
  errors: FieldErrors,
): void {
  const text = password?.text ?? null;
  if (text !== null) refuseOwnNames(text, owner, within(place, 'Password'), errors);
}
