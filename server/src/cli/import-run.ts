import { type Anagrafe, ApiError, ConnectionError, TimeoutError } from '@anagrafe/client';
import { type ImportField, type ImportFile, ImportFileError, type Language } from '@anagrafe/importer';
import {
  dryRunImport,
  type ImportContext,
  type ImportCounts,
  type ImportDryRun,
  type ImportResult,
  type ImportTask,
  runImport,
  saveMapping,
} from '@anagrafe/importer/node';
import { ConfigError } from '../config.ts';
import { commandLine } from '../lib/operator-error.ts';
import { type ConnectionOptions, reach } from './connection.ts';
import {
  fileTitle,
  lineList,
  printColumns,
  printUnusedColumns,
  printWarnings,
  shortPath,
} from './file-report.ts';
import { counted, grouped, inUnits } from './output/format.ts';
import { LiveLine, type Progress } from './output/live-line.ts';
import { exitCodes, explainToOperator, print, tell } from './output/output.ts';

export interface RunOptions extends ConnectionOptions {
  readonly dryRun?: boolean;
  readonly restart?: boolean;
  readonly json?: boolean;
  readonly saveMapping?: string;
  readonly language: Language;
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
  const openJobs = new Set<string>();
  const opened: { file: ImportFile | null } = { file: null };
  const interruption = interruptible();
  const context: ImportContext = {
    anagrafe,
    signal: interruption.signal,
    onOpen(openFile, rowsBefore) {
      opened.file = openFile;
      printHeader(openFile, rowsBefore, task, options);
    },
    onJob: (id, state) => (state === 'submitted' ? openJobs.add(id) : openJobs.delete(id)),
    onProgress: (counts) => line.show(progressOf(counts, task, options)),
  };
  try {
    if (options.dryRun) {
      const result = await dryRunImport(task, context);
      line.end({ keeping: true });
      printDryRun(result, task, options, opened.file);
    } else {
      const result = await runImport(task, context, { restart: options.restart ?? false });
      line.end({ keeping: true });
      printResult(result, task, options, opened.file);
    }
    if (options.saveMapping !== undefined && opened.file) await saveMapping(options.saveMapping, opened.file);
  } catch (error) {
    line.end({ keeping: true });
    process.exitCode = error instanceof Interrupted ? error.exitCode : explainToOperator(error);
    if (options.dryRun || !opened.file) return;
    if (error instanceof Interrupted) tellInterrupted([...openJobs]);
    if (error instanceof Interrupted || isRetryable(error))
      tell('Run the same command again to resume; no row is applied twice.');
    if (error instanceof ImportFileError)
      tell(
        'All rows before this point were processed. Correct the rest of the file, then run the same command again.',
      );
  } finally {
    interruption.end();
  }
}

/** Names the jobs that the service completes without this command. */
function tellInterrupted(jobs: readonly string[]): void {
  if (jobs.length === 0) {
    tell('Interrupted.');
    return;
  }
  tell(`Interrupted. The service completes the rows that were already sent, in ${named(jobs)}. To cancel:`);
  for (const job of jobs) tell(`  ${commandLine(`job cancel ${job}`)}`);
}

function named(jobs: readonly string[]): string {
  return `${jobs.length === 1 ? 'job' : 'jobs'} ${jobs.join(', ')}`;
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
  { dryRun }: RunOptions,
): void {
  const name = fileTitle(path, file);
  tell(purpose === 'register' ? `Importing ${name} to ${url}` : `Resetting passwords from ${name} on ${url}`);
  printColumns(file);
  // A dry run describes these columns once it has read them.
  if (file.unknown.length > 0 && !dryRun)
    tell(
      `  Ignored columns: ${file.unknown.map((name) => `"${name}"`).join(', ')} (map a column with --map)`,
    );
  const has = (...fields: ImportField[]) => file.columns.some(({ field }) => field && fields.includes(field));
  if (purpose === 'register' && principal === null && file.columns.length > 0 && !has('ID', 'ExternalKey'))
    tell('  No column with the ID or ExternalKey of the principal: each row creates a new principal.');
  if (rowsBefore > 0) tell(`  Resuming after row ${grouped(rowsBefore)}.`);
}

