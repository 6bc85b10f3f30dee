import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Job } from '@anagrafe/client';
import type { Line } from '@anagrafe/client/import';
import { type Bookmark, openSheet, type Sheet, SheetError, type SheetItem } from '@anagrafe/client/sheet';
import { batchLimits, inBatches } from './batch.ts';
import { Ledger } from './ledger.ts';
import { Memo } from './memo.ts';
import { refuseFilled, refuseSamePaths } from './paths.ts';
import { type SentBatch, send, settle } from './sending.ts';
import { ImportError, type ImportFigures, type ImportTask } from './task.ts';
import { readyRows } from './users.ts';

/** While the service works on one batch, the next is brought to it. */
const batchesAtOnce = 2;

export interface ImportTools extends Line {
  /** The file is open, and so many of its rows were done before. */
  onBegun(sheet: Sheet, rowsBefore: number): void;
  onProgress(figures: ImportFigures): void;
}

export interface ImportResult {
  readonly rows: number;
  readonly failed: number;
}

/**
 * Brings a file of users to a service. It can be broken off anywhere, by the signal, a lost connection or the end of the
 * process, and is carried on by running it again: a batch that is sent again is the same and has the same key, so that
 * nothing is done twice.
 */
export async function runImport(
  task: ImportTask,
  tools: ImportTools,
  options: { anew: boolean },
): Promise<ImportResult> {
  await refuseSamePaths(task);
  const memo = await Memo.open(task, options);
  const sheet = await openFile(task, memo.done.bookmark);
  if (task.passwordsPath !== null && memo.isNew) await refuseFilled(task.passwordsPath);
  await memo.begin();
  try {
    const ledger = await Ledger.open(task, memo);
    tools.onBegun(sheet, memo.done.rows);
    await bringRows(sheet, { task, tools, memo, ledger }).finally(() => ledger.close());
  } catch (error) {
    // Nothing can be carried on of what was never sent.
    if (memo.isNew) await memo.discard();
    throw error;
  }
  const { rows, failed } = memo.done;
  await memo.discard();
  return { rows, failed };
}

interface Import {
  readonly task: ImportTask;
  readonly tools: ImportTools;
  readonly memo: Memo;
  readonly ledger: Ledger;
}

async function bringRows(sheet: Sheet, { task, tools, memo, ledger }: Import): Promise<void> {
  const { size } = await stat(task.path);
  const underWay: SentBatch[] = [];
  try {
    for await (const { items } of inBatches(sheet, batchLimits, memo.done.bookmark?.byte ?? 0)) {
      underWay.push(await sendRows(items));
      if (underWay.length >= batchesAtOnce) await finishFirst();
    }
  } catch (error) {
    // A file that cannot be read further is no reason to leave what was sent before without its outcome.
    if (error instanceof SheetError) await finishAll();
    throw error;
  }
  await finishAll();

  async function sendRows(items: readonly SheetItem[]): Promise<SentBatch> {
    return send(await readyRows(items, task, memo.seed, tools), memo, tools);
  }

  async function finishAll(): Promise<void> {
    while (underWay.length > 0) await finishFirst();
  }

  async function finishFirst(): Promise<void> {
    const batch = underWay.shift();
    if (!batch) return;
    const faults = await settle(batch, tools, (jobs) => tools.onProgress(figuresOf(memo, size, batch, jobs)));
    await ledger.keep(batch, faults);
    tools.onProgress(figuresOf(memo, size, batch, []));
  }
}

/** Of what is done for good, and of the batch at hand as far as its jobs have come. */
function figuresOf(memo: Memo, bytes: number, batch: SentBatch, jobs: readonly Job[]): ImportFigures {
  const { bookmark, rows, failed } = memo.done;
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
