import type { Encoding } from './text/encoding.ts';

export type SheetFormat = 'csv' | 'json' | 'ndjson';

/** How a file is laid out: what has to be known to read it from the middle. */
export interface SheetLayout {
  readonly format: SheetFormat;
  /** Null while only ASCII was read, which is the same in most encodings. */
  readonly encoding: Encoding | null;
  /** Between the cells of a CSV; empty for JSON. */
  readonly separator: string;
  /** The names of the columns as they stand in the file; for JSON those of the first flat row. */
  readonly header: readonly string[];
}

/** A place in the text, right after something that was read. */
export interface Mark {
  /** How many bytes of the file lie before it. */
  readonly byte: number;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Where a row ends. It can be kept as JSON; given as `from`, with the bytes from `byte` on, it makes the reading go on. */
export interface Bookmark extends Mark {
  /** The number of the row that ends here; 1 is the first after the header. */
  readonly row: number;
  readonly layout: SheetLayout;
}
