import type {
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
  HealthReport,
  Job,
  Mail,
  NewClient,
  NewSecret,
  NewWebhook,
  NewWebhookSecret,
  Page,
  ResendMails,
  Setting,
  Statistics,
  Tuple,
  Webhook,
  WebhookChange,
  WebhookTest,
} from './api.gen.ts';
import { Audit } from './audit.ts';
import type { JobOptions } from './jobs.ts';
import { PagedList } from './lists.ts';
import { Operators } from './operators.ts';
import type { CallOptions, PageOptions } from './options.ts';
import { Runs } from './runs.ts';
import type { Transport } from './transport.ts';
import { Sessions } from './user-sessions.ts';

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

/** Options of {@link Mails.list}. */
export interface MailOptions extends PageOptions {
  /** Returns only mails with this state. */
  readonly state?: Mail['State'] | undefined;
  /** Returns only mails of this call or job. */
  readonly callId?: string | undefined;
  /** Returns only mails of the calls of this run. */
  readonly run?: string | undefined;
  /** The ID of the user whose mails are returned. */
  readonly user?: number | undefined;
}

/** Options of {@link Admin.call}. */
export type CallTupleOptions = Omit<JobOptions, 'representation'>;

/** Administration of the service. Requires an API client with the scope `admin`. */
export class Admin {
  readonly clients: Clients;
  readonly operators: Operators;
  readonly webhooks: Webhooks;
  readonly audit: Audit;
  readonly runs: Runs;
  readonly sessions: Sessions;
  readonly mails: Mails;
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
    this.clients = new Clients(transport);
    this.operators = new Operators(transport);
    this.webhooks = new Webhooks(transport);
    this.audit = new Audit(transport);
    this.runs = new Runs(transport);
    this.sessions = new Sessions(transport);
    this.mails = new Mails(transport);
  }

  /** Lists the last 10,000 write calls that were neither jobs nor dry runs, newest first. */
  calls({ failed, pageSize, ...options }: CompletedCallOptions = {}): PagedList<CompletedCall> {
    return new PagedList((page) =>
      this.#transport.page('completedCalls', { query: { page, pageSize, failed } }, options),
    );
  }

  /**
   * Returns a call in `record` and one page of its tuples in `records`, without `Item6`. `record.Positions[i]` is the
   * zero-based index in the call of the record that `records[i]` belongs to.
   */
  call(id: string, options: CallTupleOptions = {}): Promise<Page<Tuple, CallWithTuples>> {
    const { page, pageSize, failed, ...rest } = options;
    return this.#transport.page('completedCall', { path: { id }, query: { page, pageSize, failed } }, rest);
  }

  /** Returns the failed records of a call in the form of `Jobs.failed`: with field errors and without secrets. */
  async failedRecords(id: string, options?: CallOptions): Promise<FailedRecord[]> {
    return (await this.#transport.send('failedRecordsOfCall', { path: { id } }, options)).body;
  }

  /** Lists the last 10,000 failed records of all calls and jobs, newest first, without the fields that were sent. */
  failures({ pageSize, ...options }: PageOptions = {}): PagedList<Failure> {
    return new PagedList((page) => this.#transport.page('failures', { query: { page, pageSize } }, options));
  }

  /** Lists the jobs of all clients, newest first unless `open` is set. */
  jobs({ open, failed, pageSize, ...options }: AllJobsOptions = {}): PagedList<Job> {
    return new PagedList((page) =>
      this.#transport.page('allJobs', { query: { page, pageSize, open, failed } }, options),
    );
  }

  /** Returns the current totals and the activity of the last 24 hours and the last 30 days (UTC). */
  statistics(options?: CallOptions): Promise<Statistics> {
    return this.#transport.record('statistics', {}, options);
  }

  /** Returns versions and the state of what the service depends on, as the node that answers sees them. */
  health(options?: CallOptions): Promise<HealthReport> {
    return this.#transport.record('healthReport', {}, options);
  }

  /** Returns the settings of the node that answers. Secrets are masked. */
  async settings(options?: CallOptions): Promise<Setting[]> {
    return (await this.#transport.page('settings', {}, options)).records;
  }
}

/** Mails with codes to users. No answer contains a code. */
export class Mails {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the last 10,000 mails, newest first, with the answer of the mail server to those that failed. */
  list({ state, callId, run, user, pageSize, ...options }: MailOptions = {}): PagedList<Mail> {
    return new PagedList((page) =>
      this.#transport.page('mails', { query: { page, pageSize, state, callId, run, user } }, options),
    );
  }

  /**
   * Sends a new mail to every user that was invited by mail and has not set its password since: all, or those of
   * `CallID`, or those whose last mail has the `State`. Returns the number of mails.
   */
  async resend(which: ResendMails = {}, options?: CallOptions): Promise<number> {
    return (await this.#transport.record('resendMails', { body: which }, options)).Queued;
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
    return (await this.#transport.page('clients', {}, options)).records;
  }

  /**
   * Creates a client. Only this answer contains its `SecretKey`. The call is retried only if the service did not start
   * it: if the answer is lost, find the new client with `list` and revoke it.
   */
  create(client: CreateClient, options?: CallOptions): Promise<NewClient> {
    return this.#transport.record('createClient', { body: client }, options);
  }

  /** Changes the given fields of a client. The change applies from its next call. */
  change(publicKey: string, change: ClientChange, options?: CallOptions): Promise<Client> {
    return this.#transport.record('changeClient', { path: { publicKey }, body: change }, options);
  }

  /**
   * Rotates the secret key of a client. Only this answer contains the new key. The previous key stays valid for `Hours`
   * (0 to 9,999, default 24); older keys end at once.
   */
  rotate(publicKey: string, body: { Hours?: number } = {}, options?: CallOptions): Promise<NewSecret> {
    return this.#transport.record('rotateClient', { path: { publicKey }, body }, options);
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
    return (await this.#transport.page('webhooks', {}, options)).records;
  }

  /**
   * Creates a webhook, which receives all later events. Only this answer contains its `Secret` for `verifyWebhook`. The
   * call is retried only if the service did not start it.
   */
  create(webhook: CreateWebhook, options?: CallOptions): Promise<NewWebhook> {
    return this.#transport.record('createWebhook', { body: webhook }, options);
  }

  /**
   * Changes the given fields of a webhook. A webhook that is enabled again receives all events since it was disabled.
   */
  change(id: number, change: WebhookChange, options?: CallOptions): Promise<Webhook> {
    return this.#transport.record('changeWebhook', { path: { id }, body: change }, options);
  }

  /** Deletes a webhook, which then receives no further events. */
  async remove(id: number, options?: CallOptions): Promise<void> {
    await this.#transport.send('deleteWebhook', { path: { id } }, options);
  }

  /** Sends one signed `webhook.test` message, even to a disabled webhook, and returns the result of the attempt. */
  test(id: number, options?: CallOptions): Promise<WebhookTest> {
    return this.#transport.record('testWebhook', { path: { id } }, options);
  }

  /**
   * Rotates the secret of a webhook. Only this answer contains the new secret. Messages also carry a signature with the
   * previous secret for `Hours` (default 24); older secrets end at once.
   */
  rotate(id: number, body: { Hours?: number } = {}, options?: CallOptions): Promise<NewWebhookSecret> {
    return this.#transport.record('rotateWebhook', { path: { id }, body }, options);
  }

  /** Lists the deliveries of a webhook, newest first. `record` of a page is the webhook. */
  deliveries(
    id: number,
    { failed, pageSize, ...options }: DeliveryOptions = {},
  ): PagedList<Delivery, Webhook> {
    return new PagedList((page) =>
      this.#transport.page('deliveries', { path: { id }, query: { page, pageSize, failed } }, options),
    );
  }

  /** Returns one delivery with the body that is sent and the beginning of the receiver's last answer. */
  delivery(id: number, delivery: string, options?: CallOptions): Promise<DeliveryDetails> {
    return this.#transport.record('delivery', { path: { id, delivery } }, options);
  }

  /** Queues all failed deliveries of a webhook again and returns their number. */
  async replayFailed(id: number, options?: CallOptions): Promise<number> {
    return (await this.#transport.record('replayFailed', { path: { id } }, options)).Replayed;
  }

  /** Queues one delivery again. */
  async replay(id: number, delivery: string, options?: CallOptions): Promise<void> {
    await this.#transport.send('replay', { path: { id, delivery } }, options);
  }
}
