import type { Job, Page, Run, RunCall, UpsertPlan, UpsertTuple } from './api.gen.ts';
import { PagedList } from './lists.ts';
import type { PageOptions } from './options.ts';
import { pageOf, type Transport } from './transport.ts';
import { type KeyOptions, withKey } from './writes.ts';

/** Options of {@link Runs.plan}. */
export interface UndoPlanOptions extends PageOptions {
  /** Leaves out records that change and keep nothing. */
  readonly changed?: boolean | undefined;
  readonly page?: number | undefined;
}

/** Options of {@link Runs.undo}. */
export interface UndoOptions extends Omit<KeyOptions, 'run'> {
  /** The `Plan` of {@link Runs.plan}. The undo is applied only while the plan holds. */
  readonly ifMatch?: string | undefined;
}

/** The calls that belong together, such as those of one import, and their undo. */
export class Runs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the last 10,000 runs, newest first. */
  list({ pageSize, ...options }: PageOptions = {}): PagedList<Run> {
    return new PagedList((page) => this.#transport.page('runs', { query: { page, pageSize } }, options));
  }

  /** Returns the run in `record` and one page of its calls in `records`, oldest first. */
  get(id: string, options: PageOptions & { readonly page?: number } = {}): Promise<Page<RunCall, Run>> {
    const { page, pageSize, ...rest } = options;
    return this.#transport.page('run', { path: { id }, query: { page, pageSize } }, rest);
  }

  /** Returns what an undo would do, without doing it: the counts in `record`, a page of the tuples in `records`. */
  plan(id: string, options: UndoPlanOptions = {}): Promise<Page<UpsertTuple, UpsertPlan>> {
    const { page, pageSize, changed, ...rest } = options;
    const query = { dryRun: true, page, pageSize, changed };
    const headers = { Prefer: 'return=representation' };
    const sending = { ...rest, headers, policy: 'always' } as const;
    return this.#transport.page('undoRun', { path: { id }, query }, sending) as Promise<
      Page<UpsertTuple, UpsertPlan>
    >;
  }

  /** Undoes a run as a job. */
  async undo(id: string, { ifMatch, ...options }: UndoOptions = {}): Promise<Job> {
    const headers = { Prefer: 'respond-async', ...(ifMatch !== undefined && { 'If-Match': `"${ifMatch}"` }) };
    const sending = { ...withKey(this.#transport, options, false), headers };
    return pageOf(await this.#transport.send('undoRun', { path: { id } }, sending)).record as unknown as Job;
  }
}
