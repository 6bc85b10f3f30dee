import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { ApiError, type Job } from '@anagrafe/client';
import { ImportFileError } from '../file/errors.ts';
import type { ImportFile } from '../file/open.ts';
import type { ImportRow } from '../file/rows.ts';
import { type SubmitJob, submitWithKey } from '../import/calls.ts';
import { type Batch, batchLimits, foldUsername, inBatches, principalOf } from '../import/records.ts';
import { RowComparer } from '../import/row-comparer.ts';
import { countTaken, type RowErrors } from '../import/row-errors.ts';
import { readRowErrors, type SubmittedRows, submitRows } from '../import/send.ts';
import { WarningLog } from '../import/warnings.ts';
import { ImportLock } from './lock.ts';
import { type PreparedRows, prepareRows } from './prepare.ts';
import { ImportProgress } from './progress-file.ts';
import { ResultFiles, requireEmpty } from './result-files.ts';
import {
  type ImportContext,
  type ImportCounts,
  ImportError,
  type ImportTask,
  openTaskFile,
  requireDistinctPaths,
  requireFile,
} from './task.ts';

/** Batches in flight: the next one is sent while the service works on the previous one. */
const batchesAtOnce = 2;
/** Maximum number of rows in a result. */
export const samplesMax = 10;

export interface ImportResult {
  readonly rows: number;
  readonly failed: number;
  /** The file with the failed rows. */
  readonly failedPath: string;
  /** The warnings of all rows, including those of an earlier, interrupted run. */
  readonly warnings: WarningLog;
  /**
   * Lines of the first failed rows that could not be parsed, at most `samplesMax`. The file of the failed rows has no
   * content for them. Rows of an earlier, interrupted run are not included.
   */
  readonly unparsedLines: readonly number[];
  /** Failed rows whose usernames stored users have. Rows of an earlier, interrupted run are not included. */
  readonly usernamesTaken: number;
}

/**
 * Imports a file of users. The run may stop at any point, by the signal, a lost connection or the end of the process;
 * the next run resumes it. A batch that is sent again has the same content and the same idempotency key, so the
 * service does not apply it twice. `restart` starts over instead of resuming.
 */
export async function runImport(
  task: ImportTask,
  context: ImportContext,
  options: { restart: boolean },
): Promise<ImportResult> {
  // Before the lock, whose files are beside this file: the error then names the file that the operator has named.
  await requireFile(task.path);
  await requireDistinctPaths(task);
  const lock = await ImportLock.acquire(`${task.progressPath}.lock`, task.path);
  try {
    return await runLocked(task, context, options);
  } finally {
    await lock.release();
  }
}

async function runLocked(
  task: ImportTask,
  context: ImportContext,
  options: { restart: boolean },
): Promise<ImportResult> {
  const progress = await ImportProgress.open(task, options);
  const file = await openTaskFile(task);
  if (task.passwordsPath !== null && progress.isNew) await requireEmpty(task.passwordsPath);
  await progress.begin();
  const warnings = new WarningLog();
  const unparsedLines: number[] = [];
  let usernamesTaken = 0;
  try {
    const results = await ResultFiles.open(task, progress);
    context.onOpen(file, progress.done.rows);
    const run = new ImportRun(task, context, progress, results, file, warnings);
    await run.importRows().finally(() => results.close());
    unparsedLines.push(...run.unparsedLines);
    usernamesTaken = run.usernamesTaken;
  } catch (error) {
    // If nothing was sent, a later run has nothing to resume.
    if (progress.isNew) await progress.discard();
    throw error;
  }
  const { rows, failed } = progress.done;
  await progress.discard();
  return { rows, failed, failedPath: progress.failedPath, warnings, unparsedLines, usernamesTaken };
}

interface SentBatch {
  readonly submitted: SubmittedRows;
  readonly prepared: PreparedRows;
  /** The errors of the rows that were not sent. */
  readonly unsent: RowErrors;
  /** All rows of the batch, including those not sent. */
  readonly rows: readonly ImportRow[];
  readonly bytesRead: number;
}

