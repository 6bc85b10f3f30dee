import { describeRowError, type ErrorTextOptions } from './italian.ts';
import type { RowError } from './row-errors.ts';

/** The failed rows with one kind of error in one column. */
export interface ReasonSummary {
  /** The code of the error; null if the service has refused the row as a whole. */
  readonly code: string | null;
  readonly column: string | null;
  /** The error of the first of these rows, with its column, in the language of the import. */
  readonly message: string;
  /** True if the messages of other rows differ, for example in a value. */
  readonly messagesDiffer: boolean;
  readonly rows: number;
  /** The lines of the first of these rows, at most `linesMax`. */
  readonly lines: readonly number[];
}

/** Maximum number of lines in a summary. */
const linesMax = 5;
/** Maximum number of summaries. They are a part of the progress file, which is written several times for each batch. */
const summariesMax = 100;
/** Maximum length of a message in UTF-16 code units. */
const messageMax = 600;

/** Counts the reasons of failed rows. Its size does not depend on the number of rows. */
export class ReasonLog {
  readonly #texts: ErrorTextOptions;
  readonly #summaries = new Map<string, ReasonSummary>();

  /** @param saved The summaries of an interrupted run. */
  constructor(texts: ErrorTextOptions, saved: readonly ReasonSummary[] = []) {
    this.#texts = texts;
    for (const summary of saved) this.#summaries.set(keyOf(summary), summary);
  }

  /** Adds the errors of a row, which counts once for each kind of error. */
  add(line: number, errors: readonly RowError[]): void {
    const seen = new Set<string>();
    for (const error of errors) {
      const message = shorten(describeRowError(error, this.#texts));
      const code = error.code ?? error.serviceCode ?? error.fileError?.code ?? null;
      const kind = { code, column: error.column ?? columnOfFile(error), message };
      const key = keyOf(kind);
      if (seen.has(key)) continue;
      seen.add(key);
      const before = this.#summaries.get(key);
      if (before)
        this.#summaries.set(key, {
          ...before,
          messagesDiffer: before.messagesDiffer || before.message !== message,
          rows: before.rows + 1,
          lines: before.lines.length < linesMax ? [...before.lines, line] : before.lines,
        });
      else if (this.#summaries.size < summariesMax)
        this.#summaries.set(key, { ...kind, messagesDiffer: false, rows: 1, lines: [line] });
    }
  }

  /** The summaries, the most frequent first. */
  get summaries(): readonly ReasonSummary[] {
    return [...this.#summaries.values()].sort((one, other) => other.rows - one.rows);
  }
}

/** Returns the column or field of an error of the file, whose message contains it; null if it has none. */
function columnOfFile({ fileError }: RowError): string | null {
  const params: object = fileError?.params ?? {};
  if ('field' in params) return String(params.field);
  // Besides a line, the column is a position in the text.
  return 'column' in params && !('line' in params) ? String(params.column) : null;
}

/** Users of a record with the same error have one key, although the paths have other indexes. */
function keyOf({ code, column, message }: Pick<ReasonSummary, 'code' | 'column' | 'message'>): string {
  return JSON.stringify([code ?? message, column?.replace(/\[\d+\]/g, '[]')]);
}

function shorten(text: string): string {
  return text.length > messageMax ? `${text.slice(0, messageMax)}…` : text;
}
