import type { Bookmark, ColumnMapping, Encoding, SheetItem, SheetPrincipal } from '@anagrafe/client/sheet';

/** An import of one file: its options, and the paths of the files it reads and writes. */
export interface ImportTask {
  readonly purpose: 'register' | 'reset';
  /** Absolute path of the imported file. */
  readonly path: string;
  /** Base URL of the service. */
  readonly url: string;
  /** Public key of the API client; null if there is no credential. */
  readonly caller: string | null;
  readonly columns: ColumnMapping;
  /** Null detects the encoding. */
  readonly encoding: Encoding | null;
  /** Null detects the separator. */
  readonly separator: string | null;
  /** The principal of rows that name none; null if there is no default. */
  readonly principal: SheetPrincipal | null;
  /** File for generated passwords; null generates none. */
  readonly passwordsPath: string | null;
  readonly failedPath: string;
  /** File for the rows that would fail, written by a dry run. */
  readonly wouldFailPath: string;
  readonly progressPath: string;
}

/** The reason why an import stopped. The message is shown to the operator unchanged. */
export class ImportError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ImportError';
  }
}

/** The progress of an import. */
export interface ImportFigures {
  /** Bytes of the file up to the last completed row; estimated inside a batch. */
  readonly bytesDone: number;
  /** Size of the file. */
  readonly bytes: number;
  readonly rowsDone: number;
  readonly rowsFailed: number;
}

/** Rows that are sent together. */
export interface Batch {
  readonly items: readonly SheetItem[];
  /** The position in the file after the last row. */
  readonly end: Bookmark;
}

export interface BatchLimits {
  readonly rows: number;
  /** Bytes of the file. */
  readonly bytes: number;
}

/** A job of this size takes seconds, and the memory use does not depend on the size of the file. */
export const batchLimits: BatchLimits = { rows: 2000, bytes: 4_000_000 };

/**
 * Splits a file into batches. `startByte` is the start of the file or the end of a batch; from there on, the same file
 * always has the same batches.
 */
export async function* inBatches(
  sheet: AsyncIterable<SheetItem>,
  limits: BatchLimits,
  startByte: number,
): AsyncGenerator<Batch> {
  let items: SheetItem[] = [];
  let start = startByte;
  for await (const item of sheet) {
    items.push(item);
    if (items.length < limits.rows && item.end.byte - start < limits.bytes) continue;
    yield { items, end: item.end };
    items = [];
    start = item.end.byte;
  }
  const last = items.at(-1);
  if (last) yield { items, end: last.end };
}
