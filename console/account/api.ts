import { isKey, type Key, language, t, waitText } from './i18n/language.ts';

// The tokens are kept in memory: a page of another site cannot use them, nothing is left in storage, and a reload or the
// end of the page signs out.

export interface User {
  readonly IRID: number;
  readonly UserID: number;
  readonly Username: string;
  readonly Denomination: string | null;
  readonly Email: string | null;
  readonly MustChangePassword?: true;
  /** The password of the sign-in, until a user that must change it has done so. */
  readonly entered?: string;
}

interface Tokens {
  readonly Token: string;
  readonly RefreshToken: string;
}

export interface Session {
  readonly ID: string;
  readonly SignedInAt: string;
  readonly RefreshedAt: string;
  readonly Current: boolean;
}

type Errors = Readonly<Record<string, readonly { readonly code: string; readonly message: string }[]>>;

interface Envelope<Record, Item> {
  readonly errorCode: string | null;
  readonly result: {
    readonly totalCount: number;
    readonly record: Record;
    readonly records: readonly Item[];
  } | null;
}

/** A call that was refused, with texts for people. */
export class Refusal extends Error {
  readonly code: string;
  /** Texts by the name of the field. */
  readonly fields: ReadonlyMap<string, string>;

  constructor(code: string, message: string, errors: Errors = {}) {
    super(message);
    this.code = code;
    this.fields = textsOf(errors);
  }
}

let user: (User & Tokens) | null = null;
let onEnd = () => {};

export const currentUser = (): User | null => user;

/** Sets the listener that is called when a call finds that the session has ended. */
export function whenSessionEnds(listener: () => void): void {
  onEnd = listener;
}

export async function signIn(Username: string, Password: string): Promise<void> {
  const { record } = await send<User & Tokens>('login', { body: { Username, Password } });
  user = record.MustChangePassword ? { ...record, entered: Password } : record;
}

/** Signs out. The session of a page that is closed would otherwise stay in the list until it expires. */
export async function signOut(): Promise<void> {
  const token = user?.Token;
  user = null;
  if (token) await send('logout', { method: 'POST', token, keepalive: true }).catch(() => undefined);
}

/** Returns the errors of a new password, by the name of the field. */
export async function checkPassword(
  Password: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const names = user && { Username: user.Username, ...(user.Email !== null && { Email: user.Email }) };
  const body = { Password, ...names };
  const { record } = await send<{ FieldErrors: Errors }>('password/check', { body, signal });
  return textsOf(record.FieldErrors);
}

export async function setPassword(body: { Code: string; Password: string; ConfirmPassword: string }) {
  return (await send<User>('password/set', { body })).record.Username;
}

export async function forgotPassword(name: string): Promise<void> {
  await send('password/forgot', { body: name.includes('@') ? { Email: name } : { Username: name } });
}

/** Changes the password. All sessions end, so it signs in with the new one; returns false if that fails. */
export async function changePassword(passwords: {
  readonly CurrentPassword: string;
  readonly Password: string;
  readonly ConfirmPassword: string;
}): Promise<boolean> {
  if (!user) throw ended();
  const { IRID: ID, UserID, Username } = user;
  await authorized('irs/update', { body: [{ ID, Users: [{ ID: UserID, ...passwords }] }] });
  user = null;
  return signIn(Username, passwords.Password).then(
    () => true,
    () => false,
  );
}

export async function listSessions() {
  const { records, totalCount } = await authorized<null, Session>('sessions?pageSize=100', { method: 'GET' });
  return { sessions: records, totalCount };
}

export async function endSession(id: string): Promise<void> {
  await authorized(`sessions/${id}`, { method: 'DELETE' });
}

export async function endSessions(): Promise<void> {
  await authorized('sessions', { method: 'DELETE' });
  user = null;
}

interface Options extends Pick<RequestInit, 'method' | 'signal' | 'keepalive'> {
  readonly body?: unknown;
  readonly token?: string;
}

/** Sends a call with the access token. Renews the tokens once if they have expired. */
async function authorized<Record, Item = unknown>(path: string, options: Options) {
  if (!user) throw ended();
  try {
    return await send<Record, Item>(path, { ...options, token: user.Token });
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'UNAUTHENTICATED')) throw error;
  }
  const { RefreshToken, entered } = user;
  try {
    const { record } = await send<User & Tokens>('login/refresh', { body: { RefreshToken } });
    user = { ...record, ...(entered !== undefined && { entered }) };
    return await send<Record, Item>(path, { ...options, token: record.Token });
  } catch (error) {
    throw error instanceof Refusal && error.code === 'UNAUTHENTICATED' ? ended() : error;
  }
}

function ended(): Refusal {
  user = null;
  onEnd();
  return new Refusal('UNAUTHENTICATED', t('sessionEnded'));
}

async function send<Record, Item = unknown>(path: string, { body, token, ...options }: Options) {
  const response = await fetch(new URL(`../api/sync/v1/${path}`, location.href), {
    method: 'POST',
    ...options,
    credentials: 'omit',
    cache: 'no-store',
    headers: {
      'accept-language': language(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { accesstoken: token }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error) => {
    throw options.signal?.aborted ? error : new Refusal('UNREACHABLE', t('unreachable'));
  });
  const answer: Envelope<Record, Item> | null = await response.json().catch(() => null);
  if (response.ok && answer?.result) return answer.result;
  throw refusalOf(answer?.errorCode ?? '', Number(response.headers.get('retry-after') ?? 0), answer);
}

function refusalOf(code: string, seconds: number, answer: Envelope<unknown, unknown> | null): Refusal {
  const time = waitText(Math.max(seconds, 1));
  const texts: Record<string, string> = {
    RATE_LIMITED: t('tooMany', { time }),
    OVERLOADED: t('busy', { time }),
    UNAVAILABLE: t('busy', { time }),
    CODE_INVALID: t('codeInvalid'),
    UNAUTHENTICATED: t('sessionEnded'),
  };
  const { FieldErrors } = (answer?.result?.record ?? {}) as { FieldErrors?: Errors };
  const [tuple] = (answer?.result?.records ?? []) as { Item5?: Errors }[];
  return new Refusal(code, texts[code] ?? t('unexpected'), FieldErrors ?? tuple?.Item5);
}

function textsOf(errors: Errors): ReadonlyMap<string, string> {
  const min = document.body.dataset.minLength ?? '';
  const texts = Object.entries(errors).map(([place, [first]]) => {
    const { code = '', message = '' } = first ?? {};
    return [
      place.slice(place.lastIndexOf('.') + 1),
      isKey(code) ? t(code as Key, { min }) : message,
    ] as const;
  });
  return new Map(texts);
}
