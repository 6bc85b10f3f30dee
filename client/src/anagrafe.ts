import { Admin } from './admin.ts';
import type {
  AppliedUser,
  CloudEvent,
  Credentials,
  DeleteRecord,
  InsertRecord,
  Login,
  MergeRecord,
  Principal,
  PrincipalFilter,
  StateRecord,
  UpdateRecord,
  UpsertRecord,
  UserFilter,
  UserOfPrincipal,
} from './api.gen.ts';
import { Console } from './console.ts';
import { Jobs } from './jobs.ts';
import { CursorList, type EventOptions, type ExportFilter, PagedList, RecordExport } from './lists.ts';
import { type AnagrafeOptions, type CallOptions, readOptions } from './options.ts';
import { OwnSessions } from './own-sessions.ts';
import { Passwords } from './passwords.ts';
import {
  createPrincipal,
  editOf,
  type NewUser,
  type PasswordReset,
  type PrincipalEdit,
  type PrincipalReference,
  registrationOf,
  removeUsers,
  resetOf,
  type SignedInUser,
  type UserReference,
  updatePrincipal,
  withConfirmation,
} from './principal.ts';
import { Transport } from './transport.ts';
import {
  type InsertOptions,
  type KeyOptions,
  type MergeOptions,
  type UpsertOptions,
  type UpsertResult,
  type WriteOptions,
  type WriteResult,
  write,
  writePlanned,
} from './writes.ts';

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
  /** Codes with which users set their passwords. */
  readonly passwords: Passwords;
  /** The sessions of the signed-in user, of a client that `as` returns. */
  readonly sessions: OwnSessions;
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
    this.passwords = new Passwords(this.#transport);
    this.sessions = new OwnSessions(this.#transport);
    this.console = new Console(this.#transport);
  }

  /**
   * Creates a principal, with or without users, and returns its ID.
   *
   * @throws {RecordError} If it was not created; `fieldErrors` has the field errors by field path.
   */
  create(principal: InsertRecord, options?: KeyOptions): Promise<number> {
    return createPrincipal(this.#transport, principal, options);
  }

  /**
   * Registers users under a principal, all of them or none. Returns them with their IDs, in the order given.
   *
   * @throws {RecordError} If no user was registered; `fieldErrors` has the field errors by field path.
   */
  register(
    principal: PrincipalReference,
    users: readonly NewUser[],
    options?: KeyOptions,
  ): Promise<AppliedUser[]> {
    return updatePrincipal(this.#transport, principal, { Users: users.map(registrationOf) }, options);
  }

  /**
   * Resets the passwords of users of a principal, all of them or none, and ends the sessions of these users.
   *
   * @throws {RecordError} If no password was reset; `fieldErrors` has the field errors by field path.
   */
  reset(
    principal: PrincipalReference,
    users: readonly PasswordReset[],
    options?: KeyOptions,
  ): Promise<AppliedUser[]> {
    return updatePrincipal(this.#transport, principal, { Users: users.map(resetOf) }, options);
  }

  /**
   * Changes fields of a principal and of its users, all of them or none. Returns the users.
   *
   * @throws {RecordError} If nothing was changed; `fieldErrors` has the field errors by field path.
   */
  edit(principal: PrincipalReference, change: PrincipalEdit, options?: KeyOptions): Promise<AppliedUser[]> {
    return updatePrincipal(this.#transport, principal, editOf(change), options);
  }

  /**
   * Deletes users of a principal, all of them or none; without `users`, the principal with all its users.
   *
   * @throws {RecordError} If nothing was deleted; `fieldErrors` has the field errors by field path.
   */
  remove(
    principal: PrincipalReference,
    users?: readonly UserReference[],
    options?: KeyOptions,
  ): Promise<void> {
    return removeUsers(this.#transport, principal, users, options);
  }

  /**
   * Registers users and resets passwords, with many records in one call. A record that was not applied does not throw:
   * check `Item3` of its tuple.
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
    options?: InsertOptions<Dry>,
  ): Promise<WriteResult<Dry>> {
    return write(this.#transport, 'insert', records, options);
  }

  /**
   * Creates principals and users that do not exist, changes those that differ, and leaves equal ones untouched.
   * Principals are found by `ExternalKey` or `ID`, users by `Username`. Passwords of existing users stay, unless
   * `passwords` is `overwrite`.
   *
   * @throws {ApiError} With the code `PLAN_OUTDATED` if the data has changed since the dry run with the plan `ifMatch`.
   */
  upsert<Dry extends boolean = false>(
    records: readonly UpsertRecord[],
    options?: UpsertOptions<Dry>,
  ): Promise<UpsertResult<Dry>> {
    return writePlanned(this.#transport, 'upsert', records, options);
  }

  /** Deletes users, or principals with all their users. Their sessions end. */
  delete<Dry extends boolean = false>(
    records: readonly DeleteRecord[],
    options?: WriteOptions<Dry>,
  ): Promise<WriteResult<Dry>> {
    return write(this.#transport, 'delete', records, options);
  }

  /** Disables and enables principals and users. */
  setStates<Dry extends boolean = false>(
    records: readonly StateRecord[],
    options?: WriteOptions<Dry>,
  ): Promise<WriteResult<Dry>> {
    return write(this.#transport, 'state', records, options);
  }

  /** Merges each principal in `From` into the one that the record names. This cannot be undone; a dry run returns the plan. */
  merge<Dry extends boolean = false>(
    records: readonly MergeRecord[],
    options?: MergeOptions<Dry>,
  ): Promise<UpsertResult<Dry>> {
    return writePlanned(this.#transport, 'merge', records, options);
  }

  /**
   * Lists the principals with their users, ordered by principal ID.
   */
  list(filter: Omit<PrincipalFilter, 'Page'> = {}, options?: CallOptions): PagedList<Principal> {
    return new PagedList((Page) => this.#transport.page('list', { body: { ...filter, Page } }, options));
  }

  /** Lists the users of all principals, ordered by user ID. `ID` and `ExternalKey` of the filter select a principal. */
  users(filter: Omit<UserFilter, 'Page'> = {}, options?: CallOptions): PagedList<UserOfPrincipal> {
    return new PagedList((Page) => this.#transport.page('users', { body: { ...filter, Page } }, options));
  }

  /**
   * Exports principals with their users, ordered by principal ID. At most two exports run at once; a further one is
   * retried like any call.
   */
  exportRecords(
    { ID, ExternalKey, Tags, hashes, separator }: ExportFilter = {},
    options?: CallOptions,
  ): RecordExport {
    return new RecordExport((format) =>
      this.#transport.stream(
        'exportRecords',
        { query: { id: ID, externalKey: ExternalKey, tags: Tags?.join(','), hashes, separator, format } },
        options,
      ),
    );
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

  /** Signs a user in, without retries. A throttled attempt throws an `ApiError` `RATE_LIMITED` with `retryAfter`. */
  login(credentials: Credentials, options?: CallOptions): Promise<Login> {
    return this.#transport.record('login', { body: credentials }, options);
  }

  /**
   * Exchanges a refresh token for the next access token and refresh token. A refresh token is valid for one exchange.
   * If no answer arrives, it can be sent once more within 60 seconds; after that, the user must sign in again.
   */
  refresh(refreshToken: string, options?: CallOptions): Promise<Login> {
    return this.#transport.record('refresh', { body: { RefreshToken: refreshToken } }, options);
  }

  /** Returns a client with the same options that authenticates with the access token of a signed-in user. */
  as({ Token: accessToken }: Pick<Login, 'Token'>): Anagrafe {
    return new Anagrafe({ ...this.#options, publicKey: undefined, secretKey: undefined, accessToken });
  }

  /** Returns a client whose calls are parts of a run, such as an import: a UUID, for example of `newRun`. */
  ofRun(run: string): Anagrafe {
    return new Anagrafe({ ...this.#options, headers: { ...this.#options.headers, 'Anagrafe-Run': run } });
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
    await updatePrincipal(this.#transport, IRID, { Users: [withConfirmation(user)] }, options);
  }
}
