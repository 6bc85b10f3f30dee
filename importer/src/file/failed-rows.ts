import { type FileLayout, rowUnit, type SourceRow } from './types.ts';

/** The columns that `FailedRows` adds before the columns of the original file. */
const lineColumns = { line: 'Anagrafe line', record: 'Anagrafe record' } as const;
const errorsColumn = 'Anagrafe errors';

/** Excel reads a CSV as UTF-8 only if it begins with this mark. */
export const byteOrderMark = '\ufeff';

/**
 * Formats the failed rows of a file as a file to correct and import again. A CSV has the original columns after two
 * added columns for the line and the errors; JSON and NDJSON become NDJSON, with such properties. Encode the text as UTF-8.
 *
 * `openImportFile` restores the original cells: it ignores the added columns and removes the apostrophes that protect
 * against CSV injection, and against spreadsheet programs that change numbers. A row whose cells could not be parsed is
 * written without cells and fails again until it is corrected.
 */
export class FailedRows {
  /** The text before the first row: byte order mark and header of a CSV; empty for JSON. */
  readonly head: string;
  /** The cells of the header of a table. */
  readonly header: readonly string[];
  readonly #layout: Pick<FileLayout, 'format' | 'separator'>;
  readonly #lineColumn: string;

  constructor(layout: Pick<FileLayout, 'format' | 'separator' | 'header'>) {
    const { format, header, separator } = layout;
    this.#layout = layout;
    this.#lineColumn = lineColumns[rowUnit(layout)];
    this.header = [this.#lineColumn, errorsColumn, ...originalCells(header, header)];
    this.head = format === 'csv' ? byteOrderMark + csvLine(this.header, separator) : '';
  }

  /** Formats one row with its line end. `messages` are the error messages of the row. */
  row(row: Pick<SourceRow, 'line' | 'source'>, messages: readonly string[]): string {
    const { line, source } = row;
    if (this.#layout.format !== 'csv')
      return `${JSON.stringify({ [this.#lineColumn]: line, [errorsColumn]: messages, ...source })}\n`;
    const [number = '', reasons = '', ...cells] = this.cells(row, messages);
    return csvLine([number, reasons, ...cells.map(protectNumber)], this.#layout.separator);
  }

  /** Returns the cells of one row of a table, for a workbook. */
  cells(
    { line, source }: Pick<SourceRow, 'line' | 'source'>,
    messages: readonly string[],
  ): readonly string[] {
    return [String(line), messages.join(' '), ...(Array.isArray(source) ? source : [])];
  }
}

/**
 * Returns a row of a workbook of failed rows. Its cells are texts, so that only a cell that begins with an apostrophe
 * which the reader would remove needs a further one.
 *
 * @param cells A result of `FailedRows.cells`.
 */
export function workbookRow([line = '', errors = '', ...cells]: readonly string[]): readonly string[] {
  return [line, errors, ...cells.map((cell) => (originalCell(cell) === cell ? cell : `'${cell}`))];
}

/** Returns the failed rows of a workbook as a workbook, as `FailedRows` writes those of other files. */
export async function failedWorkbook<Row extends Pick<SourceRow, 'line' | 'source'>>(
  writer: FailedRows,
  rows: readonly Row[],
  messages: (row: Row) => readonly string[],
): Promise<Uint8Array<ArrayBuffer>> {
  const { writeWorkbook } = await import('./workbook-writer.ts');
  return writeWorkbook([writer.header, ...rows.map((row) => workbookRow(writer.cells(row, messages(row))))]);
}

/** Returns the row that was written to a CSV file of failed rows, without the apostrophes that protect its cells. */
export function writtenRow(cells: readonly string[]): readonly string[] {
  return cells.map(originalCell);
}

export function isAddedColumn(name: string): boolean {
  return name === lineColumns.line || name === lineColumns.record || name === errorsColumn;
}

/**
 * Removes the columns and apostrophes that `FailedRows` adds. Its files are recognised even if one of the added columns
 * was deleted. Returns the cells of other files unchanged.
 */
export function originalCells(cells: readonly string[], header: readonly string[]): readonly string[] {
  if (!header.some(isAddedColumn)) return cells;
  return cells.filter((_, at) => !isAddedColumn(header[at] ?? '')).map(originalCell);
}

function originalCell(cell: string): string {
  return unprotectNumber(unescapeFormula(cell));
}

/** Formats one line of a CSV (RFC 4180) with its line end, CRLF. Formulas get an apostrophe against CSV injection. */
export function csvLine(cells: readonly string[], separator: string): string {
  const line = cells.map((cell) => quote(escapeFormula(cell), separator)).join(separator);
  // CsvScanner and other parsers skip a line without a quote or a value.
  return `${cells.every((cell) => cell === '') ? `""${line}` : line}\r\n`;
}

/**
 * Matches cells that a spreadsheet evaluates as a formula (CSV injection), also after white space and with full-width
 * characters. It accepts leading apostrophes, so that `unescapeFormula` can remove each one that `escapeFormula` adds.
 */
const formula = /^'*\s*?[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** Prefixes a formula with an apostrophe, so that a spreadsheet treats it as text. */
function escapeFormula(cell: string): string {
  return formula.test(cell) ? `'${cell}` : cell;
}

function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;
}

/**
 * Matches cells that a spreadsheet program reads as a number, a date or a time, and writes in another way: `00123`,
 * `1E5`, `3-4`, `2.0`, `MAR-12`. Whole numbers of up to 11 digits stay as they are. It accepts leading apostrophes, as
 * `formula` does.
 */
const changedNumber =
  /^'*(?:(?!(?:0|[1-9]\d{0,10})$)\d[\d.,:/\-\sEe+%]*|(?:jan(?:uary)?|gen(?:naio)?|feb(?:ruary|braio)?|mar(?:ch|zo)?|apr(?:ile?)?|may|mag(?:gio)?|june?|giu(?:gno)?|july?|lug(?:lio)?|aug(?:ust)?|ago(?:sto)?|sep(?:tember)?|set(?:tembre)?|oct(?:ober)?|ott(?:obre)?|nov(?:ember|embre)?|dec(?:ember)?|dic(?:embre)?)[\s./-]?\d{1,4})$/i;

/** Prefixes a number that a spreadsheet program would change with an apostrophe, so that it stays a text. */
function protectNumber(cell: string): string {
  return changedNumber.test(cell) ? `'${cell}` : cell;
}

function unprotectNumber(cell: string): string {
  return cell.startsWith("'") && changedNumber.test(cell.slice(1)) ? cell.slice(1) : cell;
}

function quote(cell: string, separator: string): string {
  const isPlain = !cell.includes(separator) && !/["\r\n]|^\s|\s$/.test(cell);
  return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
}
