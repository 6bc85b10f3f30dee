import type { Actor, AuditLog } from '../audit/audit-log.ts';
import { ApiError } from '../lib/field-errors.ts';
import { digestOf, newAccessToken, newRefreshToken } from '../lib/secrets.ts';
import type { HashPool, VerifySource } from '../passwords/hash-pool.ts';
import { mapOpaqueString, mapUsername } from '../usernames/precis-profiles.ts';
import { type AttemptCounters, type LoginThrottle, reserveAttempt } from './login-throttle.ts';
import type { Account, NewSession, SessionStore, StoredAccount } from './session.ts';

export interface SignedIn {
  readonly account: Account;
  readonly token: string;
  readonly refreshToken: string;
  readonly expiresAt: Date;
}

export interface SignInTools {
  readonly sessions: SessionStore;
  readonly loginThrottle: LoginThrottle;
  readonly auditLog: AuditLog;
  readonly hasher: HashPool;
  /** Returns a keyed digest of a username or a source, as the key of a throttle counter. */
  throttleDigest(text: string): Buffer;
  /** Returns true if a hash does not have the configured algorithm and cost, such as an imported one. */
  needsRehash(hash: string): boolean;
  /** Returns the hash that the password of an unknown username is verified against, for equal timing. */
  decoyFor(username: string): string;
  /** Logs an error that the answer does not show. */
  report(error: unknown): void;
}

export interface SignInRequest {
  readonly username: string;
  readonly password: string;
  readonly actor: Actor;
  readonly source: AttemptSource;
}

/** The source that the login throttle counts the guesses of an attempt for. */
export interface AttemptSource {
  /** The address of the user, or the ID of an API client that did not send the address. */
  readonly name: string;
  /** True if many users share the source. The throttle then has no counter for the source as a whole. */
  readonly shared: boolean;
}

/**
 * Signs a user in. An unknown user, a wrong password and a disabled account cost the same work and throw the same
 * error.
 */
export async function signIn(request: SignInRequest, tools: SignInTools): Promise<SignedIn> {
  const { actor, password } = request;
  const mapped = mapUsername(request.username);
  const usernameKey = 'mapped' in mapped ? mapped.mapped : '';
  const account = await tools.sessions.findAccount(usernameKey);
  const entered = usernameKey || request.username;
  const guess = guessOf(entered, account, request.source, tools);
  const hash = account?.passwordHash ?? tools.decoyFor(entered);
  // Through a client that does not pass on addresses, each account counts as a source of its own.
  const { name, shared } = request.source;
  const source = shared ? JSON.stringify([name, usernameKey]) : name;
  const signedIn = await throttled(guess, account, actor, tools, (known) =>
    verifyAndStartSession(account, hash, { password, from: { known, source } }, actor, tools),
  );
  if (!signedIn) throw new ApiError('UNAUTHENTICATED', { variant: 'login' });
  return signedIn;
}

/**
 * Runs `verify` under the login throttle; `known` is true if the account has signed in from this source before. A
 * result that is null counts as a wrong password.
 */
async function throttled<Result>(
  guess: AttemptCounters,
  account: StoredAccount | null,
  actor: Actor,
  { loginThrottle, auditLog, report }: SignInTools,
  verify: (known: boolean) => Promise<Result | null>,
): Promise<Result | null> {
  const { counters, known } = await reserveAttempt(guess, loginThrottle);
  const result = await verify(known).catch(async (error) => {
    // The error of the counters must not replace that of `verify`, which may have stored a session.
    await loginThrottle.takeBack(counters).catch(report);
    throw error;
  });
  if (result !== null) {
    // The session is stored. Counters that stay too high delay later guesses at most.
    await loginThrottle.clear(guess, counters).catch(report);
    return result;
  }
  const details = { user: account?.userId ?? null };
  await auditLog.note(actor, { action: 'login.failed', principalId: account?.principalId ?? null, details });
  return null;
}

/** An enabled account with a password. */
type UsableAccount = StoredAccount & { readonly passwordHash: string };

function isUsable(account: StoredAccount | null): account is UsableAccount {
  return account?.active === true && account.passwordHash !== null;
}

