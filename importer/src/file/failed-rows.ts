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
 * against CSV injection. A row whose cells could not be parsed is written without cells and fails again until it is
 * corrected.
 */
export class FailedRows {
  /** The text before the first row: byte order mark and header of a CSV; empty for JSON. */
  readonly head: string;
  readonly #layout: Pick<FileLayout, 'format' | 'separator'>;
  readonly #lineColumn: string;

  constructor(layout: Pick<FileLayout, 'format' | 'separator' | 'header'>) {
    const { format, header, separator } = layout;
    this.#layout = layout;
    this.#lineColumn = lineColumns[rowUnit(layout)];
    this.head =
      format === 'csv'
        ? byteOrderMark +
          csvLine([this.#lineColumn, errorsColumn, ...originalCells(header, header)], separator)
        : '';
  }

  /** Formats one row with its line end. `messages` are the error messages of the row. */
  row({ line, source }: Pick<SourceRow, 'line' | 'source'>, messages: readonly string[]): string {
    if (this.#layout.format !== 'csv')
      return `${JSON.stringify({ [this.#lineColumn]: line, [errorsColumn]: messages, ...source })}\n`;
    const cells = Array.isArray(source) ? source : [];
    return csvLine([String(line), messages.join(' '), ...cells], this.#layout.separator);
  }
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
  return cells.filter((_, at) => !isAddedColumn(header[at] ?? '')).map(unescapeFormula);
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

function quote(cell: string, separator: string): string {
  const isPlain = !cell.includes(separator) && !/["\r\n]|^\s|\s$/.test(cell);
  return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
}
