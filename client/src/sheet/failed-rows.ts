import type { SheetLayout } from './bookmark.ts';
import { faultsColumn, lineColumn } from './columns/our-columns.ts';
import { originalCells } from './csv/cells.ts';
import { csvLine } from './csv/line.ts';
import type { SheetItem } from './item.ts';

/** Without it Excel would not take the file for UTF-8. */
export const byteOrderMark = '\ufeff';

/**
 * Writes the rows that failed into a file of their own, to be corrected and read again: as CSV with the columns of the
 * file that was read behind two of ours, or, where that was JSON, one object per line. To be written as UTF-8.
 *
 * Reading it back gives the original cells: our columns are passed over, and the apostrophes that keep a spreadsheet from
 * computing a cell are taken away. A row of which the cells could not be told has none here either; it is a fault
 * again, until it is corrected.
 */
export class FailedRows {
  /** What comes before the first row. */
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

  /** One row, with sentences that say what is wrong with it. */
  row({ line, source }: Pick<SheetItem, 'line' | 'source'>, sentences: readonly string[]): string {
    if (this.#layout.format !== 'csv')
      return `${JSON.stringify({ [lineColumn]: line, [faultsColumn]: sentences, ...source })}\n`;
    const cells = Array.isArray(source) ? source : [];
    return csvLine([String(line), sentences.join(' '), ...cells], this.#layout.separator);
  }
}
