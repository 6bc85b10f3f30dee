import { pageOf } from '../answer.ts';
import type { CompletedCall, Job, Statistics } from '../api.gen.ts';
import type { CallOptions, PageOptions } from '../options.ts';
import { Pages } from '../pages.ts';
import type { Transport } from '../transport.ts';
import { Audit } from './audit.ts';
import { Clients } from './clients.ts';
import { Webhooks } from './webhooks.ts';

/** Which calls. */
export interface CompletedCallOptions extends PageOptions {
  /** Only calls of which a record was not applied. */
  readonly failed?: boolean | undefined;
}

/** For those who look after the service: an API client of scope `admin`. */
export class Admin {
  readonly clients: Clients;
  readonly webhooks: Webhooks;
  readonly audit: Audit;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.clients = new Clients(transport);
    this.webhooks = new Webhooks(transport);
    this.audit = new Audit(transport);
  }

  /** The calls that were answered at once, the newest first. */
  calls({ failed, pageSize, ...options }: CompletedCallOptions = {}): Pages<CompletedCall> {
    return new Pages(async (page) =>
      pageOf(await this.#transport.send('completedCalls', { query: { page, pageSize, failed } }, options)),
    );
  }

  /** The jobs of all clients, the newest first. */
  jobs({ pageSize, ...options }: PageOptions = {}): Pages<Job> {
    return new Pages(async (page) =>
      pageOf(await this.#transport.send('allJobs', { query: { page, pageSize } }, options)),
    );
  }

  /** How much there is, and how much was done lately. */
  async statistics(options?: CallOptions): Promise<Statistics> {
    return pageOf(await this.#transport.send('statistics', {}, options)).record;
  }
}
