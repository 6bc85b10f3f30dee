import type { ImportRow } from '../file/rows.ts';
import type { ImportField } from '../file/types.ts';
import { type WarningCode, warningCodes } from '../file/values.ts';

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
    if (row.kind === 'invalid') return;
    for (const { code, field } of row.warnings) {
      const key = `${code} ${field}`;
      const summary = this.#summaries.get(key) ?? { code, field, rows: 0, lines: [] };
      summary.rows++;
      if (summary.lines.length < linesMax) summary.lines.push(row.line);
      this.#summaries.set(key, summary);
    }
  }

  /** The summaries by code, in the order of `warningCodes`. */
  get summaries(): readonly WarningSummary[] {
    return [...this.#summaries.values()].sort(
      (one, other) => warningCodes.indexOf(one.code) - warningCodes.indexOf(other.code),
    );
  }
}
