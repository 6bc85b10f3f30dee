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

/** Windows-1252 for texts that have nothing beyond Latin-1 in them. */
export function latin(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** The bytes as a stream that is cut at these places. */
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
  /** What ended the reading early. */
  readonly error: SheetFault | null;
}

/** Reads a whole sheet. */
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

/** The header of the sheets of these tests, whose cells are of no concern to them. */
export const anyHeader = ['Username', 'Password', 'ExternalKey', 'Note'];

/** The cells of a CSV whose first line is `anyHeader`. */
export function cellsOf(read: Read): unknown[] {
  return read.items.map(({ source }) => source);
}

/** The faults of the rows by their numbers. */
export function faultsOf(read: Read): Record<number, unknown[]> {
  return Object.fromEntries(
    read.items.flatMap((item) =>
      item.kind === 'fault'
        ? [[item.row, item.faults.map(({ code, figures }) => ({ code, ...figures }))]]
        : [],
    ),
  );
}
