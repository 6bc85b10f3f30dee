import type { Actor } from '../audit/audit-log.ts';
import { unavailable } from '../db/errors.ts';
import { ApiError, type FieldErrors } from '../lib/field-errors.ts';
import { codeDigest } from '../passwords/password-code.ts';
import { mapUsername } from '../usernames/precis-profiles.ts';
import { reserveAttempt } from './login-throttle.ts';
import {
  checkOwnReset,
  errorsOfPassword,
  type PasswordHistory,
  type ResetTools,
  writeOwnReset,
} from './own-password.ts';
import { type AttemptSource, pairDigest, type SignInTools } from './sign-in.ts';

/** The user that has a valid code. */
export interface CodeHolder {
  readonly userId: number;
  readonly principalId: number;
  readonly username: string;
  /** Null if the user has no password yet. */
  readonly passwordHash: string | null;
}

/** The name that was entered: a mapped username, or an email address in lower case. */
type EnteredName = { readonly usernameKey: string } | { readonly email: string };

export interface PasswordStore extends PasswordHistory {
  /** Finds the user with the username, or the first user with the email address. */
  findUser(name: EnteredName): Promise<number | null>;
  /** Requests the mail to a user that has forgotten its password. The ID is null if there is no such user. */
  requestMail(
    userId: number | null,
    request: { readonly listsAccounts: boolean; readonly actor: Actor },
  ): Promise<unknown>;
  findByCode(digest: Buffer): Promise<CodeHolder | null>;
}

export interface PasswordTools extends SignInTools {
  readonly passwords: PasswordStore;
}

export interface ForgottenPassword {
  readonly name: { readonly username: string } | { readonly email: string };
  readonly source: AttemptSource;
  readonly actor: Actor;
}

/** Takes the same time and has the same result whether or not the account exists. */
export async function forgotPassword(
  { name, source, actor }: ForgottenPassword,
  { passwords, loginThrottle, throttleDigest }: PasswordTools,
): Promise<void> {
  const entered =
    'email' in name ? { email: name.email.toLowerCase() } : { usernameKey: keyOf(name.username) };
  const userId = await passwords.findUser(entered);
  const text = Object.values(entered)[0] ?? '';
  // The counters are not those of the sign-in: repeated requests for a forgotten password must not delay sign-in.
  const guess = {
    pair: throttleDigest(`forgotten pair ${JSON.stringify([text, source.name])}`),
    knownAs: pairDigest(text, source, throttleDigest),
    source: source.shared ? null : throttleDigest(`forgotten source ${source.name}`),
    account: throttleDigest(`forgotten account ${text}`),
    userId,
  };
  await reserveAttempt(guess, loginThrottle, 'forgottenThrottle');
  await passwords.requestMail(userId, { listsAccounts: 'email' in name, actor });
}

/** No user has the empty key. */
function keyOf(username: string): string {
  const mapped = mapUsername(username);
  return 'mapped' in mapped ? mapped.mapped : '';
}

export interface NewPasswordCall {
  readonly code: string;
  readonly password: unknown;
  readonly confirmation: unknown;
  readonly source: AttemptSource;
  readonly actor: Actor;
  report(error: unknown): void;
}

/**
 * Sets the password of the user that has the code. Returns its username, or the errors of the password, which do not use
 * the code up. Throws the `ApiError` `CODE_INVALID`.
 */
export async function setPassword(
  call: NewPasswordCall,
  tools: PasswordTools & ResetTools,
): Promise<{ readonly username: string } | FieldErrors> {
  const { source, actor } = call;
  const { loginThrottle, throttleDigest, passwords } = tools;
  const digest = codeDigest(call.code);
  // A wrong code costs a query, so the source counts as for wrong passwords.
  const guess = {
    pair: throttleDigest(`code ${JSON.stringify([call.code, source.name])}`),
    source: source.shared ? null : throttleDigest(`code source ${source.name}`),
    account: null,
    userId: null,
  };
  const { counters } = await reserveAttempt(guess, loginThrottle, 'codeThrottle');
  const holder = digest && (await passwords.findByCode(digest));
  if (!holder) throw new ApiError('CODE_INVALID');
  await loginThrottle.clear(guess, counters).catch(call.report);
  const { userId, principalId, username, passwordHash } = holder;
  const sent = { ID: userId, Password: call.password, ConfirmPassword: call.confirmation };
  const record = { ID: principalId, Users: [{ Operation: 'reset', ...sent }] };
  const checked = await checkOwnReset(record, passwordHash, tools);
  // There are no others, unless the user has changed.
  const errors = errorsOfPassword(checked.parsed.errors);
  if (!errors.none) return errors;
  const context = { userId, actor: { ...actor, userId }, report: call.report };
  const expectedCode = digest.toString('hex');
  const outcome = await writeOwnReset(checked, { ...context, expectedCode }, tools);
  if (outcome.error === null) return { username };
  const { code, variant } = outcome.error;
  if (code === 'OUTCOME_UNKNOWN') throw new ApiError('OUTCOME_UNKNOWN');
  if (code === 'NOT_APPLIED' && variant === 'database') throw unavailable();
  // The code was used meanwhile, or ended by another change of the user. Otherwise only the user has changed.
  throw (await passwords.findByCode(digest))
    ? unavailable(undefined, 'conflict')
    : new ApiError('CODE_INVALID');
}
