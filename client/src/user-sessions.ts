import type { UserSession } from './api.gen.ts';
import { PagedList } from './lists.ts';
import type { CallOptions, PageOptions } from './options.ts';
import type { Transport } from './transport.ts';

/** The sessions of users: sign-ins with the tokens that followed them. No answer contains a token. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the valid sessions of a user, the most recently used first. */
  list(userId: number, { pageSize, ...options }: PageOptions = {}): PagedList<UserSession> {
    return new PagedList((page) =>
      this.#transport.page('userSessions', { path: { id: userId }, query: { page, pageSize } }, options),
    );
  }

  /** Ends one session with all its tokens. */
  async end(userId: number, sessionId: string, options?: CallOptions): Promise<void> {
    const path = { id: userId, session: sessionId };
    await this.#transport.send('endUserSession', { path }, options);
  }

  /** Ends all sessions of a user and returns how many were valid. A retry after a lost answer returns 0. */
  async endAll(userId: number, options?: CallOptions): Promise<number> {
    return (await this.#transport.record('endUserSessions', { path: { id: userId } }, options)).Ended;
  }
}
