import type { Encoding } from './text/encoding.ts';

export type SheetFormat = 'csv' | 'json' | 'ndjson';

/** The format of a file: the state that is needed to continue reading in the middle of it. */
export interface SheetLayout {
  readonly format: SheetFormat;
  /** Null while only ASCII was read, which does not determine the encoding. */
  readonly encoding: Encoding | null;
  /** The character between the cells of a CSV; empty for JSON. */
  readonly separator: string;
  /** The column names as written in the file. For JSON, the names in the first row if that is a flat object. */
  readonly header: readonly string[];
}

/** A position in the file, directly after a row. */
export interface Mark {
  /** Zero-based byte offset from the beginning of the file. */
  readonly byte: number;
  /** Line number, from 1. */
  readonly line: number;
  /** Column number in UTF-16 code units, from 1. */
  readonly column: number;
}

/**
 * The end of a row, serialisable as JSON. To continue after that row, call `openSheet` with it as `from` and with the
 * bytes from `byte` on.
 */
export interface Bookmark extends Mark {
  /** The number of the row that ends here. The first row after the header is 1. */
  readonly row: number;
  readonly layout: SheetLayout;
}
