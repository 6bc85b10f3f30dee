import type { Bookmark, SheetItem } from '@anagrafe/client/sheet';

/** Rows that are sent together. */
export interface Batch {
  readonly items: readonly SheetItem[];
  /** Where the last one ends. */
  readonly end: Bookmark;
}

export interface BatchLimits {
  readonly rows: number;
  /** Of the file. */
  readonly bytes: number;
}

/** A job of so many rows takes seconds; a file of a million does not stand in memory. */
export const batchLimits: BatchLimits = { rows: 2000, bytes: 4_000_000 };

/** Always cuts the same file at the same places, from whichever of them it begins. */
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
