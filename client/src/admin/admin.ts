import { pageOf } from '../answer.ts';
import type {
  CallWithTuples,
  CompletedCall,
  FailedRecord,
  Failure,
  Job,
  Page,
  Statistics,
  Tuple,
} from '../api.gen.ts';
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

/** Which jobs. */
export interface AllJobsOptions extends PageOptions {
  /** Only jobs that have not ended: the running ones first, then the others in the order in which they wait. */
  readonly open?: boolean | undefined;
  /** Only jobs of which a record was not applied. */
  readonly failed?: boolean | undefined;
}

/** Which page of the tuples of a call. */
export interface CallTupleOptions extends PageOptions {
  /** From 1. */
  readonly page?: number | undefined;
  /** Only the tuples of records that were not applied. */
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

  /**
   * A call in `record`, and a page of its tuples in `records`. `record.Positions` tells which record of the call each tuple belongs
   * to, from 0.
   */
  async call(id: string, options: CallTupleOptions = {}): Promise<Page<Tuple, CallWithTuples>> {
    const { page, pageSize, failed, ...rest } = options;
    const call = { path: { id }, query: { page, pageSize, failed } };
    return pageOf(await this.#transport.send('completedCall', call, rest));
  }

  /** The retry kit of a call: its records that were not applied, without their secrets and with their faults. */
  async failedRecords(id: string, options?: CallOptions): Promise<FailedRecord[]> {
    return (await this.#transport.send('failedRecordsOfCall', { path: { id } }, options)).body;
  }

  /** The records of all calls and jobs that were not applied, the newest first. */
  failures({ pageSize, ...options }: PageOptions = {}): Pages<Failure> {
    return new Pages(async (page) =>
      pageOf(await this.#transport.send('failures', { query: { page, pageSize } }, options)),
    );
  }

  /** The jobs of all clients, the newest first. */
  jobs({ open, failed, pageSize, ...options }: AllJobsOptions = {}): Pages<Job> {
    return new Pages(async (page) =>
      pageOf(await this.#transport.send('allJobs', { query: { page, pageSize, open, failed } }, options)),
    );
  }

  /** How much there is, and how much was done lately. */
  async statistics(options?: CallOptions): Promise<Statistics> {
    return pageOf(await this.#transport.send('statistics', {}, options)).record;
  }
}
