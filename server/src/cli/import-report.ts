import { relative } from 'node:path';
import type { Sheet, SheetField } from '@anagrafe/client/sheet';
import type { ImportResult } from '../import/run.ts';
import type { ImportTask } from '../import/task.ts';
import type { Trial } from '../import/trial.ts';
import { inUnits } from './duration.ts';
import { grouped } from './live-line.ts';
import { print, tell } from './output.ts';

/** Says how a file is understood. */
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

export function tellTrial({ samples, seconds, rows, failed }: Trial, task: ImportTask, json: boolean): void {
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

/** With the command that takes them up again. */
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

/** As it would be typed, where it lies below the folder at hand. */
function short(path: string): string {
  const from = relative(process.cwd(), path);
  return from.startsWith('..') ? path : from;
}
