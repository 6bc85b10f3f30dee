import { createHash, randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { ApiError, type Job } from '@anagrafe/client';
import { ImportFileError } from '../file/errors.ts';
import type { ImportFile } from '../file/open.ts';
import type { ImportRow } from '../file/rows.ts';
import { DryRunState, dryRunRows } from '../import/dry-run.ts';
import { type Batch, batchLimits, inBatches } from '../import/records.ts';
import { formatRowError } from '../import/row-errors.ts';
import {
  PrincipalNotAppliedError,
  readRowErrors,
  type SubmitJob,
  type SubmittedRows,
  submitRows,
  submitWithKey,
} from '../import/send.ts';
import { ImportLock } from './lock.ts';
import { type GeneratedPasswords, prepareRows } from './prepare.ts';
import { ImportProgress } from './progress-file.ts';
import { AppendedFile, formatFailedRows, ResultFiles, requireEmpty } from './result-files.ts';
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
const samplesMax = 10;

export interface ImportResult {
  readonly rows: number;
  readonly failed: number;
  /**
   * Lines of the first failed rows that could not be parsed, at most `samplesMax`. The file of the failed rows has no
   * content for them. Rows of an earlier, interrupted run are not included.
   */
  readonly unparsedLines: readonly number[];
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
  const unparsedLines: number[] = [];
  try {
    const results = await ResultFiles.open(task, progress);
    context.onOpen(file, progress.done.rows);
    const run = new ImportRun(task, context, progress, results, file);
    await run.importRows().finally(() => results.close());
    unparsedLines.push(...run.unparsedLines);
  } catch (error) {
    // If nothing was sent, a later run has nothing to resume.
    if (progress.isNew) await progress.discard();
    throw error;
  }
  const { rows, failed } = progress.done;
  await progress.discard();
  return { rows, failed, unparsedLines };
}

interface SentBatch extends SubmittedRows {
  /** All rows of the batch, including those not sent. */
  readonly rows: readonly ImportRow[];
  readonly bytesRead: number;
  readonly passwords: GeneratedPasswords;
}

class ImportRun {
  readonly #task: ImportTask;
  readonly #context: ImportContext;
  readonly #progress: ImportProgress;
  readonly #results: ResultFiles;
  readonly #file: ImportFile;
  readonly #inFlight: SentBatch[] = [];
  readonly unparsedLines: number[] = [];

  constructor(
    task: ImportTask,
    context: ImportContext,
    progress: ImportProgress,
    results: ResultFiles,
    file: ImportFile,
  ) {
    this.#task = task;
    this.#context = context;
    this.#progress = progress;
    this.#results = results;
    this.#file = file;
  }

  async importRows(): Promise<void> {
    const { size } = await stat(this.#task.path);
    try {
      for await (const batch of inBatches(this.#file, batchLimits, this.#progress.done.rows)) {
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

  async #send({ rows, bytesRead }: Batch): Promise<SentBatch> {
    const unparsed = rows.filter(({ source }) => source === null).map(({ line }) => line);
    this.unparsedLines.push(...unparsed.slice(0, samplesMax - this.unparsedLines.length));
    const prepared = await prepareRows(rows, this.#task, this.#progress.seed, this.#context);
    await this.#progress.recordSending(rows);
    const submitted = await submitRows(prepared.complete, this.#context, this.#submitJob).catch((error) => {
      if (!(error instanceof PrincipalNotAppliedError)) throw error;
      throw new ImportError(
        `A principal could not be created: ${error.message} Run the same command again to resume.`,
      );
    });
    const rejected = new Map([...prepared.errors, ...submitted.rejected]);
    return { ...submitted, rejected, rows, bytesRead, passwords: prepared.passwords };
  }

  /** Submits a job, unless an earlier run has submitted it and has saved its ID. */
  #submitJob: SubmitJob = async (operation, records, name) => {
    const known = this.#progress.jobOf(name);
    if (known !== undefined) return known;
    const submit = submitWithKey(`import-${this.#progress.run}`, this.#context);
    const id = await submit(operation, records, name).catch((error) => {
      if (!(error instanceof ApiError) || error.code !== 'IDEMPOTENCY_KEY_REUSED') throw error;
      // A reset looks up user IDs. Users added or removed since an earlier run change the body, which needs another key.
      return submit(operation, records, `${name}-${digestOf(records)}`);
    });
    await this.#progress.recordJob(name, id);
    return id;
  };

  async #finishAll(fileSize: number): Promise<void> {
    while (this.#inFlight.length > 0) await this.#finishFirst(fileSize);
  }

  /** Waits for the jobs of the oldest batch in flight and writes its results. */
  async #finishFirst(fileSize: number): Promise<void> {
    const batch = this.#inFlight.shift();
    if (!batch) return;
    const current: Job[] = [];
    const report = () => this.#context.onProgress(this.#counts(fileSize, batch, current.filter(Boolean)));
    for (const [index, { id }] of batch.jobs.entries()) {
      current[index] = await this.#waitFor(id, (job) => {
        current[index] = job;
        report();
      });
    }
    const errors = await readRowErrors(batch, current, this.#context);
    const jobNames = batch.jobs.map(({ name }) => name);
    await this.#results.write({ ...batch, errors, jobNames }, this.#file.layout);
    this.#context.onProgress(this.#counts(fileSize, batch, []));
  }

  async #waitFor(id: string, onProgress: (job: Job) => void): Promise<Job> {
    const { anagrafe, signal } = this.#context;
    return anagrafe.jobs.wait(id, { signal, pollMs: 500, onProgress }).catch((error) => {
      if (!(error instanceof ApiError) || error.code !== 'JOB_NOT_FOUND') throw error;
      throw new ImportError(
        `Job ${id}, which has a part of the file, does not exist in the service: it has expired, or the service uses another database. ` +
          'Check which users exist, then start over with --restart.',
      );
    });
  }

  /** Adds the progress of the current batch, as reported by its jobs, to the completed batches. */
  #counts(bytes: number, batch: SentBatch, jobs: readonly Job[]): ImportCounts {
    const { done } = this.#progress;
    const total = (count: (job: Job) => number) => jobs.reduce((sum, job) => sum + count(job), 0);
    const records = batch.jobs.reduce((sum, job) => sum + job.records.length, 0);
    const recordsDone = total(({ RecordsDone }) => RecordsDone);
    const share = records > 0 ? recordsDone / records : 0;
    return {
      bytes,
      bytesDone: done.bytes + Math.max(batch.bytesRead - done.bytes, 0) * share,
      rowsDone: done.rows + recordsDone,
      rowsFailed: done.failed + total(({ RecordsFailed }) => RecordsFailed),
    };
  }
}

function digestOf(records: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(records)).digest('hex').slice(0, 16);
}

