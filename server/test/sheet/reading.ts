import {
  openSheet,
  type Sheet,
  SheetError,
  type SheetFault,
  type SheetItem,
  type SheetOptions,
} from '../../../client/src/sheet/index.ts';

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
  readonly sheet: Sheet | null;
  readonly items: SheetItem[];
  /** The error that stopped the reading; null if the sheet was read to its end. */
  readonly error: SheetFault | null;
}

/** Reads a sheet to its end or to the first `SheetError`. */
export async function readSheet(
  content: string | Uint8Array,
  options: SheetOptions = {},
  cuts: readonly number[] = [],
): Promise<Read> {
  const items: SheetItem[] = [];
  let sheet: Sheet | null = null;
  try {
    sheet = await openSheet(cut(content, cuts), options);
    for await (const item of sheet) items.push(item);
    return { sheet, items, error: null };
  } catch (error) {
    if (error instanceof SheetError) return { sheet, items, error: error.fault };
    throw error;
  }
}

/** A valid header for tests in which the meaning of the columns does not matter. */
export const anyHeader = ['Username', 'Password', 'ExternalKey', 'Note'];

/** Returns the cells of each row of a CSV; null for a row that could not be split. */
export function cellsOf(read: Read): unknown[] {
  return read.items.map(({ source }) => source);
}

/** Returns the errors of each invalid row by its row number, from 1. */
export function faultsOf(read: Read): Record<number, unknown[]> {
  return Object.fromEntries(
    read.items.flatMap((item) =>
      item.kind === 'fault'
        ? [[item.row, item.faults.map(({ code, figures }) => ({ code, ...figures }))]]
        : [],
    ),
  );
}
