import type {
  ConsoleKeys,
  ConsoleSession,
  NewOperatorPassword,
  OperatorConfirmation,
  OperatorOfCode,
  OperatorPassword,
  OperatorSession,
  OperatorSignIn,
  SecondFactorSecret,
} from './api.gen.ts';
import type { CallOptions } from './options.ts';
import { acceptedPassword } from './passwords.ts';
import type { Transport } from './transport.ts';

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

  /** Signs an operator in. Fails with `SECOND_FACTOR_REQUIRED` if only its `Code` is missing. Never retried. */
  async signInOperator(operator: OperatorSignIn, options?: CallOptions): Promise<void> {
    await this.#transport.send('signInOperator', { body: operator }, options);
  }

  /** Confirms the identity of the operator for the next ten minutes, with its password or a code. Never retried. */
  async confirm(proof: OperatorConfirmation, options?: CallOptions): Promise<void> {
    await this.#transport.send('confirmOperator', { body: proof }, options);
  }

  /** Creates the secret of a second factor, which becomes valid with `enrolSecondFactor`. */
  beginSecondFactor(options?: CallOptions): Promise<SecondFactorSecret> {
    return this.#transport.record('beginSecondFactor', {}, options);
  }

  /** Sets up the second factor with its first code and returns ten recovery codes, which replace earlier ones. */
  async enrolSecondFactor(code: string, options?: CallOptions): Promise<string[]> {
    const body = { Code: code };
    return (await this.#transport.record('enrolSecondFactor', { body }, options)).RecoveryCodes;
  }

  /**
   * Sets the password of the operator that has the code, ends its sessions, and returns its email address.
   *
   * @throws {RecordError} If the password was not accepted; `fieldErrors` has the errors. The code is still valid.
   */
  async setPassword(password: OperatorPassword, options?: CallOptions): Promise<string> {
    const answer = await this.#transport.send('setOperatorPassword', { body: password }, options);
    return acceptedPassword<OperatorOfCode>(answer).Email;
  }

  /** Mails a code to the operator with this address; the answer is the same if there is none. Never retried. */
  async forgotPassword(email: string, options?: CallOptions): Promise<void> {
    await this.#transport.send('forgotOperatorPassword', { body: { Email: email } }, options);
  }

  /**
   * Changes the password of the signed-in operator, and ends its other sessions.
   *
   * @throws {RecordError} If the password was not accepted; `fieldErrors` has the errors.
   */
  async changePassword(password: NewOperatorPassword, options?: CallOptions): Promise<void> {
    acceptedPassword(await this.#transport.send('changeOperatorPassword', { body: password }, options));
  }

  /** Lists the sessions of the signed-in operator, the most recently used first. */
  async sessions(options?: CallOptions): Promise<OperatorSession[]> {
    return (await this.#transport.page('ownOperatorSessions', {}, options)).records;
  }

  async endSession(session: string, options?: CallOptions): Promise<void> {
    await this.#transport.send('endOwnOperatorSession', { path: { session } }, options);
  }

  /** Ends all sessions of the signed-in operator except this one, and returns how many were valid. */
  async endOtherSessions(options?: CallOptions): Promise<number> {
    return (await this.#transport.record('endOtherOperatorSessions', {}, options)).Ended;
  }

  async signOut(options?: CallOptions): Promise<void> {
    await this.#transport.send('signOutAtConsole', {}, options);
  }
}