export interface ImportDryRun {
  readonly rows: number;
  readonly failed: number;
  /** Estimated time that the service needs to hash the passwords. */
  readonly seconds: number;
  readonly samples: readonly { readonly line: number; readonly messages: readonly string[] }[];
}

/** Runs every check of an import without applying it. Writes the rows that would fail to `wouldFailPath`. */
export async function dryRunImport(task: ImportTask, context: ImportContext): Promise<ImportDryRun> {
  await requireDistinctPaths(task);
  const { size: bytes } = await stat(task.path);
  const file = await openTaskFile(task);
  context.onOpen(file, 0);
  const seed = randomBytes(32);
  const state = new DryRunState();
  const wouldFail = await AppendedFile.create(task.wouldFailPath);
  const samples: { line: number; messages: readonly string[] }[] = [];
  let sum = { rows: 0, failed: 0, seconds: 0 };
  try {
    // The batches are those of the import: a principal described in one batch exists only for the later ones.
    for await (const { rows, bytesRead } of inBatches(file, batchLimits)) {
      const prepared = await prepareRows(rows, task, seed, context);
      const checked = await dryRunRows(prepared.complete, context, state);
      const errors = new Map([...prepared.errors, ...checked.errors]);
      const failed = rows.filter((row) => errors.has(row.number));
      await wouldFail.append(formatFailedRows(failed, errors, file.layout, wouldFail.isEmpty));
      for (const { line, number } of failed.slice(0, samplesMax - samples.length))
        samples.push({ line, messages: (errors.get(number) ?? []).map(formatRowError) });
      sum = {
        rows: sum.rows + rows.length,
        failed: sum.failed + failed.length,
        seconds: sum.seconds + checked.seconds,
      };
      context.onProgress({ bytes, bytesDone: bytesRead, rowsDone: sum.rows, rowsFailed: sum.failed });
    }
  } finally {
    await wouldFail.close();
  }
  return { ...sum, samples };
}
