import type { SheetColumn } from '../columns/columns.ts';
import type { SheetField } from '../columns/fields.ts';
import { areOurs, isOurs } from '../columns/our-columns.ts';
import { fault, type SheetFault } from '../fault.ts';
import { type Meaning, meant, type RowReader } from '../item.ts';
import { readUser, type Terms } from '../user.ts';
import { rearmed } from './line.ts';

type Cells = readonly string[];

/** Removes the columns and apostrophes that `FailedRows` adds. Returns the cells of other files unchanged. */
export function originalCells(cells: Cells, header: Cells): Cells {
  if (!areOurs(header)) return cells;
  return cells.filter((_, at) => !isOurs(header[at] ?? '')).map(rearmed);
}

/** Interprets the rows of a CSV by its columns. */
export class CellReader implements RowReader<Cells> {
  readonly #header: Cells;
  readonly #columns: readonly SheetColumn[];
  readonly #terms: Terms;
  /** True if the file has a column for `ConfirmPassword`. Without one, the password confirms itself. */
  readonly #hasConfirmation: boolean;

  /**
   * @param header The header as written in the file.
   * @param columns The columns without those that `FailedRows` adds.
   */
  constructor(header: Cells, columns: readonly SheetColumn[], terms: Terms) {
    this.#header = header;
    this.#columns = columns;
    this.#terms = terms;
    this.#hasConfirmation = columns.some(({ field }) => field === 'ConfirmPassword');
  }

  original(cells: Cells): Cells {
    return originalCells(cells, this.#header);
  }

  meaning(cells: Cells): Meaning {
    const expected = this.#columns.length;
    if (cells.length !== expected)
      return { kind: 'fault', faults: [fault('WRONG_CELL_COUNT', { expected, found: cells.length })] };
    const faults: SheetFault[] = [];
    const values: { [Field in SheetField]?: string } = {};
    for (const [at, { field, kind }] of this.#columns.entries()) {
      const cell = cells[at];
      if (cell === undefined || cell === '') continue;
      if (field !== null) values[field] = cell;
      else if (kind === 'unnamed') faults.push(fault('UNNAMED_COLUMN', { column: at + 1 }));
    }
    if (!this.#hasConfirmation && values.Password !== undefined) values.ConfirmPassword = values.Password;
    return faults.length > 0 ? { kind: 'fault', faults } : meant(readUser(values, this.#terms));
  }
}
