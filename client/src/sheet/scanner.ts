import type { Mark } from './bookmark.ts';
import { SheetError, type SheetFault } from './fault.ts';
import type { Piece } from './text/piece.ts';

/** A row that a scanner found. */
export type Found<Content> = {
  /** Number of the line on which the row begins, from 1. */
  readonly line: number;
  readonly end: Mark;
} & Finding<Content>;

/** The content of a row, its error, or both if the row could be parsed reliably in spite of the error. */
export type Finding<Content> =
  | { readonly content: Content; readonly fault: null }
  | { readonly content: Content | null; readonly fault: SheetFault };

/** Splits a text that arrives in pieces into rows. Throws a `SheetError` if it cannot continue. */
export interface Scanner<Content> {
  /** Number of the current line, from 1. */
  readonly line: number;
  readonly found: FoundList<Content>;
  feed(piece: Piece): void;
  /** Completes the last row. Call it once, after the last piece. */
  end(): void;
}

/** The rows that were found and not yet taken. */
export class FoundList<Content> {
  #rows: Found<Content>[] = [];

  add(row: Found<Content>): void {
    this.#rows.push(row);
  }

  /** Returns the rows and empties the list. */
  take(): Found<Content>[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

/** Yields the rows of each piece. Yields the rows before an error first, and then throws the `SheetError`. */
export async function* scan<Content>(
  pieces: AsyncIterable<Piece>,
  scanner: Scanner<Content>,
): AsyncGenerator<readonly Found<Content>[], void, undefined> {
  for await (const piece of pieces) {
    const failure = failureOf(() => scanner.feed(piece));
    yield scanner.found.take();
    if (failure) throw failure;
    if (piece.fault) throw new SheetError(piece.fault(scanner.line));
  }
  const failure = failureOf(() => scanner.end());
  yield scanner.found.take();
  if (failure) throw failure;
}

/** Returns the `SheetError` that `step` throws, or null. Rethrows every other error. */
function failureOf(step: () => void): SheetError | null {
  try {
    step();
    return null;
  } catch (error) {
    if (error instanceof SheetError) return error;
    throw error;
  }
}
