import { pageOf } from '../answer.ts';
import type { Client, ClientChange, ClientWish, NewClient, NewSecret } from '../api.gen.ts';
import type { CallOptions } from '../options.ts';
import type { Transport } from '../transport.ts';

/** The API clients: who may call. */
export class Clients {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All of them, revoked ones included, in the order of their creation. */
  async list(options?: CallOptions): Promise<Client[]> {
    return pageOf(await this.#transport.send('clients', {}, options)).records;
  }

  /**
   * Creates one. Its `SecretKey` is in this answer and in no other, so that the call is not sent again by itself: where
   * no answer came, look whether `list()` has it, and revoke it.
   */
  async create(wish: ClientWish, options?: CallOptions): Promise<NewClient> {
    return pageOf(await this.#transport.send('createClient', { body: wish }, options)).record;
  }

  /** Changes what is given, from the client's next call on. */
  async change(publicKey: string, change: ClientChange, options?: CallOptions): Promise<Client> {
    const call = { path: { publicKey }, body: change };
    return pageOf(await this.#transport.send('changeClient', call, options)).record;
  }

  /** Gives a client a new secret, shown only here. The old one goes on for `Hours`, 24 unless given. */
  async rotate(publicKey: string, wish: { Hours?: number } = {}, options?: CallOptions): Promise<NewSecret> {
    const call = { path: { publicKey }, body: wish };
    return pageOf(await this.#transport.send('rotateClient', call, options)).record;
  }

  /** Shuts a client out for good. */
  async revoke(publicKey: string, options?: CallOptions): Promise<void> {
    await this.#transport.send('revokeClient', { path: { publicKey } }, options);
  }
}
