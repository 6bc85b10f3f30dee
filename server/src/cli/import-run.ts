import { relative } from 'node:path';
import { type Anagrafe, ApiError, ConnectionError, TimeoutError } from '@anagrafe/client';
import { type ImportField, type ImportFile, ImportFileError } from '@anagrafe/importer';
import {
  dryRunImport,
  type ImportContext,
  type ImportCounts,
  type ImportDryRun,
  type ImportResult,
  type ImportTask,
  runImport,
} from '@anagrafe/importer/node';
import { ConfigError } from '../config.ts';
import { commandLine } from '../lib/operator-error.ts';
import { type ConnectionOptions, reach } from './connection.ts';
import { inUnits } from './output/format.ts';
import { grouped, LiveLine, type Progress } from './output/live-line.ts';
import { exitCodes, explainToOperator, print, tell } from './output/output.ts';

export interface RunOptions extends ConnectionOptions {
  readonly dryRun?: boolean;
  readonly restart?: boolean;
  readonly json?: boolean;
}

export type ImportInput = Omit<ImportTask, 'url' | 'caller'>;

/** The reason of the abort after SIGINT or SIGTERM. */
class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** Imports a file, or performs a dry run, and prints the progress and the result. Sets the exit code. */
export async function importFile(file: ImportInput, options: RunOptions): Promise<void> {
  const { anagrafe, url, caller } = await reach(options);
  await requirePrincipal(file, anagrafe);
  const task = { ...file, url, caller };
  const line = new LiveLine();
  let opened = false;
  const interruption = interruptible();
  const context: ImportContext = {
    anagrafe,
    signal: interruption.signal,
    onOpen(openFile, rowsBefore) {
      opened = true;
      printHeader(openFile, rowsBefore, task);
    },
    onProgress: (counts) => line.show(progressOf(counts, task, options)),
  };
  try {
    if (options.dryRun) {
      const result = await dryRunImport(task, context);
      line.end({ keeping: true });
      printDryRun(result, task, options.json);
    } else {
      const result = await runImport(task, context, { restart: options.restart ?? false });
      line.end({ keeping: true });
      printResult(result, task, options.json);
    }
  } catch (error) {
    line.end({ keeping: true });
    process.exitCode = error instanceof Interrupted ? error.exitCode : explainToOperator(error);
    if (options.dryRun || !opened) return;
    const stopped =
      error instanceof Interrupted
        ? 'Interrupted. The service finishes the rows that were already sent. '
        : '';
    if (stopped || isRetryable(error))
      tell(`${stopped}Run the same command again to resume; no row is applied twice.`);
    if (error instanceof ImportFileError)
      tell(
        'All rows before this point were processed. Correct the rest of the file, then run the same command again.',
      );
  } finally {
    interruption.end();
  }
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

function interruptible(): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const stopBy = (code: number) => () => controller.abort(new Interrupted(code));
  const [onInterrupt, onTerminate] = [stopBy(exitCodes.interrupted), stopBy(exitCodes.terminated)];
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    end() {
      process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate);
    },
  };
}

/** Estimates the total number of rows from the share of the bytes: it is known only at the end of the file. */
function progressOf(
  { bytes, bytesDone, rowsDone, rowsFailed }: ImportCounts,
  { purpose }: ImportTask,
  { dryRun }: RunOptions,
): Progress {
  const total = bytesDone > 0 && rowsDone > 0 ? Math.round((rowsDone * bytes) / bytesDone) : null;
  return {
    state: dryRun ? 'checking' : purpose === 'register' ? 'importing' : 'resetting',
    done: rowsDone,
    total: total === null ? null : Math.max(total, rowsDone),
    guessed: bytesDone < bytes,
    unit: 'rows',
    failed: rowsFailed,
  };
}

