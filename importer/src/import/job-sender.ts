import type { Anagrafe, Job } from '@anagrafe/client';
import { bodyOf, type ImportConnection, type ImportOperation, type SubmitJob } from './calls.ts';
import { countInvited } from './invitations.ts';
import type { CombinedRecord } from './records.ts';
import type { Answer, Call } from './send.ts';
import { addTotals, type ImportTotals, noTotals, totalsOf } from './totals.ts';
import { findUnchangedRows, type UnchangedRows } from './unchanged-rows.ts';

/** A submitted job. The service runs it even if this program ends. */
export interface SubmittedJob {
  readonly name: string;
  readonly id: string;
  readonly operation: ImportOperation;
  readonly records: readonly CombinedRecord[];
}

interface JobOptions {
  readonly anagrafe: Anagrafe;
  readonly submit: SubmitJob;
  /** Waits for the end of a job. */
  readonly wait: (job: SubmittedJob, connection: ImportConnection) => Promise<Job>;
  /** The number of unchanged rows whose numbers are needed. */
  readonly samples?: number;
}

/** Sends the calls of `sendRows` as jobs, and counts what they have done. */
export class JobSender {
  readonly jobs: SubmittedJob[] = [];
  /** The effects of the records that were applied, without `PrincipalsUnchanged`. */
  totals: ImportTotals = noTotals;
  /** The applied rows that have changed nothing, because all of their values were stored before. */
  unchanged: UnchangedRows = { count: 0, numbers: [] };
  /** The number of records of `irs/upsert` that have inserted or changed their principals. */
  changedPrincipals = 0;
  readonly #options: JobOptions;

  constructor(options: JobOptions) {
    this.#options = options;
  }

  send = async (call: Call): Promise<readonly Answer[]> => {
    const { operation, records, name, signal } = call;
    const { submit, wait, anagrafe } = this.#options;
    const connection = { anagrafe, signal };
    const id = await submit(operation, bodyOf(records), name, connection);
    const submitted = { name, id, operation, records };
    this.jobs.push(submitted);
    const job = await wait(submitted, connection);
    const failed = job.RecordsFailed === 0 ? [] : await anagrafe.jobs.failed(id, { signal });
    const errors = new Map(failed.map(({ Position, FieldErrors }) => [Position, FieldErrors]));
    const applied = records.filter((_, position) => !errors.has(position));
    await this.#count(call, job, applied);
    return records.map((_, position) => {
      const fieldErrors = errors.get(position);
      return { Item3: fieldErrors === undefined, Item4: null, Item5: fieldErrors ?? {} };
    });
  };

  async #count(
    { operation, records, signal }: Call,
    job: Job,
    applied: readonly CombinedRecord[],
  ): Promise<void> {
    const { anagrafe, samples = 0 } = this.#options;
    const needed = samples - this.unchanged.numbers.length;
    const more = await findUnchangedRows(job, records, applied, { anagrafe, signal, samples: needed });
    const { count, numbers } = this.unchanged;
    this.unchanged = { count: count + more.count, numbers: [...numbers, ...more.numbers] };
    const { PrincipalsInserted = 0, PrincipalsUpdated = 0 } = job.Counts ?? {};
    this.changedPrincipals += PrincipalsInserted + PrincipalsUpdated;
    const invited = await countInvited(job, applied, { anagrafe, signal });
    this.totals = addTotals(this.totals, totalsOf(operation, applied, job.Counts, invited));
  }
}
