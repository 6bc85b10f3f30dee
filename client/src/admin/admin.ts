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
  calls({ failed, pageSize, ...options }: CompletedCallOptions = {}): Pages<CompletedCall> {
    return new Pages(async (page) =>
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
  failures({ pageSize, ...options }: PageOptions = {}): Pages<Failure> {
    return new Pages(async (page) =>
      pageOf(await this.#transport.send('failures', { query: { page, pageSize } }, options)),
    );
  }

  /** Lists the jobs of all clients, newest first unless `open` is set. */
  jobs({ open, failed, pageSize, ...options }: AllJobsOptions = {}): Pages<Job> {
    return new Pages(async (page) =>
      pageOf(await this.#transport.send('allJobs', { query: { page, pageSize, open, failed } }, options)),
    );
  }

  /** Returns the current totals and the activity of the last 24 hours and the last 30 days (UTC). */
  async statistics(options?: CallOptions): Promise<Statistics> {
    return pageOf(await this.#transport.send('statistics', {}, options)).record;
  }
}
