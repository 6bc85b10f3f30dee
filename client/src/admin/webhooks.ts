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

/** Options of {@link Webhooks.deliveries}. */
export interface DeliveryOptions extends PageOptions {
  /** Returns only deliveries that failed after their last attempt. */
  readonly failed?: boolean | undefined;
}

/** Webhooks: the endpoints that receive events, and their deliveries. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists all webhooks, including disabled ones. */
  async list(options?: CallOptions): Promise<Webhook[]> {
    return pageOf(await this.#transport.send('webhooks', {}, options)).records;
  }

  /**
   * Creates a webhook, which receives all later events. Only this answer contains its `Secret` for `verifyWebhook`. The
   * call is retried only if the service did not start it.
   */
  async create(webhook: WebhookWish, options?: CallOptions): Promise<NewWebhook> {
    return pageOf(await this.#transport.send('createWebhook', { body: webhook }, options)).record;
  }

  /**
   * Changes the given fields of a webhook. A webhook that is enabled again receives all events since it was disabled.
   */
  async change(id: number, change: WebhookChange, options?: CallOptions): Promise<Webhook> {
    const call = { path: { id }, body: change };
    return pageOf(await this.#transport.send('changeWebhook', call, options)).record;
  }

  /** Deletes a webhook, which then receives no further events. */
  async remove(id: number, options?: CallOptions): Promise<void> {
    await this.#transport.send('deleteWebhook', { path: { id } }, options);
  }

  /** Sends one signed `webhook.test` message, even to a disabled webhook, and returns the result of the attempt. */
  async test(id: number, options?: CallOptions): Promise<TestedWebhook> {
    return pageOf(await this.#transport.send('testWebhook', { path: { id } }, options)).record;
  }

  /**
   * Rotates the secret of a webhook. Only this answer contains the new secret. Messages also carry a signature with the
   * previous secret for `Hours` (default 24); older secrets end at once.
   */
  async rotate(id: number, body: { Hours?: number } = {}, options?: CallOptions): Promise<NewWebhookSecret> {
    const call = { path: { id }, body };
    return pageOf(await this.#transport.send('rotateWebhook', call, options)).record;
  }

  /** Lists the deliveries of a webhook, newest first. `record` of a page is the webhook. */
  deliveries(id: number, { failed, pageSize, ...options }: DeliveryOptions = {}): Pages<Delivery, Webhook> {
    return new Pages(async (page) => {
      const query = { page, pageSize, failed };
      return pageOf(await this.#transport.send('deliveries', { path: { id }, query }, options));
    });
  }

  /** Returns one delivery with the body that is sent and the beginning of the receiver's last answer. */
  async delivery(id: number, delivery: string, options?: CallOptions): Promise<WholeDelivery> {
    return pageOf(await this.#transport.send('delivery', { path: { id, delivery } }, options)).record;
  }

  /** Queues all failed deliveries of a webhook again and returns their number. */
  async replayFailed(id: number, options?: CallOptions): Promise<number> {
    return pageOf(await this.#transport.send('replayFailed', { path: { id } }, options)).record.Replayed;
  }

  /** Queues one delivery again. */
  async replay(id: number, delivery: string, options?: CallOptions): Promise<void> {
    await this.#transport.send('replay', { path: { id, delivery } }, options);
  }
}
