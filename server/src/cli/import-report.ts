import { existsSync } from 'node:fs';
import { join, parse } from 'node:path';
import { type ImportField, type ImportFile, type Language, type RowUnit, rowUnit } from '@anagrafe/importer';
import type {
  CompletedRows,
  FileTask,
  ImportDryRun,
  ImportResult,
  ImportTask,
} from '@anagrafe/importer/node';
import { commandLine } from '../lib/operator-error.ts';
import { type ConnectionOptions, connectionArguments } from './connection.ts';
import {
  fileTitle,
  inFolder,
  lineList,
  printColumns,
  printLeftOut,
  printReasons,
  printUnusedColumns,
  printWarnings,
  shortPath,
  undoCommandFor,
} from './file-report.ts';
import { printImportTotals, totalsOf } from './import-totals.ts';
import { codesText } from './invitation-files.ts';
import { counted, grouped, inUnits, quoted, quotedIfNeeded } from './output/format.ts';
import { exitCodes, print, tell } from './output/output.ts';

export interface RunOptions extends ConnectionOptions {
  readonly dryRun?: boolean;
  readonly restart?: boolean;
  readonly json?: boolean;
  readonly saveMapping?: string;
  readonly language: Language;
}

const emptyFile = 'The file has no rows.';

/** Prints how the file is read, before its first row is sent. */
export function printHeader(
  file: ImportFile,
  before: CompletedRows,
  { path, url, purpose, principal, withoutKey, codesPath }: ImportTask,
  { dryRun }: RunOptions,
): void {
  const name = fileTitle(path, file);
  const isImport = purpose === 'register';
  if (dryRun) tell(`Checking ${name} for ${isImport ? 'an import to' : 'a password reset on'} ${url}`);
  else tell(isImport ? `Importing ${name} to ${url}` : `Resetting passwords from ${name} on ${url}`);
  printColumns(file);
  // A dry run describes these columns once it has read them.
  if (file.unknown.length > 0 && !dryRun)
    tell(`  Unused columns: ${file.unknown.map((name) => `"${name}"`).join(', ')} (map a column with --map)`);
  const has = (...fields: ImportField[]) => file.columns.some(({ field }) => field && fields.includes(field));
  if (isImport && principal === null && file.columns.length > 0 && !has('ID', 'ExternalKey'))
    tell(
      withoutKey === 'separate'
        ? `  No column with the ID or ExternalKey of the principal: each row ${dryRun ? 'would create' : 'creates'} a new principal, unless its user exists already.`
        : '  No column with the ID or ExternalKey of the principal: rows with the same VAT number, tax code or name are of one principal.',
    );
  if (before.rows > 0) tell(`  Resuming after row ${grouped(before.rows)}.`);
  if (before.rows > 0 && codesPath !== null)
    tell(`  Codes of later rows that ${shortPath(codesPath)} has already are replaced by new ones, and end.`);
}

