import { Admin } from './admin/admin.ts';
import { pageOf } from './answer.ts';
import type {
  AppliedUser,
  CloudEvent,
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
import { Console } from './console.ts';
import { Jobs } from './jobs.ts';
import { type NewPassword, type NewUser, type SignedInUser, updatePrincipal } from './one-principal.ts';
import { type AnagrafeOptions, type CallOptions, readOptions } from './options.ts';
import { Pages } from './pages.ts';
import { Sequence, type SequenceOptions } from './sequence.ts';
import { Transport } from './transport.ts';
import { type KeyOptions, type WriteOptions, type WriteResult, write } from './writes.ts';

/** Which events. */
export interface EventOptions extends SequenceOptions {
  /** The `id` of the event that was read last; without it, from the first one in the order. */
  readonly after?: string | null | undefined;
}

/**
 * A service of Anagrafe, for a program that calls it. Every call is sent again after a failure where that is safe, within
 * `retries` and `patienceMs`; every write has an `Idempotency-Key`, so that it is done once.
 *
 * @example
 * ```ts
 * const anagrafe = new Anagrafe({ url: 'https://anagrafe.example.com', publicKey, secretKey });
 * const [mario] = await anagrafe.register(1, [{ Username: 'mario.rossi', Password: 'una frase lunga' }]);
 * await anagrafe.reset(1, [{ ID: mario.ID, Password: 'una frase nuova' }]);
 * ```
 */
export class Anagrafe {
  /** Calls that are done later, for up to 100,000 users. */
  readonly jobs: Jobs;
  /** `/admin/v1`. */
  readonly admin: Admin;
  /** `/console/session`. */
  readonly console: Console;
  readonly #options: AnagrafeOptions;
  readonly #transport: Transport;

  /** @throws {TypeError} Where the options cannot be meant. */
  constructor(options: AnagrafeOptions) {
    this.#options = options;
    this.#transport = new Transport(readOptions(options));
    this.jobs = new Jobs(this.#transport);
    this.admin = new Admin(this.#transport);
    this.console = new Console(this.#transport);
  }

  /**
   * Registers users under a principal, all of them or none, and gives them back with their IDs, in the order given.
   *
   * @throws {RecordError} With the faults by place, where they were not registered.
   */
  register(principalId: number, users: readonly NewUser[], options?: KeyOptions): Promise<AppliedUser[]> {
    return updatePrincipal(this.#transport, principalId, users, options);
  }

  /**
   * Gives users of a principal new passwords, all of them or none. It ends their sessions.
   *
   * @throws {RecordError} With the faults by place, where they were not reset.
   */
  reset(principalId: number, users: readonly NewPassword[], options?: KeyOptions): Promise<AppliedUser[]> {
    return updatePrincipal(this.#transport, principalId, users, options);
  }

  /**
   * Registers users and resets passwords, many records in one call. Records that were not applied are no error: the
   * tuples tell.
   *
   * @example
   * ```ts
   * const { tuples } = await anagrafe.update(records);
   * for (const [place, { Item3, Item5 }] of tuples.entries()) if (!Item3) report(records[place], Item5);
   * const { estimate } = await anagrafe.update(records, { dryRun: true });
   * ```
   */
  update<Dry extends boolean = false>(
    records: readonly UpdateRecord[],
    options?: WriteOptions<Dry>,
  ): Promise<WriteResult<Dry>> {
    return write(this.#transport, 'update', records, options);
  }

  /** Creates principals, with or without users; `Item1` of each tuple is the new ID. */
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
   * The principals with their users, in the order of their IDs.
   *
   * @example
   * ```ts
   * for await (const principal of anagrafe.list({ Search: 'rossi' })) console.log(principal.ID);
   * const { records, totalCount } = await anagrafe.list({ PageSize: 20 }).page(3);
   * ```
   */
  list(filter: Omit<PrincipalFilter, 'Page'> = {}, options?: CallOptions): Pages<Principal> {
    return new Pages(async (Page) =>
      pageOf(await this.#transport.send('list', { body: { ...filter, Page } }, options)),
    );
  }

  /** The users of all principals, in the order of their IDs; `ID` and `ExternalKey` of the filter are of the principal. */
  users(filter: Omit<UserFilter, 'Page'> = {}, options?: CallOptions): Pages<UserOfPrincipal> {
    return new Pages(async (Page) =>
      pageOf(await this.#transport.send('users', { body: { ...filter, Page } }, options)),
    );
  }

  /**
   * What happened, in order, without gaps. It ends where nothing more has happened yet; with `follow` it waits there. From the
   * newest on (`order`) it is read back to the oldest.
   *
   * @example
   * ```ts
   * for await (const event of anagrafe.events({ after: lastId })) {
   *   if (event.type === 'user.registered') welcome(event.data.Username);
   *   lastId = event.id;
   * }
   * ```
   */
  events(options: EventOptions = {}): Sequence<CloudEvent, string> {
    const { after: start = null, order, pageSize, follow, pollMs, ...rest } = options;
    return new Sequence(
      async (after) => {
        const query = { order, after: after ?? undefined, pageSize };
        const { records, record } = pageOf(await this.#transport.send('events', { query }, rest));
        return { records, after: record.After, more: record.More };
      },
      start,
      { order, follow, pollMs, signal: rest.signal },
    );
  }

  /**
   * Signs a user in. It is sent once: after too many wrong passwords the error is `RATE_LIMITED` with `retryAfter`.
   *
   * @example
   * ```ts
   * const login = await anagrafe.login({ Username: 'mario.rossi', Password: 'una frase lunga' });
   * const mario = anagrafe.as(login);
   * await mario.changePassword(login, 'una frase lunga', 'una frase nuova');
   * ```
   */
  async login(credentials: Credentials, options?: CallOptions): Promise<Login> {
    return pageOf(await this.#transport.send('login', { body: credentials }, options)).record;
  }

  /** The next pair of tokens. A refresh token is good once: where no answer came, the user has to sign in again. */
  async refresh(refreshToken: string, options?: CallOptions): Promise<Login> {
    const call = { body: { RefreshToken: refreshToken } };
    return pageOf(await this.#transport.send('refresh', call, options)).record;
  }

  /** The same service, for a signed-in user in place of whoever this is for. */
  as({ Token }: Pick<Login, 'Token'>): Anagrafe {
    return new Anagrafe({
      ...this.#options,
      publicKey: undefined,
      secretKey: undefined,
      accessToken: Token,
    });
  }

  /** Ends everything that came of the signed-in user's login. */
  async logout(options?: CallOptions): Promise<void> {
    await this.#transport.send('logout', {}, options);
  }

  /**
   * Changes the password of the signed-in user, who is named by the login. It ends all of the user's sessions. Sent
   * once, since a second attempt would have the old password wrong.
   *
   * @throws {RecordError} With the faults by place: `CURRENT_PASSWORD_WRONG` at `Users[0].CurrentPassword`.
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
