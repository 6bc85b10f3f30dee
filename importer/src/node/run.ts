import { ImportRun } from './import-run.ts';
import { acquireLock } from './lock.ts';
import { ImportProgress } from './progress-file.ts';
import { completeFailedRows, ResultFiles, requireEmpty } from './result-files.ts';
import {
  type ImportContext,
  type ImportTask,
  openTaskFile,
  type ReportedRows,
  requireDistinctPaths,
  requireFile,
} from './task.ts';

/** The result of all rows, including those of an earlier, interrupted run, except for the usernames that are taken. */
export interface ImportResult extends ReportedRows {
  /** The run that the calls of the import are parts of, by which it can be undone. */
  readonly run: string;
  /** The file with the failed rows. */
  readonly failedPath: string;
  /** True if generated passwords were written to their file. Without any, the file does not exist. */
  readonly hasPasswords: boolean;
  /** True if codes were written to their file. */
  readonly hasCodes: boolean;
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
  const releaseLock = acquireLock(`${task.progressPath}.lock`, task.path);
  try {
    return await runLocked(task, context, options);
  } finally {
    releaseLock();
  }
}

async function runLocked(
  task: ImportTask,
  context: ImportContext,
  options: { restart: boolean },
): Promise<ImportResult> {
  const progress = await ImportProgress.open(task, options);
  const file = await openTaskFile(task);
  for (const path of [task.passwordsPath, task.codesPath])
    if (path !== null && progress.isNew) await requireEmpty(path);
  await progress.begin();
  let found: Pick<ImportResult, 'unparsedLines' | 'usernamesTaken' | 'warnings'>;
  try {
    const results = await ResultFiles.open(task, progress, file);
    context.onOpen(file, progress.done);
    const connected = { ...context, anagrafe: context.anagrafe.ofRun(progress.run) };
    const run = new ImportRun(task, connected, progress, results, file);
    await run.importRows().finally(() => results.close());
    found = run;
  } catch (error) {
    // If nothing was sent, a later run has nothing to resume.
    if (progress.isNew) await progress.discard();
    throw error;
  }
  const failedPath = await completeFailedRows(progress.failedPath, file.layout);
  await progress.discard();
  const { rows, failed, skipped, repeated, skippedLines, totals, reasons, passwords, codes } = progress.done;
  // Two records of a principal that both change it would count as two principals.
  const PrincipalsUnchanged = Math.max(totals.PrincipalsUnchanged, 0);
  const { unparsedLines, usernamesTaken, warnings } = found;
  return {
    run: progress.run,
    rows,
    failed,
    skipped,
    repeated,
    skippedLines,
    reasons,
    totals: { ...totals, PrincipalsUnchanged },
    failedPath,
    hasPasswords: passwords.bytes > 0,
    hasCodes: codes.bytes > 0,
    warnings,
    unparsedLines,
    usernamesTaken,
  };
}
