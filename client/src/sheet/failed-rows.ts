import type { SheetLayout } from './bookmark.ts';
import { faultsColumn, lineColumn } from './columns/our-columns.ts';
import { originalCells } from './csv/cells.ts';
import { csvLine } from './csv/line.ts';
import type { SheetItem } from './item.ts';

/** Excel reads a CSV as UTF-8 only if it begins with this mark. */
export const byteOrderMark = '\ufeff';

/**
 * Formats the failed rows of a file as a file to correct and import again. A CSV has the original columns after two
 * added columns for the line and the errors; JSON and NDJSON become NDJSON. Encode the text as UTF-8.
 *
 * `openSheet` restores the original cells: it ignores the added columns and removes the apostrophes that protect
 * against CSV injection. A row whose cells could not be parsed is written without cells and fails again until it is
 * corrected.
 */
export class FailedRows {
  /** The text before the first row: byte order mark and header of a CSV; empty for JSON. */
  readonly head: string;
  readonly #layout: SheetLayout;

  constructor(layout: SheetLayout) {
    const { format, header, separator } = layout;
    this.#layout = layout;
    this.head =
      format === 'csv'
        ? byteOrderMark + csvLine([lineColumn, faultsColumn, ...originalCells(header, header)], separator)
        : '';
  }

  /** Formats one row with its line end. `sentences` are the error messages of the row. */
  row({ line, source }: Pick<SheetItem, 'line' | 'source'>, sentences: readonly string[]): string {
    if (this.#layout.format !== 'csv')
      return `${JSON.stringify({ [lineColumn]: line, [faultsColumn]: sentences, ...source })}\n`;
    const cells = Array.isArray(source) ? source : [];
    return csvLine([String(line), sentences.join(' '), ...cells], this.#layout.separator);
  }
}
