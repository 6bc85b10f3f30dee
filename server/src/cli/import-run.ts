import { type Anagrafe, ApiError, ConnectionError, TimeoutError } from '@anagrafe/client';
import { type ImportFile, ImportFileError } from '@anagrafe/importer';
import {
  type CompletedRows,
  dryRunImport,
  type ImportContext,
  type ImportCounts,
  type ImportTask,
  JobCancelledError,
  noRows,
  runImport,
  saveMapping,
} from '@anagrafe/importer/node';
import { ConfigError } from '../settings/config.ts';
import { reach } from './connection.ts';
import { printCompleted, printDryRun, printHeader, printResult, type RunOptions } from './import-report.ts';
import { interruptible, tellOpenJobs } from './interruption.ts';
import { grouped } from './output/format.ts';
import { LiveLine, type Progress } from './output/live-line.ts';
import { explainToOperator, Interrupted, tell } from './output/output.ts';

export type ImportInput = Omit<ImportTask, 'url' | 'caller'>;

/** Imports a file, or performs a dry run, and prints the progress and the result. Sets the exit code. */
export async function importFile(file: ImportInput, options: RunOptions): Promise<void> {
  const { anagrafe, url, caller } = await reach(options);
  await requirePrincipal(file, anagrafe);
  const task = { ...file, url, caller };
  const line = new LiveLine();
  const openJobStore = new Set<string>();
  const opened: { file: ImportFile | null } = { file: null };
  let completed: CompletedRows = noRows;
  const interruption = interruptible();
  const context: ImportContext = {
    anagrafe,
    signal: interruption.signal,
    onOpen(openFile, before) {
      opened.file = openFile;
      completed = before;
      printHeader(openFile, before, task, options);
    },
    onJob: (id, state) => (state === 'submitted' ? openJobStore.add(id) : openJobStore.delete(id)),
    onProgress(counts) {
      completed = counts.completed;
      line.show(progressOf(counts, task, options));
    },
  };
  try {
    if (options.dryRun) {
      const result = await dryRunImport(task, context);
      line.end({ keeping: true, last: finalProgress(result, task, options) });
      printDryRun(result, task, options, opened.file);
    } else {
      const result = await runImport(task, context, { restart: options.restart ?? false });
      line.end({ keeping: true, last: finalProgress(result, task, options) });
      printResult(result, task, options, opened.file);
    }
    if (options.saveMapping !== undefined && opened.file) await saveMapping(options.saveMapping, opened.file);
  } catch (error) {
    line.end({ keeping: true });
    if (error instanceof Interrupted) tell('Interrupted.');
    process.exitCode = explainToOperator(error);
    if (options.dryRun || !opened.file) return;
    const isStopped = error instanceof Interrupted || error instanceof JobCancelledError;
    if (isStopped || isRetryable(error)) printCompleted(completed);
    if (isStopped) await tellOpenJobs([...openJobStore], anagrafe, options);
    if (isStopped || isRetryable(error)) tell(resumeText(completed));
    if (error instanceof ImportFileError)
      tell(
        'All rows before this point were processed. Correct the rest of the file, then run the same command again.',
      );
  } finally {
    interruption.end();
  }
}

function resumeText({ rows }: CompletedRows): string {
  const place = rows > 0 ? ` after row ${grouped(rows)}` : '';
  return `Run the same command again to resume${place}; no row is applied twice.`;
}

/** Throws if --principal names no principal: otherwise every row of the file would fail for this reason. */
async function requirePrincipal({ principal }: ImportInput, anagrafe: Anagrafe): Promise<void> {
  const ID = principal?.ID;
  if (ID === undefined) return;
  try {
    for await (const _ of anagrafe.list({ ID, PageSize: 1 })) return;
  } catch (error) {
    // A client that may only write cannot look up the principal; the service then reports it for each row.
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return;
    throw error;
  }
  throw new ConfigError(`There is no principal ${ID}. Correct --principal.`);
}

function isRetryable(error: unknown): boolean {
  const isUnavailable = error instanceof ApiError && (error.status >= 500 || error.status === 429);
  return isUnavailable || error instanceof ConnectionError || error instanceof TimeoutError;
}

/** Returns the progress after the last row. */
function finalProgress(completed: CompletedRows, task: ImportTask, options: RunOptions): Progress {
  const { rows } = completed;
  return progressOf({ rowsDone: rows, completed, total: { rows, isEstimated: false } }, task, options);
}

function progressOf(
  { rowsDone, completed, total }: ImportCounts,
  { purpose }: ImportTask,
  { dryRun }: RunOptions,
): Progress {
  return {
    state: dryRun ? 'checking' : purpose === 'register' ? 'importing' : 'resetting',
    done: rowsDone,
    total: total && Math.max(total.rows, rowsDone),
    guessed: total?.isEstimated ?? false,
    unit: 'rows',
    failed: completed.failed,
    ...(dryRun && { failedText: 'would fail' }),
  };
}
