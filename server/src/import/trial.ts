import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { Foreseen, sentenceOf, tryRows } from '@anagrafe/client/import';
import { AppendedFile } from './appended-file.ts';
import { batchLimits, inBatches } from './batch.ts';
import { failedText } from './failed-text.ts';
import { refuseSamePaths } from './paths.ts';
import { type ImportTools, openFile } from './run.ts';
import type { ImportTask } from './task.ts';
import { readyRows } from './users.ts';

const samplesMax = 10;

/** What an import would do. */
export interface Trial {
  readonly rows: number;
  readonly failed: number;
  /** How long the service would hash. */
  readonly seconds: number;
  /** The first rows that would fail. */
  readonly samples: readonly { readonly line: number; readonly sentences: readonly string[] }[];
}

/** Makes every check of an import and does nothing; the rows that would fail are written as they would be. */
export async function tryImport(task: ImportTask, tools: ImportTools): Promise<Trial> {
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
    // As the import would: what is described in one batch is there for the next ones, and not for those before.
    for await (const { items, end } of inBatches(sheet, batchLimits, 0)) {
      const ready = await readyRows(items, task, seed, tools);
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
