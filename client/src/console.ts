import type { ConsoleKeys, ConsoleSession } from './api.gen.ts';
import type { CallOptions } from './options.ts';
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

  async signOut(options?: CallOptions): Promise<void> {
    await this.#transport.send('signOutAtConsole', {}, options);
  }
}
