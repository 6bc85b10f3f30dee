import { digestOf, newAccessToken, newRefreshToken } from '../access/keys.ts';
import { Refusal } from '../faults.ts';
import { mapOpaqueString } from '../fields/precis/opaque-string.ts';
import { mapUsername } from '../fields/precis/username.ts';
import type { Author, Journal } from '../journal/journal.ts';
import type { Hasher, VerifySource } from '../records/hashing.ts';
import { type Guess, type GuessStore, reserveGuess } from './guesses.ts';
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
  readonly source: AttemptSource;
}

/** The source that the guesses of an attempt are counted for. */
export interface AttemptSource {
  /** The address of the user, or the API client that has not passed it on. */
  readonly name: string;
  /** True if `name` stands for many people: then only guesses at one account are counted there. */
  readonly shared: boolean;
}

/**
 * Signs a user in. An unknown user, a wrong password and a disabled account take the same work and get the same
 * answer.
 */
export async function signIn(attempt: Attempt, tools: SignInTools): Promise<SignedIn> {
  const { author, password } = attempt;
  const mapped = mapUsername(attempt.username);
  const usernameKey = 'mapped' in mapped ? mapped.mapped : '';
  const account = await tools.sessions.findAccount(usernameKey);
  const guess = guessOf(usernameKey || attempt.username, account, attempt.source, tools);
  const { counters, known } = await reserveGuess(guess, tools.guesses);
  // Through a client that does not pass on addresses, each account counts as a source of its own.
  const { name, shared } = attempt.source;
  const source = shared ? JSON.stringify([name, usernameKey]) : name;
  const typed = { password, from: { known, source } };
  const begun = await verifyAndBegin(account, typed, author, tools).catch(async (error) => {
    await tools.guesses.takeBack(counters);
    throw error;
  });
  if (!begun) {
    await noteFailure(author, account, tools);
    throw new Refusal('UNAUTHENTICATED', { variant: 'login' });
  }
  await tools.guesses.clear(guess, counters);
  return begun;
}

interface Typed {
  /** The password as it was typed. */
  readonly password: string;
  readonly from: VerifySource;
}

async function verifyAndBegin(
  account: StoredAccount | null,
  typed: Typed,
  author: Author,
  tools: SignInTools,
): Promise<SignedIn | null> {
  const right = await isPassword(typed, account?.passwordHash ?? tools.noHash, tools);
  if (!account?.active || !right) return null;
  const { password } = typed;
  const begun = await begin(account, password, author, tools);
  if (begun) return begun;
  // Somebody else has changed the account meanwhile: perhaps a login at the same moment, which made the hash anew.
  const again = await tools.sessions.findAccountById(account.userId);
  if (!again?.active || !(await isPassword(typed, again.passwordHash, tools))) return null;
  return begin(again, password, author, tools);
}

async function noteFailure(author: Author, account: StoredAccount | null, tools: SignInTools): Promise<void> {
  const details = { user: account?.userId ?? null };
  const principalId = account?.principalId ?? null;
  await tools.journal.note(author, { action: 'login.failed', principalId, details });
}

/** Verifies the password of a signed-in user, as slowly as a sign-in would; its hash, null where it is another one. */
export async function confirmPassword(
  userId: number,
  password: string,
  author: Author,
  tools: SignInTools,
): Promise<string | null> {
  const account = await tools.sessions.findAccountById(userId);
  if (!account) return null;
  const pair = tools.guessDigest(`signed in ${userId}`);
  const guess: Guess = { pair, source: null, account: null, userId };
  const { counters } = await reserveGuess(guess, tools.guesses);
  const typed = { password, from: { known: true, source: `user ${userId}` } };
  const right = await isPassword(typed, account.passwordHash, tools).catch(async (error) => {
    await tools.guesses.takeBack(counters);
    throw error;
  });
  if (right) {
    await tools.guesses.clear(guess, counters);
    return account.passwordHash;
  }
  await noteFailure(author, account, tools);
  return null;
}

export async function refresh(refreshToken: string, author: Author, tools: SignInTools): Promise<SignedIn> {
  const { tokens, session } = newTokens();
  const exchanged = await tools.sessions.exchange(digestOf(refreshToken), session, author);
  if (!exchanged) throw new Refusal('UNAUTHENTICATED', { variant: 'refresh' });
  return { ...exchanged, ...tokens };
}

/** By the name that was typed and not by the user, so that an account that exists and one that does not wait alike. */
function guessOf(
  name: string,
  account: StoredAccount | null,
  source: AttemptSource,
  { guessDigest }: SignInTools,
): Guess {
  return {
    pair: guessDigest(`pair ${JSON.stringify([name, source.name])}`),
    source: source.shared ? null : guessDigest(`source ${source.name}`),
    account: guessDigest(`account ${name}`),
    userId: account?.userId ?? null,
  };
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
async function isPassword(
  { password, from }: Typed,
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
