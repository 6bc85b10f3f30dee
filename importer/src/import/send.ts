import type { Job } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import { type Call, type CallItem, callOf, callOfGroups, groupsOf } from './call-items.ts';
import {
  dryRunUpsert,
  type ImportConnection,
  type ImportOperation,
  type SubmitJob,
  type SubmitOptions,
  sendInParts,
  wouldCreate,
} from './calls.ts';
import { type ChangedFields, findChangedFields, statesDifferentFields } from './changed-fields.ts';
import {
  buildRecords,
  type ExistingPolicy,
  findRepeatedUsernames,
  type RowPaths,
  type RowRecord,
} from './records.ts';
import { codedError, fromFieldErrors, type RowErrors, rowError } from './row-errors.ts';
import type { FieldErrorsByPath, RowGroup } from './row-group.ts';
import { addTotals, type ImportTotals, noTotals, totalsOf } from './totals.ts';
import { findUnchangedRows, type UnchangedRows } from './unchanged-rows.ts';
import { UpsertQueue } from './upsert-queue.ts';

/** A submitted job and the rows of its records, in the order of the records. */
export interface SubmittedJob {
  /** Unique within an import, and the same whenever the same rows are submitted again. */
  readonly name: string;
  readonly id: string;
  readonly operation: ImportOperation;
  /** The rows of each record, in the order of the records. */
  readonly records: readonly (readonly ImportRow[])[];
}

/** Rows that the service has accepted as jobs. The jobs run even if this program ends. */
export interface SubmittedRows {
  /** All jobs so far. `readRowErrors` adds those of the next round. */
  readonly jobs: readonly SubmittedJob[];
  readonly rounds: Rounds;
}

/**
 * Submits rows as one job per operation, or as several if the service rejects a request as a whole. `readRowErrors`
 * submits rows again that were refused because of other rows in the same record.
 */
export async function submitRows(
  rows: readonly ImportRow[],
  connection: ImportConnection,
  submitJob: SubmitJob,
  { existing = 'refuse' }: SubmitOptions = {},
): Promise<SubmittedRows> {
  const rounds = new Rounds(rows, existing, submitJob);
  await rounds.submit(connection);
  return { jobs: rounds.jobs, rounds };
}

interface RunningJob {
  readonly id: string;
  readonly operation: ImportOperation;
  readonly items: readonly CallItem[];
}

/**
 * The rounds in which the rows of a batch are sent. The records of a round follow from the rows and from the results of
 * the jobs before it, so that they are the same if an interrupted import is resumed.
 */
export class Rounds {
  readonly jobs: SubmittedJob[] = [];
  readonly errors: RowErrors;
  /** The keys of the principals that the rows may create or change. */
  readonly principals: ReadonlySet<string>;
  /** The keys of those among them whose records were applied. */
  readonly applied = new Set<string>();
  /** The accepted rows that have changed nothing, because all of their values were stored before. */
  unchanged: UnchangedRows = { count: 0, numbers: [] };
  /** The number of records of `irs/upsert` that have inserted or changed their principals. */
  changedPrincipals = 0;
  /** The effects of the records that were applied, without `PrincipalsUnchanged`. */
  totals: ImportTotals = noTotals;
  readonly #existing: ExistingPolicy;
  readonly #submitJob: SubmitJob;
  readonly #queue: UpsertQueue;
  /** The usernames that an earlier row has too. They are needed only if the service refuses a record. */
  readonly #findRepeated: () => RowPaths;
  #repeated: RowPaths | null = null;
  #changedFields: ChangedFields = new Map();
  #round = 1;
  #unsent: Call[];
  #running: RunningJob[] = [];

