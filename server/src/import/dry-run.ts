import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { Foreseen, sentenceOf, tryRows } from '@anagrafe/client/import';
import { AppendedFile, failedText } from './result-files.ts';
import { type ImportTools, openFile, refuseSamePaths } from './run.ts';
import { batchLimits, type ImportTask, inBatches } from './task.ts';
import { prepareRows } from './users.ts';

const samplesMax = 10;

/** The result of a dry run. */
export interface ImportDryRun {
  readonly rows: number;
  readonly failed: number;
  /** Estimated time that the service needs to hash the passwords. */
  readonly seconds: number;
  /** The first rows that would fail, at most `samplesMax`. */
  readonly samples: readonly { readonly line: number; readonly sentences: readonly string[] }[];
}

/** Runs every check of an import without applying it. Writes the rows that would fail to `wouldFailPath`. */
export async function dryRunImport(task: ImportTask, tools: ImportTools): Promise<ImportDryRun> {
  await refuseSamePaths(task);
  const { size: bytes } = await stat(task.path);
  const sheet = await openFile(task, null);
  tools.onBegun(sheet, 0);
  const seed = randomBytes(32);
  const foreseen = new Foreseen();
  const file = await AppendedFile.create(task.wouldFailPath);
  const samples: { line: number; sentences: readonly string[] }[] = [];
  let sum = { rows: 0, failed: 0, seconds: 0 };
  try {
    // The batches are those of the import: a principal described in one batch exists only for the later ones.
    for await (const { items, end } of inBatches(sheet, batchLimits, 0)) {
      const ready = await prepareRows(items, task, seed, tools);
      const tried = await tryRows(ready.complete, tools, foreseen);
      const faults = new Map([...ready.faults, ...tried.faults]);
      const failed = items.filter((item) => faults.has(item.row));
      await file.append(failedText(failed, faults, file.isEmpty));
      for (const { line, row } of failed.slice(0, samplesMax - samples.length))
        samples.push({ line, sentences: (faults.get(row) ?? []).map(sentenceOf) });
      sum = {
        rows: sum.rows + items.length,
        failed: sum.failed + failed.length,
        seconds: tried.estimates.reduce(
          (seconds, { EstimatedSeconds }) => seconds + EstimatedSeconds,
          sum.seconds,
        ),
      };
      tools.onProgress({ bytes, bytesDone: end.byte, rowsDone: sum.rows, rowsFailed: sum.failed });
    }
  } finally {
    await file.close();
    if (file.isEmpty) await rm(task.wouldFailPath, { force: true });
  }
  return { ...sum, samples };
}
