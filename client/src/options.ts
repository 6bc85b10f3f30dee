/** What sends a request: the global `fetch`, or one that takes the same. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Where the service is, who calls, and how patiently. */
export interface AnagrafeOptions {
  /** Where the service is: `https://anagrafe.example.com`. A path is kept, for a service behind a prefix. */
  readonly url: string | URL;
  /** Of an API client, together with `secretKey`. */
  readonly publicKey?: string | undefined;
  readonly secretKey?: string | undefined;
  /** Of a signed-in user, in place of the two keys: the `Token` of a login. */
  readonly accessToken?: string | undefined;
  /** Of the sentences in answers and errors; English unless given. */
  readonly language?: 'en' | 'it' | undefined;
  /** How long one attempt may take; a minute unless given. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is sent again where that is safe; 8 times unless given. */
  readonly retries?: number | undefined;
  /** How long a call may take with all its attempts and the waits between them; five minutes unless given. */
  readonly patienceMs?: number | undefined;
  /** Sent with every call, for a proxy that asks for them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether a browser sends its cookies, for a proxy that asks for them; the service needs none. */
  readonly credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  readonly fetch?: Fetch | undefined;
}

/** What every call takes. */
export interface CallOptions {
  /**
   * Ends the call, and the waits between its attempts, with its own reason. What was sent may have been done: give a
   * write an `idempotencyKey` of yours to be able to go on with it.
   */
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take. */
  readonly timeoutMs?: number | undefined;
}

/** What every list takes. */
export interface PageOptions extends CallOptions {
  /** 1 to 1,000, else 100. */
  readonly pageSize?: number | undefined;
}

/** The options as they are used. */
export interface Settings {
  /** Without a slash at its end. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly patienceMs: number;
  readonly credentials: 'omit' | 'same-origin' | 'include' | undefined;
  readonly fetch: Fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly clientHeaders: Readonly<Record<string, string>>;
  readonly userHeaders: Readonly<Record<string, string>>;
}

/** @throws {TypeError} What cannot be used is said at once, and not by the first call. */
export function readOptions(options: AnagrafeOptions): Settings {
  const { publicKey, secretKey, accessToken, language } = options;
  if ((publicKey === undefined) !== (secretKey === undefined))
    throw new TypeError('publicKey and secretKey belong together');
  if (publicKey !== undefined && accessToken !== undefined)
    throw new TypeError('either the two keys or an accessToken, not both');
  return {
    url: readUrl(options.url),
    timeoutMs: amount('timeoutMs', options.timeoutMs ?? 60_000),
    retries: amount('retries', options.retries ?? 8),
    patienceMs: amount('patienceMs', options.patienceMs ?? 300_000),
    credentials: options.credentials,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    headers: { ...checked(options.headers ?? {}), ...(language && { 'Accept-Language': language }) },
    clientHeaders: visible({ SyncPublicKey: publicKey, SyncSecretKey: secretKey }),
    userHeaders: visible({ AccessToken: accessToken }),
  };
}

function readUrl(given: string | URL): string {
  const text = String(given);
  const wrong = 'url must be the http or https address of the service, without a user, a query or a fragment';
  if (!URL.canParse(text)) throw new TypeError(wrong);
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  if (!/^https?:$/.test(protocol) || username || password || search || hash) throw new TypeError(wrong);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

function amount(name: string, value: number): number {
  if (value >= 0) return value;
  throw new TypeError(`${name} must be a number, and not below zero`);
}

/** `fetch` would repeat a key that it cannot send, such as one with a line break at its end, in its error. */
function visible(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    if (!/^[\x21-\x7e]+$/.test(value)) throw new TypeError(`${name} holds a character that no key has`);
    found[name] = value;
  }
  return found;
}

function checked(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      throw new TypeError('headers holds one that cannot be sent');
  }
  return headers;
}