  constructor(rows: readonly ImportRow[], existing: ExistingPolicy, submitJob: SubmitJob) {
    const { errors, insert, update, upsert } = buildRecords(rows, existing);
    this.errors = new Map(errors);
    this.#existing = existing;
    this.#submitJob = submitJob;
    this.#findRepeated = () => {
      const withUsers = upsert.map(({ row, users }) => ({ row, record: { Users: users } }));
      this.#repeated ??= findRepeatedUsernames([...insert, ...update, ...withUsers]);
      return this.#repeated;
    };
    this.principals = new Set(upsert.map(({ key }) => key));
    this.#queue = new UpsertQueue(upsert, { existing, repeated: this.#findRepeated });
    this.#unsent = [callOf('insert', insert), ...this.#nextCalls(update)];
  }

  /** Submits the jobs of this round. If it fails, it can be called again and submits the rest. */
  async submit(connection: ImportConnection): Promise<void> {
    for (let call = this.#unsent[0]; call; call = this.#unsent[0]) {
      await this.#submitCall(call, connection);
      this.#unsent.shift();
    }
  }

  /**
   * Reads the results of the ended jobs of this round and submits the next one. Returns true if every row has a result.
   *
   * @param ended All jobs so far, in the order of `jobs`.
   * @param options `resendsCancelled` sends the records of cancelled jobs again. Otherwise their rows have an error.
   *   `samples` is the number of unchanged rows whose numbers are needed.
   */
  async advance(
    ended: readonly Job[],
    connection: ImportConnection,
    { resendsCancelled = false, samples = 0 } = {},
  ): Promise<boolean> {
    const { anagrafe, signal } = connection;
    const results = this.#running.map(async (running) => {
      const job = ended.find(({ ID }) => ID === running.id);
      return {
        ...running,
        job,
        failed: job?.RecordsFailed === 0 ? [] : await anagrafe.jobs.failed(running.id, { signal }),
      };
    });
    for (const { operation, items, job, failed } of await Promise.all(results)) {
      const byPosition = new Map(failed.map((record) => [record.Position, record.FieldErrors]));
      const applied: CallItem[] = [];
      const cancelled: CallItem[] = [];
      for (const [position, item] of items.entries()) {
        const fieldErrors = byPosition.get(position);
        if (!fieldErrors) applied.push(item);
        else if (resendsCancelled && isCancelled(fieldErrors)) cancelled.push(item);
        else this.#refuse(item, fieldErrors, !resendsCancelled && job?.State === 'cancelled');
      }
      for (const { group } of cancelled) if (group) this.#queue.putBack(group);
      const single = cancelled.filter(({ group }) => group === null);
      if (single.length > 0) this.#unsent.push({ operation, items: single });
      for (const { group } of applied) if (group) this.#accept(group);
      if (job) {
        const { count, numbers } = this.unchanged;
        const more = await findUnchangedRows(job, groupsOf(items), groupsOf(applied), connection, {
          changedFields: this.#changedFields,
          samples: samples - numbers.length,
        });
        this.unchanged = { count: count + more.count, numbers: [...numbers, ...more.numbers] };
      }
      const counts = job?.Counts ?? null;
      this.changedPrincipals += counts ? counts.PrincipalsInserted + counts.PrincipalsUpdated : 0;
      this.totals = addTotals(
        this.totals,
        totalsOf(
          operation,
          applied.map(({ record }) => record),
          counts,
        ),
      );
    }
    if (this.#running.length > 0) {
      this.#running = [];
      this.#changedFields = new Map();
      this.#round++;
      this.#unsent.push(...this.#nextCalls([]));
    }
    await this.submit(connection);
    return this.#running.length === 0;
  }

  #accept(group: RowGroup): void {
    this.#queue.accept(group);
    this.applied.add(group.key);
  }

  #refuse({ rows, group }: CallItem, fieldErrors: FieldErrorsByPath, isCancelled: boolean): void {
    if (group && !isCancelled) {
      for (const [number, found] of this.#queue.refuse(group, fieldErrors)) this.errors.set(number, found);
      return;
    }
    for (const row of rows) {
      const found = fromFieldErrors(fieldErrors, row, this.#findRepeated().get(row.number));
      this.errors.set(row.number, found.length > 0 ? found : [codedError('RECORD_NOT_APPLIED')]);
    }
  }

  #nextCalls(update: readonly RowRecord<unknown>[]): Call[] {
    const { groups, references } = this.#queue.take();
    return [callOfGroups(groups), callOf('update', [...update, ...references])];
  }

  async #submitCall({ operation, items }: Call, connection: ImportConnection): Promise<void> {
    const known = await this.#withoutMissingPrincipals(items, connection);
    if (this.#existing === 'update') {
      const groups = groupsOf(known).filter(statesDifferentFields);
      this.#changedFields = new Map([
        ...this.#changedFields,
        ...(await findChangedFields(groups, connection)),
      ]);
    }
    const parts = await sendInParts(known, async (part) => {
      const round = this.#round === 1 ? '' : this.#round;
      const count = part.reduce((sum, { rows }) => sum + rows.length, 0);
      const name = `${operation}${round}-${part[0]?.rows[0]?.number}-${count}`;
      const records = part.map(({ record }) => record) as never[];
      return { name, id: await this.#submitJob(operation, records, name, connection) };
    });
    for (const { items, answer, rejection } of parts) {
      if (answer) {
        this.jobs.push({ ...answer, operation, records: items.map(({ rows }) => rows) });
        this.#running.push({ id: answer.id, operation, items });
        continue;
      }
      const [{ group, rows }] = items;
      if (group && group.members.length > 1)
        await this.#submitCall(callOfGroups([this.#queue.firstHalf(group)]), connection);
      else for (const { number } of rows) this.errors.set(number, [rowError(rejection)]);
    }
  }

  /** Removes the groups that only refer to a principal by its key and would create it, which hides a misspelt key. */
  async #withoutMissingPrincipals(
    items: readonly CallItem[],
    connection: ImportConnection,
  ): Promise<readonly CallItem[]> {
    const missing = new Set<CallItem>();
    const parts = await sendInParts(
      items.filter(({ group }) => group?.isReference),
      (part) =>
        dryRunUpsert(
          part.map(({ record }) => record),
          this.#existing,
          connection,
        ),
    );
    for (const { items: some, answer } of parts)
      for (const [index, item] of some.entries()) if (wouldCreate(answer?.tuples[index])) missing.add(item);
    for (const { rows } of missing)
      for (const { number } of rows)
        this.errors.set(number, [codedError('PRINCIPAL_NOT_FOUND', 'ExternalKey')]);
    return items.filter((item) => !missing.has(item));
  }
}

/** Returns true if a record was not applied, because its job was cancelled. */
export function isCancelled(fieldErrors: FieldErrorsByPath): boolean {
  return Object.values(fieldErrors).some((found) => found.some(({ code }) => code === 'CANCELLED'));
}

export async function readJobs(
  jobs: readonly SubmittedJob[],
  { anagrafe, signal }: ImportConnection,
): Promise<Job[]> {
  const read = async ({ id }: SubmittedJob) => (await anagrafe.jobs.get(id, { pageSize: 1, signal })).record;
  return Promise.all(jobs.map(read));
}

/**
 * Returns the errors of all submitted rows that were not applied, by row number. Returns null if some rows were
 * submitted again, as jobs that `jobs` of the submitted rows now has: call it again when these have ended.
 *
 * @param ended The jobs after they have ended, in the order of `jobs`.
 */
export async function readRowErrors(
  { rounds }: SubmittedRows,
  ended: readonly Job[],
  connection: ImportConnection,
): Promise<RowErrors | null> {
  return (await rounds.advance(ended, connection)) ? rounds.errors : null;
}
