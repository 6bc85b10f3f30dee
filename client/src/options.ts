/** A function that sends a request and has the signature of the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options of the `Anagrafe` constructor: URL, credentials, timeouts and retries. */
export interface AnagrafeOptions {
  /** The base URL of the service, such as `https://anagrafe.example.com`. It may have a path prefix. */
  readonly url: string | URL;
  /** The public key of an API client. Requires `secretKey`. */
  readonly publicKey?: string | undefined;
  /** The secret key of the API client. Requires `publicKey`. */
  readonly secretKey?: string | undefined;
  /** The `Token` of a signed-in user's login. Excludes `publicKey` and `secretKey`. */
  readonly accessToken?: string | undefined;
  /** The language of messages, sent as `Accept-Language`. Default: that of the browser; elsewhere English. */
  readonly language?: 'en' | 'it' | undefined;
  /** Timeout of one attempt in milliseconds. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries of a call, if a repeat is safe. Default: 8. */
  readonly retries?: number | undefined;
  /** Timeout of a call in milliseconds, including all attempts and the backoff between them. Default: 300,000. */
  readonly totalTimeoutMs?: number | undefined;
  /** Additional headers of every request, for example for a proxy that requires them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The `credentials` mode of `fetch`, for a proxy that requires cookies. Only the console calls need cookies. */
  readonly credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /**
   * Called when a call fails with `CONFIRMATION_REQUIRED`. If it resolves to true, the operator of the console session has
   * confirmed its identity, and the call is sent again.
   */
  readonly onConfirmationRequired?: (() => Promise<boolean>) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /**
   * Aborts the call, including the backoff between attempts. The call then rejects with the reason of the signal. The
   * service may have processed it: to be able to resume an aborted write, pass your own `idempotencyKey`.
   */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of one attempt in milliseconds. Default: `timeoutMs` of the client. */
  readonly timeoutMs?: number | undefined;
}

/** Options of every call that returns a list. */
export interface PageOptions extends CallOptions {
  /** Records per page, from 1 to 1,000. Default: 100. */
  readonly pageSize?: number | undefined;
}

export interface Settings {
  readonly url: string;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly totalTimeoutMs: number;
  readonly credentials: 'omit' | 'same-origin' | 'include' | undefined;
  readonly fetch: Fetch;
  readonly onConfirmationRequired: (() => Promise<boolean>) | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Authentication headers of an API client; empty without keys. */
  readonly clientHeaders: Readonly<Record<string, string>>;
  /** Authentication header of a signed-in user; empty without an access token. */
  readonly userHeaders: Readonly<Record<string, string>>;
}

/** @throws {TypeError} If an option is invalid, so that the constructor fails and not the first call. */
export function readOptions(options: AnagrafeOptions): Settings {
  const { publicKey, secretKey, accessToken, language } = options;
  if ((publicKey === undefined) !== (secretKey === undefined))
    throw new TypeError('publicKey and secretKey belong together');
  if (publicKey !== undefined && accessToken !== undefined)
    throw new TypeError('either the two keys or an accessToken, not both');
  return {
    url: readUrl(options.url),
    timeoutMs: requireNonNegative('timeoutMs', options.timeoutMs ?? 60_000),
    retries: requireNonNegative('retries', options.retries ?? 8),
    totalTimeoutMs: requireNonNegative('totalTimeoutMs', options.totalTimeoutMs ?? 300_000),
    credentials: options.credentials,
    onConfirmationRequired: options.onConfirmationRequired,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    headers: { ...checkHeaders(options.headers ?? {}), ...(language && { 'Accept-Language': language }) },
    clientHeaders: credentialHeaders({ SyncPublicKey: publicKey, SyncSecretKey: secretKey }),
    userHeaders: credentialHeaders({ AccessToken: accessToken }),
  };
}

function readUrl(url: string | URL): string {
  const text = String(url);
  const message =
    'url must be the http or https address of the service, without a user, a query or a fragment';
  if (!URL.canParse(text)) throw new TypeError(message);
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  if (!/^https?:$/.test(protocol) || username || password || search || hash) throw new TypeError(message);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** Rejects NaN too. */
function requireNonNegative(name: string, value: number): number {
  if (value >= 0) return value;
  throw new TypeError(`${name} must be a number, and not below zero`);
}

/** Rejects invalid header values, because the error of `fetch` would contain the secret. Omits undefined values. */
function credentialHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    if (!/^[\x21-\x7e]+$/.test(value)) throw new TypeError(`${name} holds a character that no key has`);
    found[name] = value;
  }
  return found;
}

function checkHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      throw new TypeError('headers holds one that cannot be sent');
  }
  return headers;
}
