import type {
  AuditRow,
  AuditVerification,
  CallWithTuples,
  Client,
  ClientChange,
  CompletedCall,
  CreateClient,
  CreateWebhook,
  Delivery,
  DeliveryDetails,
  FailedRecord,
  Failure,
  Job,
  NewClient,
  NewSecret,
  NewWebhook,
  NewWebhookSecret,
  Page,
  Statistics,
  Tuple,
  Webhook,
  WebhookChange,
  WebhookTest,
} from './api.gen.ts';
import { CursorList, type CursorListOptions, PagedList } from './lists.ts';
import type { CallOptions, PageOptions } from './options.ts';
import { pageOf, type Transport } from './transport.ts';

/** Options of {@link Admin.calls}. */
export interface CompletedCallOptions extends PageOptions {
  /** Returns only calls with at least one record that was not applied. */
  readonly failed?: boolean | undefined;
}

/** Options of {@link Admin.jobs}. */
export interface AllJobsOptions extends PageOptions {
  /** Returns only jobs that have not ended: running jobs first, then queued jobs in queue order. */
  readonly open?: boolean | undefined;
  /** Returns only jobs with at least one record that was not applied. */
  readonly failed?: boolean | undefined;
}

/** Options of {@link Admin.call}. */
export interface CallTupleOptions extends PageOptions {
  /** Number of the page of tuples, from 1. Default: 1. */
  readonly page?: number | undefined;
  /** Returns only the tuples of records that were not applied. */
  readonly failed?: boolean | undefined;
}

/** Administration of the service. Requires an API client with the scope `admin`. */
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

  /** Lists the last 10,000 write calls that were neither jobs nor dry runs, newest first. */
  calls({ failed, pageSize, ...options }: CompletedCallOptions = {}): PagedList<CompletedCall> {
    return new PagedList(async (page) =>
      pageOf(await this.#transport.send('completedCalls', { query: { page, pageSize, failed } }, options)),
    );
  }

  /**
   * Returns a call in `record` and one page of its tuples in `records`, without `Item6`. `record.Positions[i]` is the
   * zero-based index in the call of the record that `records[i]` belongs to.
   */
  async call(id: string, options: CallTupleOptions = {}): Promise<Page<Tuple, CallWithTuples>> {
    const { page, pageSize, failed, ...rest } = options;
    const call = { path: { id }, query: { page, pageSize, failed } };
    return pageOf(await this.#transport.send('completedCall', call, rest));
  }

  /** Returns the failed records of a call in the form of `Jobs.failed`: with field errors and without secrets. */
  async failedRecords(id: string, options?: CallOptions): Promise<FailedRecord[]> {
    return (await this.#transport.send('failedRecordsOfCall', { path: { id } }, options)).body;
  }

  /** Lists the last 10,000 failed records of all calls and jobs, newest first, without the fields that were sent. */
  failures({ pageSize, ...options }: PageOptions = {}): PagedList<Failure> {
    return new PagedList(async (page) =>
      pageOf(await this.#transport.send('failures', { query: { page, pageSize } }, options)),
    );
  }

  /** Lists the jobs of all clients, newest first unless `open` is set. */
  jobs({ open, failed, pageSize, ...options }: AllJobsOptions = {}): PagedList<Job> {
    return new PagedList(async (page) =>
      pageOf(await this.#transport.send('allJobs', { query: { page, pageSize, open, failed } }, options)),
    );
  }

  /** Returns the current totals and the activity of the last 24 hours and the last 30 days (UTC). */
  async statistics(options?: CallOptions): Promise<Statistics> {
    return pageOf(await this.#transport.send('statistics', {}, options)).record;
  }
}

/** Options of {@link Audit.rows}. */
export interface AuditOptions extends CursorListOptions {
  /** The `Position` of the last row already read (exclusive). Omitted or null: starts at the first row in `order`. */
  readonly after?: number | null | undefined;
  /** Returns only rows about the principal with this ID. */
  readonly principal?: number | undefined;
  /** False excludes the rows of read access. Default: true. */
  readonly reads?: boolean | undefined;
}

/** The audit log: the append-only record of all actions, linked by a hash chain. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Reads the rows of the audit log, oldest first unless `order` is `newest`.
   *
   * @throws {TypeError} If `follow` is combined with `order: 'newest'`.
   */
  rows(options: AuditOptions = {}): CursorList<AuditRow, number> {
    const { after: start = null, order, principal, reads, pageSize, follow, pollMs, ...rest } = options;
    return new CursorList(
      async (after) => {
        const query = { order, after: after ?? undefined, principal, reads, pageSize };
        const { records, record } = pageOf(await this.#transport.send('audit', { query }, rest));
        return { records, after: record.After, more: record.More };
      },
      start,
      { order, follow, pollMs, signal: rest.signal },
    );
  }

  /**
   * Verifies the hash chain of the audit log. The service reads every row: set a long `timeoutMs` for millions of rows.
   * Store `LastPosition` and `LastSeal` outside the service: only a comparison with them detects a truncated log.
   */
  async verify(options?: CallOptions): Promise<AuditVerification> {
    return pageOf(await this.#transport.send('verifyAudit', {}, options)).record;
  }
}

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
  async create(client: CreateClient, options?: CallOptions): Promise<NewClient> {
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
  async create(webhook: CreateWebhook, options?: CallOptions): Promise<NewWebhook> {
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
  async test(id: number, options?: CallOptions): Promise<WebhookTest> {
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
  deliveries(
    id: number,
    { failed, pageSize, ...options }: DeliveryOptions = {},
  ): PagedList<Delivery, Webhook> {
    return new PagedList(async (page) => {
      const query = { page, pageSize, failed };
      return pageOf(await this.#transport.send('deliveries', { path: { id }, query }, options));
    });
  }

  /** Returns one delivery with the body that is sent and the beginning of the receiver's last answer. */
  async delivery(id: number, delivery: string, options?: CallOptions): Promise<DeliveryDetails> {
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
