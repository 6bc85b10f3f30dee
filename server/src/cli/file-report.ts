import { relative } from 'node:path';
import type {
  ColumnContent,
  ImportField,
  ImportFile,
  ReasonSummary,
  RowUnit,
  UnusedColumn,
  WarningLog,
} from '@anagrafe/importer';
import { namesByField, rowUnit } from '@anagrafe/importer';
import { commandLine } from '../lib/operator-error.ts';
import { type ConnectionOptions, connectionArguments } from './connection.ts';
import { counted, quoted } from './output/format.ts';
import { tell } from './output/output.ts';

/** Returns the name of a file with its format: `users.xlsx (XLSX, sheet "Clienti")`. */
export function fileTitle(path: string, { layout: { format, sheet } }: ImportFile): string {
  return `${shortPath(path)} (${sheet === undefined ? format.toUpperCase() : `XLSX, sheet "${sheet}"`})`;
}

/** Returns a path inside the current folder as a relative path, any other unchanged. */
export function shortPath(path: string): string {
  const from = relative(process.cwd(), path);
  return from.startsWith('..') ? path : from;
}

/** Returns a path that a command does not mistake for an option. */
export function inFolder(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

/** Returns the command that undoes a run. */
export function undoCommandFor(run: string, options: ConnectionOptions): string {
  return [commandLine(`undo ${run}`), ...connectionArguments(options)].join(' ');
}

/** Prints the columns whose names differ from those of their fields. */
export function printColumns({ columns }: ImportFile): void {
  for (const { name, field, alternative } of columns) {
    if (!field || (field === name && !alternative)) continue;
    const owner = (of: ImportField) => (of === 'FirstName' || of === 'LastName' ? 'user' : 'principal');
    const choice = alternative
      ? ` of the ${owner(field)}; for the ${owner(alternative)}: --map ${quoted(`${name}=${alternative}`)}`
      : '';
    tell(`  Column "${name}" maps to ${field}${choice}`);
  }
}

/** Prints the columns that are not used, with the kind of their values. */
export function printUnusedColumns(unused: readonly UnusedColumn[]): void {
  for (const { name, content, values } of unused) {
    const found = content === 'empty' ? contents.empty : `${contents[content]} in ${counted(values, 'row')}`;
    tell(`  Column "${name}" is not used (${found}). To use it: --map ${quoted(`${name}=<field>`)}`);
  }
}

const contents: Readonly<Record<ColumnContent, string>> = {
  empty: 'empty',
  emails: 'email addresses',
  dates: 'dates',
  numbers: 'numbers',
  booleans: 'yes or no',
  texts: 'text',
};

/** Maximum number of reasons that are printed. */
const reasonsMax = 10;

/** Prints the most frequent reasons of failed rows, each with its first lines. */
export function printReasons(reasons: readonly ReasonSummary[], unit: RowUnit): void {
  // A line that says that there is one more would take as much room as the reason itself.
  const shown = reasons.length === reasonsMax + 1 ? reasons : reasons.slice(0, reasonsMax);
  for (const { message, messagesDiffer, rows, lines } of shown) {
    const count = rows > lines.length ? ` (${counted(rows, 'row')})` : '';
    const owner = messagesDiffer ? ` (message of ${unit} ${lines[0]})` : '';
    tell(`  ${lineList(lines, unit, rows)}${count}: ${message}${owner}`);
  }
  if (reasons.length > shown.length) tell('  … and other reasons');
}

/** Prints the rows that were left out because they seem to be totals. */
export function printLeftOut({
  leftOut: { rows, lines },
  layout,
}: Pick<ImportFile, 'leftOut' | 'layout'>): void {
  if (rows === 0) return;
  const [what, them] =
    rows === 1 ? ['seems to be a total or headings', 'it is'] : ['seem to be totals or headings', 'they are'];
  tell(
    `  ${counted(rows, 'row')} ${what}, so ${them} left out (${lineList(lines, rowUnit(layout), rows)}). To keep: --keep-totals`,
  );
}

/** Prints what may be a mistake in a row, but is no error. */
export function printWarnings(
  { summaries }: WarningLog,
  unit: RowUnit,
  columns: ImportFile['columns'] = [],
): void {
  const names = namesByField(columns);
  for (const { code, field, rows, lines } of summaries)
    tell(
      `  ${names.get(field) ?? field}: ${warningTexts[code]} in ${counted(rows, 'row')} (${lineList(lines, unit, rows)})`,
    );
}

const warningTexts: Readonly<Record<WarningLog['summaries'][number]['code'], string>> = {
  TRIMMED: 'spaces before or after the value are removed',
  LEADING_ZEROS_LOST: 'zeros at the beginning of the number seem to be lost',
  VATNUMBER_INVALID: 'not a valid Italian VAT number',
  TAXCODE_INVALID: 'not a valid Italian tax code',
  ROW_REPEATED: 'exact copy of an earlier row, which is left out,',
};

/**
 * Formats line numbers: `line 3`, or `lines 3, 4, …`; for a JSON array `record 3`.
 *
 * @param total The number of all lines, if `lines` has only the first of them.
 */
export function lineList(lines: readonly number[], unit: RowUnit, total: number = lines.length): string {
  const more = total > lines.length ? ', …' : '';
  return `${total === 1 ? unit : `${unit}s`} ${lines.join(', ')}${more}`;
}
