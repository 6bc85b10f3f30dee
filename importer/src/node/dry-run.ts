import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { ColumnProfiles, type UnusedColumn } from '../file/column-profile.ts';
import { estimateRows, inBatches } from '../import/batches.ts';
import { DryRunState, dryRunRows } from '../import/dry-run.ts';
import { ReasonLog } from '../import/reasons.ts';
import { countTaken, namesByField } from '../import/row-errors.ts';
import { addTotals, noTotals } from '../import/totals.ts';
import { comparerOf, ownPasswordsNotUsed, prepareRows, removeStored, totalsOfStored } from './prepare.ts';
import { AppendedFile, appendedPath, completeFailedRows, formatFailedRows } from './result-files.ts';
import {
  type ImportContext,
  type ImportTask,
  noRows,
  openTaskFile,
  type ReportedRows,
  requireDistinctPaths,
  samplesMax,
  unusedPath,
} from './task.ts';

/** The result of a dry run: what an import would do with each row. */
export interface ImportDryRun extends ReportedRows {
  /** Estimated time that the service needs to hash the passwords. */
  readonly seconds: number;
  /** The file with the rows that would fail. It does not exist if there are none. */
  readonly wouldFailPath: string;
  /** The columns that are neither recognised nor mapped, with the kind of their values. */
  readonly unused: readonly UnusedColumn[];
}

/** Runs every check of an import without applying it. Writes the rows that would fail to a file. */
export async function dryRunImport(task: ImportTask, context: ImportContext): Promise<ImportDryRun> {
  await requireDistinctPaths(task);
  const { size: bytes } = await stat(task.path);
  const file = await openTaskFile(task);
  context.onOpen(file, noRows);
  const seed = randomBytes(32);
  const comparer = comparerOf(task, file);
  const state = new DryRunState(task);
  const profiles = new ColumnProfiles(file.columns);
  const wouldFailPath = await unusedPath(task.wouldFailPath);
  const wouldFail = await AppendedFile.create(appendedPath(wouldFailPath));
  const texts = { language: task.language, names: namesByField(file.columns) };
  const reasons = new ReasonLog(texts);
  const skippedLines: number[] = [];
  let sum = { ...noRows, usernamesTaken: 0, seconds: 0, totals: noTotals };
  try {
    // The batches are those of the import: a principal described in one batch exists only for the later ones.
    for await (const batch of inBatches(file, task.batches)) {
      const { rows } = batch;
      for (const { source } of rows) profiles.add(source);
      const compared = await comparer.compare(rows, context);
      const prepared = await prepareRows(compared.consistent, task, seed, context);
      const checked = await dryRunRows(prepared.complete, context, state);
      const errors = new Map([...compared.errors, ...prepared.errors, ...checked.errors]);
      const stored = await removeStored(prepared.complete, errors, task, context);
      const skipped = new Set([...stored.keys(), ...checked.effects.unchanged]);
      for (const { number, line } of prepared.complete)
        if (skipped.has(number) && skippedLines.length < samplesMax) skippedLines.push(line);
      const failed = rows.filter((row) => errors.has(row.number));
      await wouldFail.append(formatFailedRows(failed, errors, file.layout, texts, wouldFail.isEmpty));
      for (const { line, number } of failed) reasons.add(line, errors.get(number) ?? []);
      const applied = { ...checked.totals, PasswordsNotUsed: ownPasswordsNotUsed(checked.effects, prepared) };
      const totals = [applied, totalsOfStored(prepared, stored), state.countStored(stored)];
      sum = {
        totals: totals.reduce(addTotals, sum.totals),
        rows: sum.rows + rows.length,
        failed: sum.failed + failed.length,
        skipped: sum.skipped + skipped.size,
        repeated: sum.repeated + compared.copies.size,
        usernamesTaken: sum.usernamesTaken + countTaken(errors),
        seconds: sum.seconds + checked.seconds,
      };
      const total = estimateRows(batch, file, bytes);
      context.onProgress({ rowsDone: sum.rows, completed: sum, total });
    }
  } finally {
    await wouldFail.close();
  }
  return {
    ...sum,
    skippedLines,
    reasons: reasons.summaries,
    wouldFailPath: await completeFailedRows(wouldFailPath, file.layout),
    warnings: comparer.warnings,
    unused: profiles.unused,
  };
}
