import type { ImportColumn } from './columns.ts';
import { originalCells } from './failed-rows.ts';
import type { ScannedRow } from './scan.ts';
import type { ImportField } from './types.ts';

/** The rows of a table that were left out, because they seem to be no data. */
export interface LeftOutRows {
  readonly rows: number;
  /** The lines of the first of these rows, at most `linesMax`. */
  readonly lines: readonly number[];
}

const linesMax = 5;
/** Maximum number of rows after an empty line that are held back until it is known if they end the file. */
const tailMax = 100;

const userColumns: readonly (ImportField | null)[] = ['Username', 'UserID'];
const keyColumns: readonly (ImportField | null)[] = ['ID', 'ExternalKey'];

/** `Totale`, `Tot.: 19`, `Totale generale`, `Grand total`. A company may be called Totale Srl. */
const totalWords =
  /^(?:(?:sub|gran(?:d)?)[\s-]*)?(?:tot\.?|total[ei]?|totals|subtotal[ei]?|somma|sum)(?:\s+(?:generale|complessivo|parziale|clienti|aziende|utenti|righe|records?|rows|users|customers))*\s*[:=]?\s*[\d.,]*$/i;
const numeric = /^[€$£]?\s*[+-]?\d[\d.,'\s]*[€$£%]?$/;

/**
 * Leaves out the rows of a table that have no user and seem to be no data: those with words such as "Totale", those with
 * numbers alone, and those that end the file after an empty line. A row with a key alone stays: its user was forgotten.
 * A row that repeats the headings, as printed pages and joined files do, is left out too.
 */
export class TotalsFilter {
  readonly #header: readonly string[];
  readonly #columns: readonly ImportColumn[];
  /** The positions of the columns that name a user. */
  readonly #ofUser: readonly number[];
  readonly #keepsTotals: boolean;
  #tail: ScannedRow<readonly string[]>[] | null = null;
  #rows = 0;
  readonly #lines: number[] = [];

  /**
   * @param header The header as written in the file.
   * @param columns The columns without those that `FailedRows` adds.
   */
  constructor(header: readonly string[], columns: readonly ImportColumn[], keepsTotals = false) {
    this.#header = header;
    this.#columns = columns;
    this.#ofUser = columns.flatMap(({ field }, at) => (userColumns.includes(field) ? [at] : []));
    this.#keepsTotals = keepsTotals;
  }

  get leftOut(): LeftOutRows {
    return { rows: this.#rows, lines: this.#lines.toSorted((one, other) => one - other) };
  }

  /** Returns the rows that are data. They may be those of an earlier call. */
  take(rows: readonly ScannedRow<readonly string[]>[]): readonly ScannedRow<readonly string[]>[] {
    if (this.#keepsTotals || this.#ofUser.length === 0) return rows;
    const data: ScannedRow<readonly string[]>[] = [];
    for (const row of rows) {
      const cells = originalCells(row.content ?? [], this.#header);
      const hasUser = row.content === null || this.#hasUser(cells);
      if ((!hasUser && this.#isTotal(cells)) || this.#isHeadings(cells)) {
        this.#leaveOut(row);
        continue;
      }
      if (!hasUser && row.isAfterBlank) this.#tail ??= [];
      this.#tail?.push(row);
      if (!this.#tail) data.push(row);
      else if (hasUser || this.#tail.length > tailMax) {
        data.push(...this.#tail);
        this.#tail = null;
      }
    }
    return data;
  }

  /** Must be called at the end of the file. */
  end(): void {
    for (const row of this.#tail ?? []) this.#leaveOut(row);
    this.#tail = null;
  }

  #leaveOut({ line }: { readonly line: number }): void {
    this.#rows++;
    if (this.#lines.length < linesMax) this.#lines.push(line);
  }

  /** The number in the column of the users of a row such as `Totale;;19` is no user. */
  #hasUser(cells: readonly string[]): boolean {
    const usernames = this.#ofUser.map((at) => (cells[at] ?? '').trim()).filter((cell) => cell !== '');
    const keys = cells.filter((_, at) => keyColumns.includes(this.#columns[at]?.field ?? null));
    const isTotal = keys.some((key) => totalWords.test(key.trim()));
    return usernames.some((name) => !isTotal || !numeric.test(name));
  }

  #isHeadings(cells: readonly string[]): boolean {
    return (
      cells.length === this.#columns.length && cells.every((cell, at) => cell === this.#columns[at]?.name)
    );
  }

  #isTotal(cells: readonly string[]): boolean {
    const filled = cells.map((cell) => cell.trim());
    if (filled.some((cell) => totalWords.test(cell))) return true;
    const isBesideKey = filled.some(
      (cell, at) => cell !== '' && !keyColumns.includes(this.#columns[at]?.field ?? null),
    );
    return isBesideKey && filled.every((cell) => cell === '' || numeric.test(cell));
  }
}