interface EnteredPassword {
  readonly password: string;
  readonly from: VerifySource;
}

async function verifyAndStartSession(
  account: StoredAccount | null,
  hash: string,
  entered: EnteredPassword,
  actor: Actor,
  tools: SignInTools,
): Promise<SignedIn | null> {
  const right = await isPassword(entered, hash, tools);
  if (!isUsable(account) || !right) return null;
  const { password } = entered;
  const signedIn = await begin(account, password, actor, tools);
  if (signedIn) return signedIn;
  // The account has changed since it was read, perhaps because a concurrent login rehashed the password: retry once.
  const again = await tools.sessions.findAccountById(account.userId);
  if (!isUsable(again) || !(await isPassword(entered, again.passwordHash, tools))) return null;
  return begin(again, password, actor, tools);
}

/** Verifies the password of a signed-in user under the login throttle. Returns its hash, or null if it is wrong. */
export async function confirmPassword(
  userId: number,
  password: string,
  actor: Actor,
  tools: SignInTools,
): Promise<string | null> {
  const account = await tools.sessions.findAccountById(userId);
  const { passwordHash = null } = account ?? {};
  if (!account || passwordHash === null) return null;
  const pair = tools.throttleDigest(`signed in ${userId}`);
  const guess: AttemptCounters = { pair, source: null, account: null, userId };
  const entered = { password, from: { known: true, source: `user ${userId}` } };
  return throttled(guess, account, actor, tools, async () =>
    (await isPassword(entered, passwordHash, tools)) ? passwordHash : null,
  );
}

export async function refresh(refreshToken: string, actor: Actor, tools: SignInTools): Promise<SignedIn> {
  const { tokens, session } = newTokens();
  const exchanged = await tools.sessions.exchange(digestOf(refreshToken), session, actor);
  if (!exchanged) throw new ApiError('UNAUTHENTICATED', { variant: 'refresh' });
  return { ...exchanged, ...tokens };
}

/** Builds the keys from the entered name, not the user ID, so that known and unknown accounts are throttled alike. */
function guessOf(
  name: string,
  account: StoredAccount | null,
  source: AttemptSource,
  { throttleDigest }: SignInTools,
): AttemptCounters {
  return {
    pair: pairDigest(name, source, throttleDigest),
    source: source.shared ? null : throttleDigest(`source ${source.name}`),
    account: throttleDigest(`account ${name}`),
    userId: account?.userId ?? null,
  };
}

/** Returns the key under which an entered name and a source are counted and, after a sign-in, known. */
export function pairDigest(
  name: string,
  source: AttemptSource,
  throttleDigest: SignInTools['throttleDigest'],
): Buffer {
  return throttleDigest(`pair ${JSON.stringify([name, source.name])}`);
}

async function begin(
  account: UsableAccount,
  password: string,
  actor: Actor,
  { sessions, hasher, needsRehash }: SignInTools,
): Promise<SignedIn | null> {
  const { tokens, session } = newTokens();
  const mapped = mapOpaqueString(password);
  const toHash = needsRehash(account.passwordHash) && 'mapped' in mapped ? mapped.mapped : null;
  const newHash = toHash === null ? null : await hasher.hashOne(toHash, `user ${account.userId}`);
  const expiresAt = await sessions.begin(account, session, newHash, actor);
  return expiresAt && { account, expiresAt, ...tokens };
}

/** Tries the PRECIS-mapped password, then the entered one: an imported hash may have been made without the mapping. */
async function isPassword(
  { password, from }: EnteredPassword,
  hash: string,
  { hasher }: SignInTools,
): Promise<boolean> {
  const mapped = mapOpaqueString(password);
  const first = 'mapped' in mapped ? mapped.mapped : password;
  if (await hasher.verify(first, hash, from)) return true;
  return first !== password && hasher.verify(password, hash, from);
}

function newTokens(): { tokens: { token: string; refreshToken: string }; session: NewSession } {
  const token = newAccessToken();
  const refreshToken = newRefreshToken();
  return {
    tokens: { token, refreshToken },
    session: { tokenDigest: digestOf(token), refreshDigest: digestOf(refreshToken) },
  };
}
