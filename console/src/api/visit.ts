import type { ConsoleSession } from '@anagrafe/client';

type Client = ConsoleSession['Client'];

let visits = 0;

/**
 * A client in front of the console: what it has typed, and what it has begun, is its own. A session that ends by itself does not end
 * the visit, which goes on when the same client signs in again.
 */
export class Visit {
  /** Another one for each visit. */
  readonly key = ++visits;
  /** Null in protected mode, where nobody signs in. */
  client: Client;
  /** When its session ended, by the clock of this machine; null while that goes on. */
  endedAt: number | null = null;
  readonly #end = new AbortController();

  constructor(client: Client) {
    this.client = client;
  }

  /** Whoever was there in protected mode is the one who creates the first client, and goes on as that. */
  isOf(client: Client): boolean {
    return this.client === null || this.client.PublicKey === client?.PublicKey;
  }

  /** Its session has ended. */
  pause(): void {
    this.endedAt = Date.now();
  }

  goOn(client: Client): void {
    this.client = client;
    this.endedAt = null;
  }

  /** Comes with the end: what was begun must not go on, since another client would be doing it. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  end(): void {
    this.#end.abort();
  }
}
