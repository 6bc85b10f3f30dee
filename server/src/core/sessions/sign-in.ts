import { digestOf, newAccessToken, newRefreshToken } from '../access/keys.ts';
import { Refusal } from '../faults.ts';
import { mapOpaqueString } from '../fields/precis/opaque-string.ts';
import { mapUsername } from '../fields/precis/username.ts';
import type { Author, Journal } from '../journal/journal.ts';
import type { Hasher } from '../records/hashing.ts';
import { type GuessKey, type GuessStore, reserveGuess } from './guesses.ts';
import type { Account, NewSession, SessionStore, StoredAccount } from './session.ts';

export interface SignedIn {
  readonly account: Account;
  readonly token: string;
  readonly refreshToken: string;
  readonly expiresAt: Date;
}

export interface SignInTools {
  readonly sessions: SessionStore;
  readonly guesses: GuessStore;
  readonly journal: Journal;
  readonly hasher: Hasher;
  /** A keyed digest of what somebody typed, or of where it came from. */
  guessDigest(text: string): Buffer;
  /** Whether a hash should be made anew: it is not ours, or of a time of lower cost. */
  needsRehash(hash: string): boolean;
  /** Of no password at all, as costly as ours: what is verified where there is no account. */
  readonly noHash: string;
}

export interface Attempt {
  readonly username: string;
  readonly password: string;
  readonly author: Author;
  /** Where guesses are counted against; null for an API client, which speaks for many people. */
  readonly source: string | null;
}

/**
 * Signs a user in. An unknown user, a wrong password and a disabled account take the same work and get the same
 * answer.
 */
export async function signIn(attempt: Attempt, tools: SignInTools): Promise<SignedIn> {
  const { author } = attempt;
  const mapped = mapUsername(attempt.username);
  const usernameKey = 'mapped' in mapped ? mapped.mapped : '';
  const account = await tools.sessions.findAccount(usernameKey);
  const guess = accountGuess(account, usernameKey || attempt.username, tools);
  const source = attempt.source === null ? null : sourceGuess(attempt.source, tools);
  await reserveGuess(guess, source, tools.guesses);
  const right = await isPassword(attempt.password, account?.passwordHash ?? tools.noHash, tools);
  const begun = account?.active && right ? await begin(account, attempt.password, author, tools) : null;
  if (!begun) {
    const details = { user: account?.userId ?? null };
    await tools.journal.note(author, {
      action: 'login.failed',
      principalId: account?.principalId ?? null,
      details,
    });
    throw new Refusal('UNAUTHENTICATED', { variant: 'login' });
  }
  await tools.guesses.clear(guess, source);
  return begun;
}

/** Verifies the password of an account that is known, as slowly as a sign-in would. */
export async function confirmPassword(
  userId: number,
  password: string,
  tools: SignInTools,
): Promise<boolean> {
  const account = await tools.sessions.findAccountById(userId);
  if (!account) return false;
  const guess = accountGuess(account, '', tools);
  await reserveGuess(guess, null, tools.guesses);
  const right = await isPassword(password, account.passwordHash, tools);
  if (right) await tools.guesses.clear(guess, null);
  return right;
}

export async function refresh(refreshToken: string, author: Author, tools: SignInTools): Promise<SignedIn> {
  const { tokens, session } = newTokens();
  const exchanged = await tools.sessions.exchange(digestOf(refreshToken), session, author);
  if (!exchanged) throw new Refusal('UNAUTHENTICATED', { variant: 'refresh' });
  return { ...exchanged, ...tokens };
}

function accountGuess(account: StoredAccount | null, typed: string, tools: SignInTools): GuessKey {
  const userId = account?.userId ?? null;
  const text = userId === null ? `name ${typed}` : `user ${userId}`;
  return { kind: 'account', digest: tools.guessDigest(text), userId };
}

function sourceGuess(address: string, tools: SignInTools): GuessKey {
  return { kind: 'source', digest: tools.guessDigest(`source ${address}`), userId: null };
}

async function begin(
  account: StoredAccount,
  password: string,
  author: Author,
  { sessions, hasher, needsRehash }: SignInTools,
): Promise<SignedIn | null> {
  const { tokens, session } = newTokens();
  const mapped = mapOpaqueString(password);
  const anew = needsRehash(account.passwordHash) && 'mapped' in mapped ? mapped.mapped : null;
  const newHash =
    anew === null
      ? null
      : await hasher.admit({ lane: 'interactive', share: `user ${account.userId}`, count: 1 }).hash(anew);
  const expiresAt = await sessions.begin(account, session, newHash, author);
  return expiresAt && { account, expiresAt, ...tokens };
}

/** Ours are made of the mapped form; one that was made elsewhere may be of what was typed there. */
async function isPassword(password: string, hash: string, tools: SignInTools): Promise<boolean> {
  const mapped = mapOpaqueString(password);
  const first = 'mapped' in mapped ? mapped.mapped : password;
  if (await tools.hasher.verify(first, hash)) return true;
  return first !== password && tools.needsRehash(hash) && tools.hasher.verify(password, hash);
}

function newTokens(): { tokens: { token: string; refreshToken: string }; session: NewSession } {
  const token = newAccessToken();
  const refreshToken = newRefreshToken();
  return {
    tokens: { token, refreshToken },
    session: { tokenDigest: digestOf(token), refreshDigest: digestOf(refreshToken) },
  };
}
