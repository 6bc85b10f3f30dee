import { Admin } from './admin.ts';
import type {
  AppliedUser,
  CloudEvent,
  ConsoleKeys,
  ConsoleSession,
  Credentials,
  InsertRecord,
  Login,
  Principal,
  PrincipalFilter,
  StateRecord,
  UpdateRecord,
  UserFilter,
  UserOfPrincipal,
} from './api.gen.ts';
import { Jobs } from './jobs.ts';
import { CursorList, type CursorListOptions, PagedList } from './lists.ts';
import { type AnagrafeOptions, type CallOptions, readOptions } from './options.ts';
import { Transport } from './transport.ts';
import {
  type KeyOptions,
  type NewPassword,
  type NewUser,
  type SignedInUser,
  updatePrincipal,
  type WriteOptions,
  type WriteResult,
  write,
} from './writes.ts';

/** Options of {@link Anagrafe.events}. */
export interface EventOptions extends CursorListOptions {
  /** The `id` of the last event already read (exclusive). If omitted or null, starts at the first event in `order`. */
  readonly after?: string | null | undefined;
}

/**
 * HTTP client of an Anagrafe service. It retries a failed call if a repeat is safe, at most `retries` times and within
 * `totalTimeoutMs`. Every write of an API client has an `Idempotency-Key`, so the service applies a repeated write once.
 *
 * @example
 * ```ts
 * const anagrafe = new Anagrafe({ url: 'https://anagrafe.example.com', publicKey, secretKey });
 * const [mario] = await anagrafe.register(1, [{ Username: 'mario.rossi', Password: 'una frase lunga' }]);
 * await anagrafe.reset(1, [{ ID: mario.ID, Password: 'una frase nuova' }]);
 * ```
 */
export class Anagrafe {
  /** Background jobs: calls with up to 100,000 users, the default limit of the service. */
  readonly jobs: Jobs;
  /** Calls under `/admin/v1`, for an API client with the scope `admin`. */
  readonly admin: Admin;
  /** Calls under `/console/session`, for a browser. */
  readonly console: Console;
  readonly #options: AnagrafeOptions;
  readonly #transport: Transport;

