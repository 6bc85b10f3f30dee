import { pageOf } from '../answer.ts';
import type { Client, ClientChange, ClientWish, NewClient, NewSecret } from '../api.gen.ts';
import type { CallOptions } from '../options.ts';
import type { Transport } from '../transport.ts';

/** API clients: the programs that may call the service, with their keys and scopes. */
export class Clients {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists all clients in order of creation, including revoked ones. */
  async list(options?: CallOptions): Promise<Client[]> {
    return pageOf(await this.#transport.send('clients', {}, options)).records;
  }

  /**
   * Creates a client. Only this answer contains its `SecretKey`. The call is retried only if the service did not start
   * it: if the answer is lost, find the new client with `list` and revoke it.
   */
  async create(client: ClientWish, options?: CallOptions): Promise<NewClient> {
    return pageOf(await this.#transport.send('createClient', { body: client }, options)).record;
  }

  /** Changes the given fields of a client. The change applies from its next call. */
  async change(publicKey: string, change: ClientChange, options?: CallOptions): Promise<Client> {
    const call = { path: { publicKey }, body: change };
    return pageOf(await this.#transport.send('changeClient', call, options)).record;
  }

  /**
   * Rotates the secret key of a client. Only this answer contains the new key. The previous key stays valid for `Hours`
   * (0 to 9,999, default 24); older keys end at once.
   */
  async rotate(publicKey: string, body: { Hours?: number } = {}, options?: CallOptions): Promise<NewSecret> {
    const call = { path: { publicKey }, body };
    return pageOf(await this.#transport.send('rotateClient', call, options)).record;
  }

  /** Revokes a client permanently. */
  async revoke(publicKey: string, options?: CallOptions): Promise<void> {
    await this.#transport.send('revokeClient', { path: { publicKey } }, options);
  }
}