/** Prints the result of an import, and sets the exit code. */
export function printResult(
  result: ImportResult,
  task: ImportTask,
  options: RunOptions,
  file: ImportFile | null,
): void {
  const { run, rows, failed, skipped, repeated, totals, reasons, failedPath, unparsedLines, warnings } =
    result;
  const applied = appliedOf(result);
  const unit = unitOf(file);
  const failedFile = failed > 0 ? failedPath : null;
  if (failedFile) process.exitCode = exitCodes.someFailed;
  const passwordsFile = result.hasPasswords ? task.passwordsPath : null;
  const codesFile = result.hasCodes ? task.codesPath : null;
  if (options.json) {
    const counts = { rows, applied, skipped, repeated, failed, failedFile, passwordsFile, codesFile };
    const found = { reasons, warnings: warnings.summaries, leftOut: file?.leftOut };
    print(JSON.stringify({ run, ...counts, ...totalsOf(totals, task), ...found }));
    return;
  }
  tell(rows === 0 ? emptyFile : `${grouped(applied)} of ${counted(rows, 'row')} applied.`);
  printSkipped(result, task, file);
  if (rows > 0) printImportTotals(totals, task);
  printReasons(reasons, unit);
  printWarnings(warnings, unit, file?.columns);
  if (file) printLeftOut(file);
  if (failedFile && failed === rows && failed === unparsedLines.length) {
    // The file of the failed rows has nothing to correct, and no row of the input was applied.
    tell(`${counted(failed, 'row')} failed. The reasons are in ${shortPath(failedFile)}.`);
    tell(
      `Correct ${lineList(unparsedLines, unit)} of ${shortPath(task.path)}, then run: ${commandFor(task.path, task, options)}`,
    );
  } else if (failedFile) {
    const them = failed === 1 ? 'it' : 'them';
    tell(
      `${counted(failed, 'row')} failed. Correct ${them} in ${shortPath(failedFile)} (with ${contentOf(file)}), then run: ${commandFor(failedFile, task, options)}`,
    );
    printTaken(result, task);
    for (const line of unparsedLines)
      tell(
        `  ${unit === 'record' ? 'Record' : 'Line'} ${line} could not be read, so its content is not in ${shortPath(failedFile)}. Copy it from ${shortPath(task.path)} and correct it.`,
      );
  }
  if (passwordsFile) tell(`The generated passwords are in ${shortPath(passwordsFile)}. Keep this file safe.`);
  if (codesFile) tell(codesText(codesFile));
  // The passwords before a reset are unknown.
  if (applied > 0 && task.purpose === 'register')
    tell(`To undo this import: ${undoCommandFor(run, options)}`);
}

/** Prints the result of a dry run, and sets the exit code. */
export function printDryRun(
  result: ImportDryRun,
  task: ImportTask,
  { json }: RunOptions,
  file: ImportFile | null,
): void {
  const { reasons, seconds, rows, failed, skipped, repeated, totals, wouldFailPath, warnings, unused } =
    result;
  const applied = appliedOf(result);
  const estimatedSeconds = Math.ceil(seconds * 10) / 10;
  const failedFile = failed > 0 ? wouldFailPath : null;
  if (failedFile) process.exitCode = exitCodes.someFailed;
  if (json) {
    const counts = { dryRun: true, rows, applied, skipped, repeated, failed, estimatedSeconds, failedFile };
    const found = { reasons, warnings: warnings.summaries, unusedColumns: unused, leftOut: file?.leftOut };
    print(JSON.stringify({ ...counts, ...totalsOf(totals, task), ...found }));
    return;
  }
  // The estimate contains the passwords to hash alone.
  const time = applied > 0 && estimatedSeconds > 0 ? `, in about ${inUnits(estimatedSeconds)}` : '';
  tell(
    rows === 0
      ? emptyFile
      : `Dry run: ${grouped(applied)} of ${counted(rows, 'row')} would be applied${time}.`,
  );
  printSkipped(result, task, file, { dryRun: true });
  if (rows > 0) printImportTotals(totals, task, { dryRun: true });
  printReasons(reasons, unitOf(file));
  printWarnings(warnings, unitOf(file), file?.columns);
  if (file) printLeftOut(file);
  printUnusedColumns(unused);
  if (failedFile) {
    tell(`${counted(failed, 'row')} would fail. See ${shortPath(failedFile)} (with ${contentOf(file)}).`);
    printTaken(result, task);
  }
  tell('Nothing was changed.');
}

/** Prints the results of the batches that an unfinished import has completed. */
export function printCompleted(completed: CompletedRows): void {
  const { rows, skipped, repeated, failed } = completed;
  if (rows === 0) {
    tell('No batch is complete yet. The service may have applied some rows.');
    return;
  }
  const others = [
    ...(skipped > 0 ? [`${grouped(skipped)} skipped`] : []),
    ...(repeated > 0 ? [`${grouped(repeated)} repeated`] : []),
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
  ];
  const results = [`${counted(appliedOf(completed), 'row')} applied`, ...others].join(', ');
  tell(`Completed batches: ${results}. The service may have applied further rows.`);
}

