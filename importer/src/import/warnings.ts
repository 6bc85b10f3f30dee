import type { ImportRow } from '../file/rows.ts';
import type { ImportField } from '../file/types.ts';
import { type RowWarning, type WarningCode, warningCodes } from '../file/values.ts';

/** The rows with one kind of warning about one field. */
export interface WarningSummary {
  readonly code: WarningCode;
  readonly field: ImportField;
  readonly rows: number;
  /** The lines of the first of these rows, at most `linesMax`. */
  readonly lines: readonly number[];
}

/** Maximum number of lines in a summary. */
const linesMax = 5;

/** Counts the warnings of the rows of a file. Its size depends on the number of fields, not on that of the rows. */
export class WarningLog {
  readonly #summaries = new Map<
    string,
    { code: WarningCode; field: ImportField; rows: number; lines: number[] }
  >();

  add(row: ImportRow): void {
    for (const warning of row.kind === 'invalid' ? [] : row.warnings) this.#count(row.line, warning);
  }

  /** Adds a row that is an exact copy of an earlier one. */
  addCopy({ line }: Pick<ImportRow, 'line'>): void {
    this.#count(line, { code: 'ROW_REPEATED', field: 'Username' });
  }

  #count(line: number, { code, field }: RowWarning): void {
    const key = `${code} ${field}`;
    const summary = this.#summaries.get(key) ?? { code, field, rows: 0, lines: [] };
    summary.rows++;
    if (summary.lines.length < linesMax) summary.lines.push(line);
    this.#summaries.set(key, summary);
  }

  /** The summaries by code, in the order of `warningCodes`. */
  get summaries(): readonly WarningSummary[] {
    return [...this.#summaries.values()].sort(
      (one, other) => warningCodes.indexOf(one.code) - warningCodes.indexOf(other.code),
    );
  }
}
