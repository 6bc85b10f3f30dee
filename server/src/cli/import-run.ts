import { relative } from 'node:path';
import { ApiError, ConnectionError, TimeoutError } from '@anagrafe/client';
import { type Sheet, SheetError, type SheetField } from '@anagrafe/client/sheet';
import { dryRunImport, type ImportDryRun } from '../import/dry-run.ts';
import { type ImportResult, type ImportTools, runImport } from '../import/run.ts';
import type { ImportFigures, ImportTask } from '../import/task.ts';
import { type ConnectionOptions, reach } from './connection.ts';
import { inUnits } from './output/format.ts';
import { grouped, LiveLine, type Progress } from './output/live-line.ts';
import { exitCodes, explainToOperator, print, tell } from './output/output.ts';

export interface RunOptions extends ConnectionOptions {
  readonly dryRun?: boolean;
  readonly restart?: boolean;
  readonly json?: boolean;
}

/** An import task without the service and the caller, which `importFile` adds. */
export type ImportFileOptions = Omit<ImportTask, 'url' | 'caller'>;

/** The reason of the abort after SIGINT or SIGTERM. */
class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** Imports a file, or performs a dry run, and prints the progress and the result. Sets the exit code. */
export async function importFile(file: ImportFileOptions, options: RunOptions): Promise<void> {
  const { anagrafe, url, caller } = await reach(options);
  const task = { ...file, url, caller };
  const line = new LiveLine();
  let begun = false;
  const interruption = interruptible();
  const tools: ImportTools = {
    anagrafe,
    signal: interruption.signal,
    onBegun(sheet, rowsBefore) {
      begun = true;
      greet(sheet, rowsBefore, task);
    },
    onProgress: (figures) => line.show(standingOf(figures, task, options)),
  };
  try {
    const printResult = options.dryRun
      ? await performDryRun(task, tools, options)
      : await performImport(task, tools, options);
    line.end({ keeping: true });
    printResult();
  } catch (error) {
    line.end({ keeping: true });
    process.exitCode = error instanceof Interrupted ? error.exitCode : explainToOperator(error);
    if (options.dryRun || !begun) return;
    const stopped = error instanceof Interrupted ? 'Stopped. The service goes on with what was sent. ' : '';
    if (stopped || isRetryable(error))
      tell(`${stopped}Run the same command again to go on; nothing is done twice.`);
    if (error instanceof SheetError)
      tell('Every row before that is done. Mend the rest, and run the same command again.');
  } finally {
    interruption.end();
  }
}

/** Returns true if the same command may succeed later. */
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

async function performImport(task: ImportTask, tools: ImportTools, options: RunOptions): Promise<() => void> {
  const result = await runImport(task, tools, { anew: options.restart ?? false });
  if (result.failed > 0) process.exitCode = exitCodes.someFailed;
  return () => tellResult(result, task, options.json ?? false);
}

async function performDryRun(task: ImportTask, tools: ImportTools, options: RunOptions): Promise<() => void> {
  const result = await dryRunImport(task, tools);
  if (result.failed > 0) process.exitCode = exitCodes.someFailed;
  return () => printDryRun(result, task, options.json ?? false);
}

/** Estimates the total number of rows from the share of the bytes: it is known only at the end of the file. */
function standingOf(
  { bytes, bytesDone, rowsDone, rowsFailed }: ImportFigures,
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

/** Prints how the columns of the file are interpreted. */
export function greet(sheet: Sheet, rowsBefore: number, { path, url, purpose, principal }: ImportTask): void {
  const doing = purpose === 'register' ? 'Importing' : 'Resetting the passwords of';
  tell(`${doing} ${short(path)}: ${sheet.layout.format.toUpperCase()}, to ${url}`);
  for (const { name, field } of sheet.columns)
    if (field && field !== name) tell(`  "${name}" is read as ${field}`);
  if (sheet.unknown.length > 0)
    tell(`  Not read: ${sheet.unknown.map((name) => `"${name}"`).join(', ')} (--map says what a column is)`);
  const has = (...fields: SheetField[]) => sheet.columns.some(({ field }) => field && fields.includes(field));
  if (purpose === 'register' && principal === null && sheet.columns.length > 0 && !has('ID', 'ExternalKey'))
    tell('  No column names principals by ID or ExternalKey: every row makes a new principal of its own.');
  if (rowsBefore > 0) tell(`  Going on after row ${grouped(rowsBefore)}.`);
}

export function tellResult({ rows, failed }: ImportResult, task: ImportTask, json: boolean): void {
  const failedFile = failed > 0 ? task.failedPath : null;
  const passwordsFile = rows > failed ? task.passwordsPath : null;
  if (json) {
    print(JSON.stringify({ rows, applied: rows - failed, failed, failedFile, passwordsFile }));
    return;
  }
  const verb = task.purpose === 'register' ? 'imported' : 'reset';
  tell(rows === 0 ? 'The file has no rows.' : `${grouped(rows - failed)} of ${counted(rows)} ${verb}.`);
  if (failedFile) tell(`${those(failed)} failed ${whereFailed(failed, failedFile, task)}`);
  if (passwordsFile) tell(`The passwords that were made up are in ${short(passwordsFile)}; keep it safe.`);
}

export function printDryRun(
  { samples, seconds, rows, failed }: ImportDryRun,
  task: ImportTask,
  json: boolean,
): void {
  const estimatedSeconds = Math.ceil(seconds * 10) / 10;
  const failedFile = failed > 0 ? task.wouldFailPath : null;
  if (json) {
    print(JSON.stringify({ dryRun: true, rows, failed, estimatedSeconds, failedFile }));
    return;
  }
  const time = `in about ${inUnits(estimatedSeconds)}`;
  tell(`${grouped(rows - failed)} of ${counted(rows)} would be done, ${time}. Nothing was done.`);
  for (const { line, sentences } of samples) tell(`  line ${line}: ${sentences.join(' ')}`);
  if (failed > samples.length) tell(`  … and ${grouped(failed - samples.length)} more`);
  if (failedFile) {
    const are = failed === 1 ? 'is' : 'are';
    tell(`${those(failed)} would fail ${are} in ${short(failedFile)}, with the reason.`);
  }
}

function those(failed: number): string {
  return failed === 1 ? 'The one that' : `The ${grouped(failed)} that`;
}

/** Names the file of the failed rows and the command that sends the corrected rows. */
function whereFailed(
  failed: number,
  path: string,
  { purpose, principal, passwordsPath }: ImportTask,
): string {
  const [are, what] = failed === 1 ? ['is', 'it'] : ['are', 'them'];
  const command = [
    `anagrafe ${purpose === 'register' ? 'import' : 'reset'} ${short(path)}`,
    ...(principal?.ID === undefined ? [] : [`--principal ${principal.ID}`]),
    ...(principal?.ExternalKey === undefined ? [] : [`--external-key ${principal.ExternalKey}`]),
    ...(passwordsPath === null ? [] : ['--generate-passwords <another file>']),
  ];
  return `${are} in ${short(path)}, with the reason: correct ${what} there, then "${command.join(' ')}".`;
}

function counted(rows: number): string {
  return `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}`;
}

/** Returns a path inside the current folder as a relative path, any other unchanged. */
function short(path: string): string {
  const from = relative(process.cwd(), path);
  return from.startsWith('..') ? path : from;
}