function printResult(
  result: ImportResult,
  task: ImportTask,
  { json }: RunOptions,
  file: ImportFile | null,
): void {
  const { rows, failed, failedPath, unparsedLines, warnings } = result;
  const failedFile = failed > 0 ? failedPath : null;
  if (failedFile) process.exitCode = exitCodes.someFailed;
  const passwordsFile = rows > failed ? task.passwordsPath : null;
  if (json) {
    const counts = { rows, applied: rows - failed, failed, failedFile, passwordsFile };
    print(JSON.stringify({ ...counts, warnings: warnings.summaries }));
    return;
  }
  const verb = task.purpose === 'register' ? 'imported' : 'reset';
  tell(
    rows === 0 ? 'The file has no rows.' : `${grouped(rows - failed)} of ${counted(rows, 'row')} ${verb}.`,
  );
  printWarnings(warnings);
  if (failedFile && failed === rows && failed === unparsedLines.length) {
    // The file of the failed rows has nothing to correct, and no row of the input was imported.
    tell(`${counted(failed, 'row')} failed. The reasons are in ${shortPath(failedFile)}.`);
    tell(
      `Correct ${lineList(unparsedLines)} of ${shortPath(task.path)}, then run: ${commandFor(task.path, task)}`,
    );
  } else if (failedFile) {
    tell(failedText(failed, failedFile, task, file));
    printTaken(result, task);
    for (const line of unparsedLines)
      tell(`  Line ${line} could not be parsed. Copy it from ${shortPath(task.path)} and correct it.`);
  }
  if (passwordsFile) tell(`The generated passwords are in ${shortPath(passwordsFile)}. Keep this file safe.`);
}

function printDryRun(
  result: ImportDryRun,
  task: ImportTask,
  { json }: RunOptions,
  file: ImportFile | null,
): void {
  const { samples, seconds, rows, failed, wouldFailPath, warnings, unused } = result;
  const estimatedSeconds = Math.ceil(seconds * 10) / 10;
  const failedFile = failed > 0 ? wouldFailPath : null;
  if (failedFile) process.exitCode = exitCodes.someFailed;
  if (json) {
    const counts = { dryRun: true, rows, failed, estimatedSeconds, failedFile };
    print(JSON.stringify({ ...counts, warnings: warnings.summaries, unusedColumns: unused }));
    return;
  }
  const verb = task.purpose === 'register' ? 'imported' : 'reset';
  // The estimate contains the passwords to hash alone.
  const time = estimatedSeconds > 0 ? `, in about ${inUnits(estimatedSeconds)}` : '';
  tell(`Dry run: ${grouped(rows - failed)} of ${counted(rows, 'row')} would be ${verb}${time}.`);
  for (const { line, messages } of samples) tell(`  line ${line}: ${messages.join(' ')}`);
  if (failed > samples.length) tell(`  … and ${grouped(failed - samples.length)} more`);
  printWarnings(warnings);
  printUnusedColumns(unused);
  if (failedFile) {
    const secrets = hasSecrets(file) ? ', which also has the passwords' : '';
    tell(`${counted(failed, 'row')} would fail. The reasons are in ${shortPath(failedFile)}${secrets}.`);
    printTaken(result, task);
  }
  tell('Nothing was changed.');
}

function failedText(failed: number, path: string, task: ImportTask, file: ImportFile | null): string {
  const them = failed === 1 ? 'it' : 'them';
  const content = hasSecrets(file) ? 'reasons and passwords' : 'reasons';
  return `${counted(failed, 'row')} failed. Correct ${them} in ${shortPath(path)} (with ${content}), then run: ${commandFor(path, task)}`;
}

/** Returns true if the rows of a file may contain passwords or hashes. The records of a JSON file have no columns. */
function hasSecrets(file: ImportFile | null): boolean {
  const secrets: readonly (ImportField | null)[] = ['Password', 'ConfirmPassword', 'PasswordHash'];
  return (
    file !== null && (file.columns.length === 0 || file.columns.some(({ field }) => secrets.includes(field)))
  );
}

/** Explains how to change existing users, if most rows fail because their users exist. */
function printTaken(
  { failed, usernamesTaken }: Pick<ImportResult, 'failed' | 'usernamesTaken'>,
  { purpose, existing }: ImportTask,
): void {
  if (purpose !== 'register' || existing === 'update' || usernamesTaken * 2 <= failed) return;
  const users = usernamesTaken === 1 ? 'user exists' : 'users exist';
  tell(
    `${grouped(usernamesTaken)} ${users} already. To change existing users, use --update or "anagrafe sync".`,
  );
}

/** Returns the command that imports another file with the same options. */
function commandFor(
  path: string,
  { purpose, principal, columns, passwordsPath, existing }: ImportTask,
): string {
  const command = [
    commandLine(`${purpose === 'register' ? 'import' : 'reset'} ${shortPath(path)}`),
    ...(principal?.ID === undefined ? [] : [`--principal ${principal.ID}`]),
    ...(principal?.ExternalKey === undefined ? [] : [`--external-key "${principal.ExternalKey}"`]),
    ...Object.entries(columns).map(([column, field]) => `--map "${column}=${field ?? ''}"`),
    ...(existing === 'update' ? ['--update'] : []),
    ...(passwordsPath === null ? [] : ['--generate-passwords <another file>']),
  ];
  return command.join(' ');
}