function appliedOf({ rows, skipped, repeated, failed }: CompletedRows): number {
  return rows - skipped - repeated - failed;
}

/** Prints the rows whose values were stored already, for example by an earlier import. */
function printSkipped(
  { skipped, skippedLines }: Pick<ImportResult, 'skipped' | 'skippedLines'>,
  { existing }: ImportTask,
  file: ImportFile | null,
  { dryRun = false } = {},
): void {
  if (skipped === 0) return;
  const values = `all of ${skipped === 1 ? 'its' : 'their'} values ${dryRun ? 'are' : 'were'} stored already`;
  // A progress file of an earlier version has no lines.
  const lines = skippedLines.length > 0 ? ` (${lineList(skippedLines, unitOf(file), skipped)})` : '';
  // With an update, the passwords that were not used are counted in the totals.
  const hasNote = existing === 'refuse' && hasSecrets(file);
  const note = dryRun
    ? ' Passwords are not compared, and would stay as they are.'
    : ' Passwords were not compared, and stay as they are.';
  tell(
    `  ${counted(skipped, 'row')} ${dryRun ? 'would be skipped' : 'skipped'}, because ${values}${lines}.${hasNote ? note : ''}`,
  );
}

/** Returns what the file of the failed rows contains besides their other values. */
function contentOf(file: ImportFile | null): string {
  return hasSecrets(file) ? 'reasons and passwords' : 'reasons';
}

function unitOf(file: ImportFile | null): RowUnit {
  return file ? rowUnit(file.layout) : 'line';
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

/** Returns a path like this one of a file that does not exist: the file with the passwords is not overwritten. */
function unusedName(path: string): string {
  const { dir, name, ext } = parse(path);
  for (let number = 2; ; number++) {
    const candidate = join(dir, `${name}-${number}${ext}`);
    if (!existsSync(candidate)) return inFolder(shortPath(candidate));
  }
}

type CommandTask = FileTask & Pick<ImportTask, 'similar' | 'moves' | 'withoutKey' | 'codesPath'>;

/** Returns the command that imports another file with the same options. */
export function commandFor(
  path: string,
  {
    purpose,
    principal,
    columns,
    passwordsPath,
    invite,
    codesPath,
    existing,
    similar,
    moves,
    withoutKey,
    keepsTotals,
  }: CommandTask,
  options: ConnectionOptions,
): string {
  const command = [
    commandLine(
      `${purpose === 'register' ? 'import' : 'reset'} ${quotedIfNeeded(inFolder(shortPath(path)))}`,
    ),
    ...(principal?.ID === undefined ? [] : [`--principal ${principal.ID}`]),
    ...(principal?.ExternalKey === undefined ? [] : [`--external-key ${quoted(principal.ExternalKey)}`]),
    ...Object.entries(columns).map(([column, field]) => `--map ${quoted(`${column}=${field ?? ''}`)}`),
    ...(existing === 'update' ? ['--update'] : []),
    ...(similar === 'allow' ? ['--similar allow'] : []),
    ...(moves === 'allow' ? ['--moves allow'] : []),
    ...(withoutKey === 'separate' ? ['--without-key separate'] : []),
    ...(keepsTotals ? ['--keep-totals'] : []),
    ...(invite === null ? [] : [`--invite ${invite}`]),
    ...(codesPath === null ? [] : [`--codes ${quotedIfNeeded(unusedName(codesPath))}`]),
    ...connectionArguments(options),
    ...(passwordsPath === null ? [] : [`--generate-passwords ${quotedIfNeeded(unusedName(passwordsPath))}`]),
  ];
  return command.join(' ');
}
