import { pageOf } from '../answer.ts';
import type {
  Delivery,
  NewWebhook,
  NewWebhookSecret,
  TestedWebhook,
  Webhook,
  WebhookChange,
  WebhookWish,
  WholeDelivery,
} from '../api.gen.ts';
import type { CallOptions, PageOptions } from '../options.ts';
import { Pages } from '../pages.ts';
import type { Transport } from '../transport.ts';

/** Which messages to an endpoint. */
export interface DeliveryOptions extends PageOptions {
  /** Only what was given up. */
  readonly failed?: boolean | undefined;
}

/** The endpoints that are told what happens. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All of them, disabled ones included. */
  async list(options?: CallOptions): Promise<Webhook[]> {
    return pageOf(await this.#transport.send('webhooks', {}, options)).records;
  }

  /** Has an endpoint told what happens from now on. Its `Secret`, for `verifyWebhook`, is in this answer alone. */
  async create(wish: WebhookWish, options?: CallOptions): Promise<NewWebhook> {
    return pageOf(await this.#transport.send('createWebhook', { body: wish }, options)).record;
  }

  /** Changes what is given. One that is enabled again is told everything that has happened meanwhile. */
  async change(id: number, change: WebhookChange, options?: CallOptions): Promise<Webhook> {
    const call = { path: { id }, body: change };
    return pageOf(await this.#transport.send('changeWebhook', call, options)).record;
  }

  /** Removes an endpoint; it is told nothing any more. */
  async remove(id: number, options?: CallOptions): Promise<void> {
    await this.#transport.send('deleteWebhook', { path: { id } }, options);
  }

  /** Sends an endpoint one message to try it, and says what came of it. */
  async test(id: number, options?: CallOptions): Promise<TestedWebhook> {
    return pageOf(await this.#transport.send('testWebhook', { path: { id } }, options)).record;
  }

  /** Gives an endpoint a new secret, shown only here. The old one signs beside it for `Hours`, 24 unless given. */
  async rotate(id: number, wish: { Hours?: number } = {}, options?: CallOptions): Promise<NewWebhookSecret> {
    const call = { path: { id }, body: wish };
    return pageOf(await this.#transport.send('rotateWebhook', call, options)).record;
  }

  /** What was told to it, the newest first; `record` of a page is the endpoint. */
  deliveries(id: number, { failed, pageSize, ...options }: DeliveryOptions = {}): Pages<Delivery, Webhook> {
    return new Pages(async (page) => {
      const query = { page, pageSize, failed };
      return pageOf(await this.#transport.send('deliveries', { path: { id }, query }, options));
    });
  }

  /** One message in whole: its body as it is sent, and the beginning of what the receiver answered last. */
  async delivery(id: number, delivery: string, options?: CallOptions): Promise<WholeDelivery> {
    return pageOf(await this.#transport.send('delivery', { path: { id, delivery } }, options)).record;
  }

  /** Sends again all that was given up, and says how many messages that is. */
  async replayFailed(id: number, options?: CallOptions): Promise<number> {
    return pageOf(await this.#transport.send('replayFailed', { path: { id } }, options)).record.Replayed;
  }

  /** Sends one message again. */
  async replay(id: number, delivery: string, options?: CallOptions): Promise<void> {
    await this.#transport.send('replay', { path: { id, delivery } }, options);
  }
}