function printHeader(
  file: ImportFile,
  rowsBefore: number,
  { path, url, purpose, principal }: ImportTask,
): void {
  const name = `${short(path)} (${file.layout.format.toUpperCase()})`;
  tell(purpose === 'register' ? `Importing ${name} to ${url}` : `Resetting passwords from ${name} on ${url}`);
  for (const { name, field } of file.columns)
    if (field && field !== name) tell(`  Column "${name}" maps to ${field}`);
  if (file.unknown.length > 0)
    tell(
      `  Ignored columns: ${file.unknown.map((name) => `"${name}"`).join(', ')} (map a column with --map)`,
    );
  const has = (...fields: ImportField[]) => file.columns.some(({ field }) => field && fields.includes(field));
  if (purpose === 'register' && principal === null && file.columns.length > 0 && !has('ID', 'ExternalKey'))
    tell('  No column with the ID or ExternalKey of the principal: each row creates a new principal.');
  if (rowsBefore > 0) tell(`  Resuming after row ${grouped(rowsBefore)}.`);
}

function printResult({ rows, failed, unparsedLines }: ImportResult, task: ImportTask, json = false): void {
  const failedFile = failed > 0 ? task.failedPath : null;
  if (failedFile) process.exitCode = exitCodes.someFailed;
  const passwordsFile = rows > failed ? task.passwordsPath : null;
  if (json) {
    print(JSON.stringify({ rows, applied: rows - failed, failed, failedFile, passwordsFile }));
    return;
  }
  const verb = task.purpose === 'register' ? 'imported' : 'reset';
  tell(rows === 0 ? 'The file has no rows.' : `${grouped(rows - failed)} of ${counted(rows)} ${verb}.`);
  if (failedFile && failed === rows && failed === unparsedLines.length) {
    // The file of the failed rows has nothing to correct, and no row of the input was imported.
    const lines = `${failed === 1 ? 'line' : 'lines'} ${unparsedLines.join(', ')}`;
    tell(`${counted(failed)} failed. The reasons are in ${short(failedFile)}.`);
    tell(`Correct ${lines} of ${short(task.path)}, then run: ${commandFor(task.path, task)}`);
  } else if (failedFile) {
    tell(failedText(failed, failedFile, task));
    for (const line of unparsedLines)
      tell(`  Line ${line} could not be parsed. Copy it from ${short(task.path)} and correct it.`);
  }
  if (passwordsFile) tell(`The generated passwords are in ${short(passwordsFile)}. Keep this file safe.`);
}

function printDryRun({ samples, seconds, rows, failed }: ImportDryRun, task: ImportTask, json = false): void {
  const estimatedSeconds = Math.ceil(seconds * 10) / 10;
  const failedFile = failed > 0 ? task.wouldFailPath : null;
  if (failedFile) process.exitCode = exitCodes.someFailed;
  if (json) {
    print(JSON.stringify({ dryRun: true, rows, failed, estimatedSeconds, failedFile }));
    return;
  }
  const verb = task.purpose === 'register' ? 'imported' : 'reset';
  const time = `in about ${inUnits(estimatedSeconds)}`;
  tell(`Dry run: ${grouped(rows - failed)} of ${counted(rows)} would be ${verb}, ${time}.`);
  for (const { line, messages } of samples) tell(`  line ${line}: ${messages.join(' ')}`);
  if (failed > samples.length) tell(`  … and ${grouped(failed - samples.length)} more`);
  if (failedFile) tell(`${counted(failed)} would fail. The reasons are in ${short(failedFile)}.`);
  tell('Nothing was changed.');
}

function failedText(failed: number, path: string, task: ImportTask): string {
  const them = failed === 1 ? 'it' : 'them';
  return `${counted(failed)} failed. Correct ${them} in ${short(path)}, which has the reasons, then run: ${commandFor(path, task)}`;
}

/** Returns the command that imports another file with the same options. */
function commandFor(path: string, { purpose, principal, passwordsPath }: ImportTask): string {
  const command = [
    commandLine(`${purpose === 'register' ? 'import' : 'reset'} ${short(path)}`),
    ...(principal?.ID === undefined ? [] : [`--principal ${principal.ID}`]),
    ...(principal?.ExternalKey === undefined ? [] : [`--external-key ${principal.ExternalKey}`]),
    ...(passwordsPath === null ? [] : ['--generate-passwords <another file>']),
  ];
  return command.join(' ');
}

function counted(rows: number): string {
  return `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}`;
}

/** Returns a path inside the current folder as a relative path, any other unchanged. */
function short(path: string): string {
  const from = relative(process.cwd(), path);
  return from.startsWith('..') ? path : from;
}
