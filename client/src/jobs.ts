import { pageOf } from './answer.ts';
import type { FailedRecord, Job, JobWithTuples, Operation, Page, Tuple } from './api.gen.ts';
import type { CallOptions, PageOptions } from './options.ts';
import { Pages } from './pages.ts';
import { wait } from './time.ts';
import type { Transport } from './transport.ts';
import { type KeyOptions, type RecordsOf, submit } from './writes.ts';

/** Which tuples of a job. */
export interface TupleOptions extends PageOptions {
  /** Only the tuples of records that were not applied. */
  readonly failed?: boolean | undefined;
  /** Fills `Item6` of applied records with their users. */
  readonly representation?: boolean | undefined;
}

/** Which page of the tuples of a job. */
export interface JobOptions extends TupleOptions {
  /** From 1. */
  readonly page?: number | undefined;
}

/** How a job is waited for. */
export interface WaitOptions extends CallOptions {
  /** Told how the job goes, each time that it was asked for. */
  readonly onProgress?: ((job: Job) => void) | undefined;
  /** How long to wait before asking again; a second unless given. */
  readonly pollMs?: number | undefined;
}

/** Calls that are answered at once and done later: up to 100,000 records and users each. */
export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Has records taken as a job. It goes on by itself from here, whatever becomes of this program.
   *
   * @example
   * ```ts
   * const { ID } = await anagrafe.jobs.submit('update', records);
   * const job = await anagrafe.jobs.wait(ID, { onProgress: ({ UsersDone, Users }) => show(UsersDone / Users) });
   * if (job.RecordsFailed > 0) save(await anagrafe.jobs.failed(ID));
   * ```
   */
  submit<Name extends Operation>(
    operation: Name,
    records: readonly RecordsOf[Name][],
    options?: KeyOptions,
  ): Promise<Job> {
    return submit(this.#transport, operation, records, options);
  }

  /**
   * The job in `record`, and a page of its tuples so far in `records`. `record.Positions` tells which record of the call each tuple
   * belongs to, from 0.
   */
  async get(id: string, options: JobOptions = {}): Promise<Page<Tuple, JobWithTuples>> {
    const { page, pageSize, failed, representation, ...rest } = options;
    const headers = representation ? { Prefer: 'return=representation' } : {};
    return pageOf(
      await this.#transport.send(
        'job',
        { path: { id }, query: { page, pageSize, failed } },
        { ...rest, headers },
      ),
    );
  }

  /** All tuples of a job, in the order sent. They are complete once it has ended. */
  tuples(id: string, options: TupleOptions = {}): Pages<Tuple, JobWithTuples> {
    return new Pages((page) => this.get(id, { ...options, page }));
  }

  /** The job once nothing of it is left to do: `completed`, with failed records perhaps, or `cancelled`. */
  async wait(id: string, { onProgress, pollMs = 1000, ...options }: WaitOptions = {}): Promise<Job> {
    for (;;) {
      const { record: job } = await this.get(id, { ...options, pageSize: 1 });
      onProgress?.(job);
      if (job.EndedAt !== null) return job;
      await wait(pollMs, options.signal);
    }
  }

  /**
   * The retry kit: the records that were not applied, as they were sent, without their secrets and with their faults.
   * Correct them, fill in the passwords and send them to where they came from; `Position` and `Faults` may stay.
   */
  async failed(id: string, options?: CallOptions): Promise<FailedRecord[]> {
    return (await this.#transport.send('failedRecords', { path: { id } }, options)).body;
  }

  /** Cancels what has not begun. What was written stays. */
  async cancel(id: string, options?: CallOptions): Promise<Job> {
    return pageOf(await this.#transport.send('cancelJob', { path: { id } }, options)).record;
  }

  /** The jobs of this client, the newest first; for the scope `admin` those of all. */
  list({ pageSize, ...options }: PageOptions = {}): Pages<Job> {
    return new Pages(async (page) =>
      pageOf(await this.#transport.send('jobs', { query: { page, pageSize } }, options)),
    );
  }
}