  /** @throws {TypeError} If an option is invalid, a key is missing, or both keys and an access token are given. */
  constructor(options: AnagrafeOptions) {
    this.#options = options;
    this.#transport = new Transport(readOptions(options));
    this.jobs = new Jobs(this.#transport);
    this.admin = new Admin(this.#transport);
    this.console = new Console(this.#transport);
  }

  /**
   * Registers users under a principal, all of them or none. Returns them with their IDs, in the order given.
   *
   * @throws {RecordError} If no user was registered; `fieldErrors` has the field errors by field path.
   */
  register(principalId: number, users: readonly NewUser[], options?: KeyOptions): Promise<AppliedUser[]> {
    return updatePrincipal(this.#transport, principalId, users, options);
  }

  /**
   * Resets the passwords of users of a principal, all of them or none, and ends the sessions of these users.
   *
   * @throws {RecordError} If no password was reset; `fieldErrors` has the field errors by field path.
   */
  reset(principalId: number, users: readonly NewPassword[], options?: KeyOptions): Promise<AppliedUser[]> {
    return updatePrincipal(this.#transport, principalId, users, options);
  }

  /**
   * Registers users and resets passwords, with many records in one call. A record that was not applied does not throw:
   * check `Item3` of its tuple.
   *
   * @example
   * ```ts
   * const { tuples } = await anagrafe.update(records);
   * for (const [index, { Item3, Item5 }] of tuples.entries()) if (!Item3) report(records[index], Item5);
   * const { estimate } = await anagrafe.update(records, { dryRun: true });
   * ```
   */
  update<Dry extends boolean = false>(
    records: readonly UpdateRecord[],
    options?: WriteOptions<Dry>,
  ): Promise<WriteResult<Dry>> {
    return write(this.#transport, 'update', records, options);
  }

  /** Creates principals, with or without users. `Item1` of each tuple is the ID of the new principal. */
  insert<Dry extends boolean = false>(
    records: readonly InsertRecord[],
    options?: WriteOptions<Dry>,
  ): Promise<WriteResult<Dry>> {
    return write(this.#transport, 'insert', records, options);
  }

  /** Disables and enables principals and users. */
  setStates<Dry extends boolean = false>(
    records: readonly StateRecord[],
    options?: WriteOptions<Dry>,
  ): Promise<WriteResult<Dry>> {
    return write(this.#transport, 'state', records, options);
  }

  /**
   * Lists the principals with their users, ordered by principal ID.
   *
   * @example
   * ```ts
   * for await (const principal of anagrafe.list({ Search: 'rossi' })) console.log(principal.ID);
   * const { records, totalCount } = await anagrafe.list({ PageSize: 20 }).page(3);
   * ```
   */
  list(filter: Omit<PrincipalFilter, 'Page'> = {}, options?: CallOptions): PagedList<Principal> {
    return new PagedList((Page) => this.#transport.page('list', { body: { ...filter, Page } }, options));
  }

  /** Lists the users of all principals, ordered by user ID. `ID` and `ExternalKey` of the filter select a principal. */
  users(filter: Omit<UserFilter, 'Page'> = {}, options?: CallOptions): PagedList<UserOfPrincipal> {
    return new PagedList((Page) => this.#transport.page('users', { body: { ...filter, Page } }, options));
  }

  /**
   * Reads the events in order, without gaps or duplicates. The iteration ends after the last event; with `follow` it
   * polls for new events instead. With `order: 'newest'` it reads from the newest event back to the oldest.
   *
   * @example
   * ```ts
   * for await (const event of anagrafe.events({ after: lastId })) {
   *   if (event.type === 'user.registered') welcome(event.data.Username);
   *   lastId = event.id;
   * }
   * ```
   *
   * @throws {TypeError} If `follow` is combined with `order: 'newest'`.
   */
  events(options: EventOptions = {}): CursorList<CloudEvent, string> {
    const { order, pageSize, signal, timeoutMs } = options;
    return new CursorList((after) => {
      const query = { order, after: after ?? undefined, pageSize };
      return this.#transport.page('events', { query }, { signal, timeoutMs });
    }, options);
  }

  /**
   * Signs a user in. The call is never retried. After too many wrong passwords the login throttle answers with an
   * `ApiError` that has the code `RATE_LIMITED` and `retryAfter`.
   *
   * @example
   * ```ts
   * const login = await anagrafe.login({ Username: 'mario.rossi', Password: 'una frase lunga' });
   * const mario = anagrafe.as(login);
   * await mario.changePassword(login, 'una frase lunga', 'una frase nuova');
   * ```
   */
  login(credentials: Credentials, options?: CallOptions): Promise<Login> {
    return this.#transport.record('login', { body: credentials }, options);
  }

  /**
   * Exchanges a refresh token for the next access token and refresh token. A refresh token is valid for one exchange:
   * if no answer arrives, the user must sign in again.
   */
  refresh(refreshToken: string, options?: CallOptions): Promise<Login> {
    return this.#transport.record('refresh', { body: { RefreshToken: refreshToken } }, options);
  }

  /** Returns a client with the same options that authenticates with the access token of a signed-in user. */
  as({ Token }: Pick<Login, 'Token'>): Anagrafe {
    return new Anagrafe({
      ...this.#options,
      publicKey: undefined,
      secretKey: undefined,
      accessToken: Token,
    });
  }

  /** Revokes all tokens of the signed-in user's login, including those issued by `refresh`. */
  async logout(options?: CallOptions): Promise<void> {
    await this.#transport.send('logout', {}, options);
  }

  /**
   * Changes the password of the signed-in user and ends all sessions of that user. Call it on the client that `as`
   * returns, with the result of `login`. It is retried only if the service did not start the call, because after a
   * change that succeeded `currentPassword` is wrong.
   *
   * @throws {RecordError} If the password was not changed. A wrong current password has the code
   * `CURRENT_PASSWORD_WRONG` at `Users[0].CurrentPassword` of `fieldErrors`.
   */
  async changePassword(
    { IRID, UserID }: SignedInUser,
    currentPassword: string,
    newPassword: string,
    options?: CallOptions,
  ): Promise<void> {
    const user = { ID: UserID, Password: newPassword, CurrentPassword: currentPassword };
    await updatePrincipal(this.#transport, IRID, [user], options);
  }
}

/**
 * Console sessions, for the pages of the console. The session token is in an `HttpOnly` cookie, so these calls need a
 * browser and the option `credentials: 'same-origin'`.
 */
export class Console {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the present session. The call does not extend it. */
  session(options?: CallOptions): Promise<ConsoleSession> {
    return this.#transport.record('consoleSession', {}, options);
  }

  /**
   * Signs in with the keys of an API client that has the scope `admin`. The call is never retried. After too many wrong
   * keys the login throttle answers with an `ApiError` that has the code `RATE_LIMITED` and `retryAfter`.
   */
  signIn(keys: ConsoleKeys, options?: CallOptions): Promise<ConsoleSession> {
    return this.#transport.record('signInAtConsole', { body: keys }, options);
  }

  async signOut(options?: CallOptions): Promise<void> {
    await this.#transport.send('signOutAtConsole', {}, options);
  }
}
