import { relative } from 'node:path';
import type { Sheet } from '@anagrafe/client/sheet';
import { type ImportTools, runImport } from '../import/run.ts';
import type { ImportFigures, ImportTask } from '../import/task.ts';
import { tryImport } from '../import/trial.ts';
import { type ConnectionOptions, reach } from './connection.ts';
import { inUnits } from './duration.ts';
import { grouped, LiveLine, type Standing } from './live-line.ts';
import { exitCodes, print, tell } from './output.ts';

export interface RunOptions extends ConnectionOptions {
  readonly dryRun?: boolean;
  readonly restart?: boolean;
  readonly json?: boolean;
}

/** The operator has had enough. */
class Interrupted extends Error {}

/** Brings a file to the service, or tries it, and says how it goes. */
export async function bringFile(wish: Omit<ImportTask, 'url'>, options: RunOptions): Promise<void> {
  const { anagrafe, url } = await reach(options);
  const task = { ...wish, url };
  const line = new LiveLine();
  let begun = false;
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new Interrupted());
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  const tools: ImportTools = {
    anagrafe,
    signal: interruption.signal,
    onBegun(sheet, rowsBefore) {
      begun = !options.dryRun;
      greet(sheet, rowsBefore, task);
    },
    onProgress: (figures) => line.show(standingOf(figures, task, options)),
  };
  try {
    const work = options.dryRun ? tryOut : carryOut;
    const tellEnd = await work(task, tools, options);
    line.end({ keeping: true });
    tellEnd();
  } catch (error) {
    line.end({ keeping: true });
    if (begun && !(error instanceof Interrupted)) tell(howToGoOn);
    if (!(error instanceof Interrupted)) throw error;
    tell(options.dryRun ? 'Stopped.' : `Stopped. What was sent goes on. ${howToGoOn}`);
    process.exitCode = exitCodes.interrupted;
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

/** How many rows there are is not known before the end; the bytes tell about how many. */
function standingOf(
  { bytes, bytesDone, rowsDone, rowsFailed }: ImportFigures,
  { purpose }: ImportTask,
  { dryRun }: RunOptions,
): Standing {
  const guessed = bytesDone < bytes;
  return {
    state: dryRun ? 'checking' : purpose === 'register' ? 'importing' : 'resetting',
    done: rowsDone,
    total: bytesDone > 0 ? Math.round((rowsDone * bytes) / bytesDone) : null,
    guessed,
    unit: 'rows',
    failed: rowsFailed,
  };
}

const howToGoOn = 'Run the same command again to go on; nothing is done twice.';

function greet(sheet: Sheet, rowsBefore: number, { path, url, purpose }: ImportTask): void {
  const doing = purpose === 'register' ? 'Importing' : 'Resetting the passwords of';
  tell(`${doing} ${short(path)}: ${sheet.layout.format.toUpperCase()}, to ${url}`);
  for (const { name, field } of sheet.columns)
    if (field && field !== name) tell(`  "${name}" is read as ${field}`);
  if (sheet.unknown.length > 0)
    tell(`  Not read: ${sheet.unknown.map((name) => `"${name}"`).join(', ')} (--map says what a column is)`);
  if (rowsBefore > 0) tell(`  Going on after row ${grouped(rowsBefore)}.`);
}

async function carryOut(task: ImportTask, tools: ImportTools, options: RunOptions): Promise<() => void> {
  const { rows, failed } = await runImport(task, tools, { anew: options.restart ?? false });
  if (failed > 0) process.exitCode = exitCodes.someFailed;
  const files = filesOf(task, rows, failed);
  return () => {
    if (options.json) return print(JSON.stringify({ rows, applied: rows - failed, failed, ...files }));
    const verb = task.purpose === 'register' ? 'imported' : 'reset';
    tell(`${grouped(rows - failed)} of ${counted(rows)} ${verb}.`);
    if (files.failedFile) tell(`${those(failed)} failed ${whereFailed(failed, task)}`);
    if (files.passwordsFile) tell(`The new passwords are in ${short(files.passwordsFile)}; keep it safe.`);
  };
}

async function tryOut(task: ImportTask, tools: ImportTools, options: RunOptions): Promise<() => void> {
  const { samples, seconds, ...trial } = await tryImport(task, tools);
  const { rows, failed } = trial;
  if (failed > 0) process.exitCode = exitCodes.someFailed;
  const estimatedSeconds = Math.ceil(seconds * 10) / 10;
  return () => {
    if (options.json)
      return print(JSON.stringify({ dryRun: true, ...trial, estimatedSeconds, ...filesOf(task, 0, failed) }));
    tell(
      `${grouped(rows - failed)} of ${counted(rows)} would be done, in about ${inUnits(estimatedSeconds)}. Nothing was done.`,
    );
    for (const { line, sentences } of samples) tell(`  line ${line}: ${sentences.join(' ')}`);
    if (failed > samples.length) tell(`  … and ${grouped(failed - samples.length)} more`);
    if (failed > 0) tell(`${those(failed)} would fail ${whereFailed(failed, task)}`);
  };
}

function filesOf({ failedPath, passwordsPath }: ImportTask, rows: number, failed: number) {
  return {
    failedFile: failed > 0 ? failedPath : null,
    passwordsFile: rows > failed ? passwordsPath : null,
  };
}

function those(failed: number): string {
  return failed === 1 ? 'The one that' : `The ${grouped(failed)} that`;
}

function whereFailed(failed: number, { failedPath, purpose }: ImportTask): string {
  const [are, what] = failed === 1 ? ['is', 'it'] : ['are', 'them'];
  const command = purpose === 'register' ? 'import' : 'reset';
  const file = short(failedPath);
  return `${are} in ${file}, with the reason: correct ${what} there, then "anagrafe ${command} ${file}".`;
}

function counted(rows: number): string {
  return `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}`;
}

/** As it would be typed, where it lies below the folder at hand. */
function short(path: string): string {
  const from = relative(process.cwd(), path);
  return from.startsWith('..') ? path : from;
}
