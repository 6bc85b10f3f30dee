import { ImportFileError } from './errors.ts';
import type { Parsed } from './json-element.ts';
import type { TextChunk } from './text.ts';

export type ScannedRow<Content> = {
  /** Number of the line on which the row begins, from 1. */
  readonly line: number;
  /** The text of a JSON element that cannot be parsed; absent or null for every other row. */
  readonly text?: string | null;
  /** True if an empty line is before the row of a table. */
  readonly isAfterBlank?: boolean;
} & Parsed<Content>;

/** Splits a text that arrives in chunks into rows. Throws an `ImportFileError` if it cannot continue. */
export interface Scanner<Content> {
  readonly line: number;
  /** The rows that were found and not yet taken. */
  found: ScannedRow<Content>[];
  feed(text: string): void;
  /** Completes the last row. Call it once, after the last chunk. */
  end(): void;
}

/** Yields the rows of each chunk. Yields the rows before an error first, and then throws the `ImportFileError`. */
async function* scan<Content>(
  chunks: AsyncIterable<TextChunk>,
  scanner: Scanner<Content>,
): AsyncGenerator<readonly ScannedRow<Content>[], void, undefined> {
  for await (const { text, error } of chunks) {
    const failure = failureOf(() => scanner.feed(text));
    yield takeFound(scanner);
    if (failure) throw failure;
    if (error) throw new ImportFileError(error(scanner.line));
  }
  const failure = failureOf(() => scanner.end());
  yield takeFound(scanner);
  if (failure) throw failure;
}

function takeFound<Content>(scanner: Scanner<Content>): readonly ScannedRow<Content>[] {
  const rows = scanner.found;
  scanner.found = [];
  return rows;
}

/** Returns the `ImportFileError` that `step` throws, or null. Rethrows every other error. */
function failureOf(step: () => void): ImportFileError | null {
  try {
    step();
    return null;
  } catch (error) {
    if (error instanceof ImportFileError) return error;
    throw error;
  }
}

/** The rows of a file with lookahead, to read the header before the other rows. */
export class ScannedRows<Content> {
  readonly #chunks: AsyncGenerator<readonly ScannedRow<Content>[], void, undefined>;
  #rows: readonly ScannedRow<Content>[] = [];

  constructor(chunks: AsyncIterable<TextChunk>, scanner: Scanner<Content>) {
    this.#chunks = scan(chunks, scanner);
  }

  /** Returns the next row without consuming it; null after the last row. */
  async peek(): Promise<ScannedRow<Content> | null> {
    while (this.#rows.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return null;
      this.#rows = next.value;
    }
    return this.#rows[0] ?? null;
  }

  async take(): Promise<ScannedRow<Content> | null> {
    const first = await this.peek();
    this.#rows = this.#rows.slice(1);
    return first;
  }

  /** Yields the rows that `take` has not consumed. Closes the source when the iteration ends, even early. */
  async *remaining(): AsyncGenerator<readonly ScannedRow<Content>[], void, undefined> {
    try {
      yield this.#rows;
      yield* this.#chunks;
    } finally {
      await this.#chunks.return();
    }
  }
}
