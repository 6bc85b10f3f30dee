import type { FailedRecord, Job, JobInvitation, JobWithTuples, Page, Tuple } from './api.gen.ts';
import { PagedList, RecordExport } from './lists.ts';
import type { CallOptions, PageOptions } from './options.ts';
import { delay } from './retry.ts';
import type { Transport } from './transport.ts';
import { type KeyOptions, type MailRate, type RecordsOf, submit, type UpsertRules } from './writes.ts';

/** Options of {@link Jobs.tuples}. */
export interface TupleOptions extends PageOptions {
  /** Returns only the tuples of records that were not applied. */
  readonly failed?: boolean | undefined;
  /** Fills `Item6` of applied records with their users. */
  readonly representation?: boolean | undefined;
}

/** Options of {@link Jobs.get}. */
export interface JobOptions extends TupleOptions {
  /** Number of the page of tuples, from 1. Default: 1. */
  readonly page?: number | undefined;
}

/** Options of {@link Jobs.wait}. */
export interface WaitOptions extends CallOptions {
  /** Called with the job after every poll. */
  readonly onProgress?: ((job: Job) => void) | undefined;
  /** Milliseconds between two polls. Default: 1,000. */
  readonly pollMs?: number | undefined;
}

/** Calls that run in the background, with up to 100,000 records and 100,000 users each by default. */
export class Jobs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Submits records as a job. The service then completes the job even if this program ends.
   *
   * @example
   * ```ts
   * const { ID } = await anagrafe.jobs.submit('update', records);
   * const job = await anagrafe.jobs.wait(ID, { onProgress: ({ UsersDone, Users }) => show(UsersDone / Users) });
   * if (job.RecordsFailed > 0) save(await anagrafe.jobs.failed(ID));
   * ```
   */
  submit<Name extends keyof RecordsOf>(
    operation: Name,
    records: readonly RecordsOf[Name][],
    options?: KeyOptions & MailRate & (Name extends 'upsert' ? UpsertRules : unknown),
  ): Promise<Job> {
    return submit(this.#transport, operation, records, options);
  }

  /**
   * Returns the job in `record` and one page of its present tuples in `records`. `record.Positions[i]` is the
   * zero-based index in the call of the record that `records[i]` belongs to.
   */
  get(id: string, options: JobOptions = {}): Promise<Page<Tuple, JobWithTuples>> {
    const { page, pageSize, failed, representation, ...rest } = options;
    const headers = representation ? { Prefer: 'return=representation' } : {};
    const call = { path: { id }, query: { page, pageSize, failed } };
    return this.#transport.page('job', call, { ...rest, headers });
  }

  /** Lists the tuples of a job, in the order of its records. The list is complete when the job has ended. */
  tuples(id: string, options: TupleOptions = {}): PagedList<Tuple, JobWithTuples> {
    return new PagedList((page) => this.get(id, { ...options, page }));
  }

  /** Polls until the job has ended. Its state is then `completed`, possibly with failed records, or `cancelled`. */
  async wait(id: string, { onProgress, pollMs = 1000, ...options }: WaitOptions = {}): Promise<Job> {
    for (;;) {
      const { record: job } = await this.get(id, { ...options, pageSize: 1 });
      onProgress?.(job);
      if (job.EndedAt !== null) return job;
      await delay(pollMs, options.signal);
    }
  }

  /**
   * Returns the failed records of a job with their field errors. Passwords are null, and other values that the service
   * does not store, because they may be secret, are empty strings. Correct the records, fill in the passwords and send
   * them to the same operation. The service ignores `Position` and `FieldErrors`.
   */
  async failed(id: string, options?: CallOptions): Promise<FailedRecord[]> {
    return (await this.#transport.send('failedRecords', { path: { id } }, options)).body;
  }

  /**
   * Issues new codes to the users that the job has invited with `Invite: 'code'`, while they are read. The codes of an
   * earlier call end. Users with `Skipped` get none. The job must have ended.
   *
   * @example
   * ```ts
   * for await (const { Username, Code } of anagrafe.jobs.invitations(ID)) if (Code !== null) print(Username, Code);
   * ```
   */
  invitations(id: string, options?: CallOptions): RecordExport<JobInvitation> {
    return new RecordExport((format) =>
      this.#transport.stream('issueInvitations', { path: { id }, query: { format } }, options),
    );
  }

  /**
   * Cancels the records of a job that are not applied yet. Applied records stay applied, and a job that has ended does
   * not change.
   */
  cancel(id: string, options?: CallOptions): Promise<Job> {
    return this.#transport.record('cancelJob', { path: { id } }, options);
  }

  /** Lists the jobs of this API client, newest first. With the scope `admin` it lists the jobs of all clients. */
  list({ pageSize, ...options }: PageOptions = {}): PagedList<Job> {
    return new PagedList((page) => this.#transport.page('jobs', { query: { page, pageSize } }, options));
  }
}