class ImportRun {
  readonly #task: ImportTask;
  readonly #context: ImportContext;
  readonly #progress: ImportProgress;
  readonly #results: ResultFiles;
  readonly #file: ImportFile;
  readonly #warnings: WarningLog;
  readonly #comparer: RowComparer;
  readonly #inFlight: SentBatch[] = [];
  readonly unparsedLines: number[] = [];
  usernamesTaken = 0;

  constructor(
    task: ImportTask,
    context: ImportContext,
    progress: ImportProgress,
    results: ResultFiles,
    file: ImportFile,
    warnings: WarningLog,
  ) {
    this.#task = task;
    this.#context = context;
    this.#progress = progress;
    this.#results = results;
    this.#file = file;
    this.#warnings = warnings;
    this.#comparer = new RowComparer(task.existing);
  }

  async importRows(): Promise<void> {
    const { size } = await stat(this.#task.path);
    const { done } = this.#progress;
    try {
      // The rows of completed batches are compared again, because later rows may contradict them.
      for await (const batch of inBatches(this.#file, batchLimits, done.rows, (row) => this.#compare(row))) {
        while (this.#mustWait(batch)) await this.#finishFirst(size);
        this.#inFlight.push(await this.#send(batch));
        if (this.#inFlight.length >= batchesAtOnce) await this.#finishFirst(size);
      }
    } catch (error) {
      // After a read error the results of the batches already sent are still written.
      if (error instanceof ImportFileError) await this.#finishAll(size);
      throw error;
    }
    await this.#finishAll(size);
  }

  /**
   * Returns true if a batch in flight may create or change a principal of this batch: its rows are then applied first, as
   * in the file.
   */
  #mustWait({ rows }: Batch): boolean {
    const keys = new Set(this.#inFlight.flatMap(({ submitted }) => [...submitted.rounds.principals]));
    return (
      keys.size > 0 && rows.some((row) => row.kind !== 'invalid' && keys.has(principalOf(row)?.key ?? ''))
    );
  }

  #compare(row: ImportRow): RowErrors {
    // A reset ignores the values of the principal.
    const errors = this.#task.purpose === 'reset' ? [] : this.#comparer.compare(row);
    this.#warnings.add(row);
    return new Map(errors.length > 0 ? [[row.number, errors]] : []);
  }

  async #send({ rows, bytesRead }: Batch): Promise<SentBatch> {
    const unparsed = rows.filter(({ source }) => source === null).map(({ line }) => line);
    this.unparsedLines.push(...unparsed.slice(0, samplesMax - this.unparsedLines.length));
    const contradicting: RowErrors = new Map(rows.flatMap((row) => [...this.#compare(row)]));
    const consistent = rows.filter(({ number }) => !contradicting.has(number));
    const prepared = await prepareRows(consistent, this.#task, this.#progress.seed, this.#context);
    await this.#progress.recordSending(rows);
    const { existing } = this.#task;
    const submitted = await submitRows(prepared.complete, this.#context, this.#submitJob, { existing });
    const unsent = new Map([...contradicting, ...prepared.errors]);
    return { submitted, prepared, unsent, rows, bytesRead };
  }

  /** Submits a job, unless an earlier run has submitted it and has saved its ID. */
  #submitJob: SubmitJob = async (operation, records, name, connection) => {
    const known = this.#progress.jobOf(name);
    const id = known ?? (await this.#submitNew(operation, records, name, connection));
    this.#context.onJob(id, 'submitted');
    if (known === undefined) await this.#progress.recordJob(name, id);
    return id;
  };

  #submitNew: SubmitJob = (operation, records, name, connection) => {
    const { existing } = this.#task;
    const submit = submitWithKey(`import-${this.#progress.run}`, this.#context, { existing });
    return submit(operation, records, name, connection).catch((error) => {
      if (!(error instanceof ApiError) || error.code !== 'IDEMPOTENCY_KEY_REUSED') throw error;
      // A reset looks up user IDs. Users added or removed since an earlier run change the body, which needs another key.
      return submit(operation, records, `${name}-${digestOf(records)}`, connection);
    });
  };

  async #finishAll(fileSize: number): Promise<void> {
    while (this.#inFlight.length > 0) await this.#finishFirst(fileSize);
  }

  /** Waits for the jobs of the oldest batch in flight and writes its results. */
  async #finishFirst(fileSize: number): Promise<void> {
    const batch = this.#inFlight.shift();
    if (!batch) return;
    const { submitted, prepared, unsent, rows, bytesRead } = batch;
    const ended: Job[] = [];
    let errors: RowErrors | null = null;
    while (errors === null) {
      // Further rounds add jobs.
      for (const { id } of submitted.jobs.slice(ended.length)) {
        const report = (job: Job) => this.#context.onProgress(this.#counts(fileSize, batch, [...ended, job]));
        ended.push(await this.#waitFor(id, report));
      }
      errors = await readRowErrors(submitted, ended, this.#context);
    }
    const all = new Map([...unsent, ...errors]);
    this.usernamesTaken += countTaken(all);
    const passwords = await this.#appliedPasswords(batch);
    const jobNames = submitted.jobs.map(({ name }) => name);
    const { emails } = prepared;
    await this.#results.write(
      { rows, bytesRead, passwords, emails, errors: all, jobNames },
      this.#file.layout,
    );
    this.#context.onProgress(this.#counts(fileSize, batch, []));
  }

  /** Returns the generated passwords without those of users that exist, whose passwords were kept. */
  async #appliedPasswords({ prepared, submitted }: SentBatch): Promise<PreparedRows['passwords']> {
    if (this.#task.existing === 'refuse' || prepared.passwords.size === 0) return prepared.passwords;
    const { anagrafe, signal } = this.#context;
    const registered = new Set<string>();
    for (const { id } of submitted.jobs)
      for await (const { Item6 } of anagrafe.jobs.tuples(id, {
        representation: true,
        pageSize: 1000,
        signal,
      }))
        for (const { Username, Operation } of Item6.Users ?? [])
          if (Operation === 'register' && Username !== null) registered.add(foldUsername(Username));
    const isRegistered = (row: ImportRow) =>
      row.kind === 'user' && registered.has(foldUsername(row.user.Username ?? ''));
    const numbers = new Set(prepared.complete.filter(isRegistered).map(({ number }) => number));
    return new Map([...prepared.passwords].filter(([number]) => numbers.has(number)));
  }

  async #waitFor(id: string, onProgress: (job: Job) => void): Promise<Job> {
    const { anagrafe, signal } = this.#context;
    const job = await anagrafe.jobs.wait(id, { signal, pollMs: 500, onProgress }).catch((error) => {
      if (!(error instanceof ApiError) || error.code !== 'JOB_NOT_FOUND') throw error;
      throw new ImportError(
        `Job ${id}, which has a part of the file, does not exist in the service: it has expired, or the service uses another database. ` +
          'Check which users exist, then start over with --restart.',
      );
    });
    this.#context.onJob(id, 'ended');
    return job;
  }

  /** Adds the progress of the current batch, as reported by its jobs, to the completed batches. */
  #counts(bytes: number, { submitted, rows, bytesRead }: SentBatch, jobs: readonly Job[]): ImportCounts {
    const { done } = this.#progress;
    const sent = submitted.jobs.reduce((sum, { records }) => sum + records.length, 0);
    const share = sent > 0 ? jobs.reduce((sum, { RecordsDone }) => sum + RecordsDone, 0) / sent : 0;
    return {
      bytes,
      bytesDone: done.bytes + Math.max(bytesRead - done.bytes, 0) * share,
      rowsDone: done.rows + Math.round(rows.length * share),
      rowsFailed: done.failed,
    };
  }
}

function digestOf(records: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(records)).digest('hex').slice(0, 16);
}
