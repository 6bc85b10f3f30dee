import {
  type FileError,
  type ImportFile,
  ImportFileError,
  type ImportFileOptions,
  type ImportRow,
  openImportFile,
} from '../../importer/src/index.ts';

const encoder = new TextEncoder();

export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? encoder.encode(content) : content;
}

/** Encodes a text as Latin-1. Without the range 0x80 to 0x9f, this equals Windows-1252. */
export function latin(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Yields the bytes in chunks that end at these offsets, in any order. */
export async function* cut(content: string | Uint8Array, cuts: readonly number[] = []) {
  const bytes = bytesOf(content);
  let start = 0;
  for (const end of [...cuts].sort((a, b) => a - b)) {
    yield bytes.subarray(start, end);
    start = Math.max(start, end);
  }
  yield bytes.subarray(start);
}

export interface Read {
  readonly file: ImportFile | null;
  readonly rows: ImportRow[];
  /** The error that stopped the reading; null if the file was read to its end. */
  readonly error: FileError | null;
}

/** Reads a file to its end or to the first `ImportFileError`. */
export async function readFile(
  content: string | Uint8Array,
  options: ImportFileOptions = {},
  cuts: readonly number[] = [],
): Promise<Read> {
  const rows: ImportRow[] = [];
  let file: ImportFile | null = null;
  try {
    file = await openImportFile(cut(content, cuts), options);
    for await (const row of file) rows.push(row);
    return { file, rows, error: null };
  } catch (error) {
    if (error instanceof ImportFileError) return { file, rows, error: error.detail };
    throw error;
  }
}

/** A valid header for tests in which the meaning of the columns does not matter. */
export const anyHeader = ['Username', 'Password', 'ExternalKey', 'Note'];

/** Returns the cells of each row of a CSV; null for a row that could not be split. */
export function cellsOf(read: Read): unknown[] {
  return read.rows.map(({ source }) => source);
}

/** Returns the errors of each invalid row by its row number, from 1. */
export function errorsOf(read: Read): Record<number, unknown[]> {
  return Object.fromEntries(
    read.rows.flatMap((row) =>
      row.kind === 'invalid'
        ? [[row.number, row.errors.map(({ code, params }) => ({ code, ...params }))]]
        : [],
    ),
  );
}
