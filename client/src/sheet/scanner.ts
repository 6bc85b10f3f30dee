import type { Mark } from './bookmark.ts';
import { SheetError, type SheetFault } from './fault.ts';
import type { Piece } from './text/piece.ts';

/** A row as it was found in the text. */
export type Found<Content> = {
  /** On which it begins, from 1. */
  readonly line: number;
  readonly end: Mark;
} & Finding<Content>;

/** There is content beside a fault where the text can be trusted to mean it all the same. */
export type Finding<Content> =
  | { readonly content: Content; readonly fault: null }
  | { readonly content: Content | null; readonly fault: SheetFault };

/** Cuts a text that comes in pieces into rows. It throws a `SheetError` where it cannot go on. */
export interface Scanner<Content> {
  /** The line that is being read. */
  readonly line: number;
  readonly found: FoundList<Content>;
  feed(piece: Piece): void;
  end(): void;
}

/** The rows that were found and not yet taken. */
export class FoundList<Content> {
  #rows: Found<Content>[] = [];

  add(row: Found<Content>): void {
    this.#rows.push(row);
  }

  take(): Found<Content>[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

/** What was found before a fault is given before the fault is thrown. */
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

function failureOf(step: () => void): SheetError | null {
  try {
    step();
    return null;
  } catch (error) {
    if (error instanceof SheetError) return error;
    throw error;
  }
}
