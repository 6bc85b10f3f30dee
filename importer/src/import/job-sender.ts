import type { Anagrafe, Job } from '@anagrafe/client';
import { bodyOf, type ImportConnection, type ImportOperation, type SubmitJob } from './calls.ts';
import { EffectLog, effectsOf } from './effects.ts';
import type { CombinedRecord } from './records.ts';
import type { Answer, Call } from './send.ts';

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
}

/** Sends the calls of `sendRows` as jobs, and counts what they have done. */
export class JobSender {
  readonly jobs: SubmittedJob[] = [];
  /** The effects of the records that were applied. */
  readonly effects = new EffectLog();
  /** The numbers of principals that were inserted and changed, without those that rows name by no key. */
  readonly principals = { inserted: 0, updated: 0 };
  /** The number of principals that were inserted for rows that name them by no key. */
  unnamed = 0;
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
    for await (const [record, effect] of effectsOf({ job, operation, records, applied }, connection))
      this.effects.add(record, effect);
    this.principals.inserted += job.Counts?.PrincipalsInserted ?? 0;
    this.principals.updated += job.Counts?.PrincipalsUpdated ?? 0;
    if (operation === 'insert') this.unnamed += applied.length;
    return records.map((_, position) => {
      const fieldErrors = errors.get(position);
      return { Item3: fieldErrors === undefined, Item4: null, Item5: fieldErrors ?? {} };
    });
  };
}
