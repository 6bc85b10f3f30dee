import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Job } from '@anagrafe/client';
import type { Line } from '@anagrafe/client/import';
import { type Bookmark, openSheet, type Sheet, SheetError, type SheetItem } from '@anagrafe/client/sheet';
import { ImportProgress } from './progress-file.ts';
import { ResultFiles } from './result-files.ts';
import { type SentBatch, send, settle } from './sending.ts';
import { batchLimits, ImportError, type ImportFigures, type ImportTask, inBatches } from './task.ts';
import { prepareRows } from './users.ts';

/** Batches in flight: the next one is sent while the service works on the previous one. */
const batchesAtOnce = 2;

export interface ImportTools extends Line {
  /** Called once the file is open. `rowsBefore` is the number of rows that earlier runs have completed. */
  onBegun(sheet: Sheet, rowsBefore: number): void;
  onProgress(figures: ImportFigures): void;
}

export interface ImportResult {
  readonly rows: number;
  readonly failed: number;
}

/**
 * Imports a file of users. The run may stop at any point, by the signal, a lost connection or the end of the process;
 * the next run resumes it. A batch that is sent again has the same content and the same idempotency key, so the
 * service does not apply it twice. `anew` starts over instead of resuming.
 */
export async function runImport(
  task: ImportTask,
  tools: ImportTools,
  options: { anew: boolean },
): Promise<ImportResult> {
  await refuseSamePaths(task);
  const progress = await ImportProgress.open(task, options);
  const sheet = await openFile(task, progress.done.bookmark);
  if (task.passwordsPath !== null && progress.isNew) await refuseFilled(task.passwordsPath);
  await progress.begin();
  try {
    const results = await ResultFiles.open(task, progress);
    tools.onBegun(sheet, progress.done.rows);
    await importRows(sheet, { task, tools, memo: progress, ledger: results }).finally(() => results.close());
  } catch (error) {
    // If nothing was sent, a later run has nothing to resume.
    if (progress.isNew) await progress.discard();
    throw error;
  }
  const { rows, failed } = progress.done;
  await progress.discard();
  return { rows, failed };
}

interface Import {
  readonly task: ImportTask;
  readonly tools: ImportTools;
  readonly memo: ImportProgress;
  readonly ledger: ResultFiles;
}

async function importRows(
  sheet: Sheet,
  { task, tools, memo: progress, ledger: results }: Import,
): Promise<void> {
  const { size } = await stat(task.path);
  const inFlight: SentBatch[] = [];
  try {
    for await (const { items } of inBatches(sheet, batchLimits, progress.done.bookmark?.byte ?? 0)) {
      inFlight.push(await sendRows(items));
      if (inFlight.length >= batchesAtOnce) await finishFirst();
    }
  } catch (error) {
    // After a read error the outcomes of the batches already sent are still written.
    if (error instanceof SheetError) await finishAll();
    throw error;
  }
  await finishAll();

  async function sendRows(items: readonly SheetItem[]): Promise<SentBatch> {
    return send(await prepareRows(items, task, progress.seed, tools), progress, tools);
  }

  async function finishAll(): Promise<void> {
    while (inFlight.length > 0) await finishFirst();
  }

  async function finishFirst(): Promise<void> {
    const batch = inFlight.shift();
    if (!batch) return;
    const faults = await settle(batch, tools, (jobs) =>
      tools.onProgress(figuresOf(progress, size, batch, jobs)),
    );
    await results.keep(batch, faults);
    tools.onProgress(figuresOf(progress, size, batch, []));
  }
}

/** Adds the progress of the current batch, as reported by its jobs, to the completed batches. */
function figuresOf(
  progress: ImportProgress,
  bytes: number,
  batch: SentBatch,
  jobs: readonly Job[],
): ImportFigures {
  const { bookmark, rows, failed } = progress.done;
  const total = (count: (job: Job) => number) => jobs.reduce((sum, job) => sum + count(job), 0);
  const records = batch.jobs.reduce((sum, { sent }) => sum + sent.length, 0);
  const start = bookmark?.byte ?? 0;
  const end = batch.items.at(-1)?.end.byte ?? start;
  const share = records > 0 ? total(({ RecordsDone }) => RecordsDone) / records : 0;
  return {
    bytes,
    bytesDone: start + Math.max(end - start, 0) * share,
    rowsDone: rows + total(({ RecordsDone }) => RecordsDone),
    rowsFailed: failed + total(({ RecordsFailed }) => RecordsFailed),
  };
}

export async function openFile(task: ImportTask, from: Bookmark | null): Promise<Sheet> {
  const { encoding, separator, principal, columns, purpose } = task;
  if ((await stat(task.path)).isDirectory())
    throw new ImportError(`${task.path} is a folder. Name a file in it.`);
  return openSheet(createReadStream(task.path, { start: from?.byte ?? 0 }), {
    columns,
    resets: purpose === 'reset',
    withoutPasswords: task.passwordsPath !== null,
    ...(encoding && { encoding }),
    ...(separator && { separator }),
    ...(principal && { principal }),
    ...(from && { from }),
  });
}

/** Throws if two paths of the task are the same file, so that no output overwrites the input or another output. */
export async function refuseSamePaths(task: ImportTask): Promise<void> {
  const seen = new Set<string>();
  for (const path of [
    task.path,
    task.failedPath,
    task.wouldFailPath,
    task.passwordsPath,
    task.progressPath,
  ]) {
    if (path === null) continue;
    const real = await realPath(path);
    if (seen.has(real))
      throw new ImportError(`${path} is named for two things. Give each a file of its own.`);
    seen.add(real);
  }
}

/** Throws if the file is not empty: it may contain generated passwords that are stored nowhere else. */
export async function refuseFilled(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && found.size > 0)
    throw new ImportError(
      `${path} is there already, and may hold passwords. Move it away, or name another file.`,
    );
}

/** Resolves symbolic links, also for a file that does not exist yet. */
async function realPath(path: string): Promise<string> {
  const whole = await realpath(path).catch(() => null);
  return whole ?? join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path));
}
