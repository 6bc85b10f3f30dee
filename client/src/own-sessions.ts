import type { OwnSession } from './api.gen.ts';
import { PagedList } from './lists.ts';
import type { CallOptions, PageOptions } from './options.ts';
import type { Transport } from './transport.ts';

/** The sessions of the signed-in user, of a client that `as` returns. */
export class OwnSessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the valid sessions, the most recently used first. */
  list({ pageSize, ...options }: PageOptions = {}): PagedList<OwnSession> {
    return new PagedList((page) => this.#transport.page('sessions', { query: { page, pageSize } }, options));
  }

  /** Ends one session with all its tokens. */
  async end(session: string, options?: CallOptions): Promise<void> {
    await this.#transport.send('endSession', { path: { session } }, options);
  }

  /** Ends all sessions, this one included, and returns how many were valid. */
  async endAll(options?: CallOptions): Promise<number> {
    return (await this.#transport.record('endSessions', {}, options)).Ended;
  }
}
