import { pageOf } from './answer.ts';
import type { ConsoleKeys, ConsoleSession } from './api.gen.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';

/**
 * Who is signed in at the console, for its own pages: the session is in a cookie that no script can read, so that it
 * takes a browser, with `credentials: 'same-origin'`.
 */
export class Console {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async session(options?: CallOptions): Promise<ConsoleSession> {
    return pageOf(await this.#transport.send('consoleSession', {}, options)).record;
  }

  /** Sent once: after too many wrong keys the error is `RATE_LIMITED` with `retryAfter`. */
  async signIn(keys: ConsoleKeys, options?: CallOptions): Promise<ConsoleSession> {
    return pageOf(await this.#transport.send('signInAtConsole', { body: keys }, options)).record;
  }

  async signOut(options?: CallOptions): Promise<void> {
    await this.#transport.send('signOutAtConsole', {}, options);
  }
}
