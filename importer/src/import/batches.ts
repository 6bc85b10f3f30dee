import type { ImportFile } from '../file/open.ts';
import type { ImportRow } from '../file/rows.ts';
import type { RowSource } from '../file/types.ts';
import { principalKeyOf, principalOf, statesValues } from './records.ts';

export interface Batch {
  readonly rows: readonly ImportRow[];
  /** The number of the last row that was read when the batch was complete, which may be after its own rows. */
  readonly rowsRead: number;
  /** Bytes of the file that were read until then. */
  readonly bytesRead: number;
}

export interface BatchLimits {
  readonly rows: number;
  /** Sum of the lengths of the cells or of the JSON text, in UTF-16 code units. */
  readonly characters: number;
}

/** A job of this size takes seconds, and the memory use does not depend on the size of the file. */
export const batchLimits: BatchLimits = { rows: 2000, characters: 8_000_000 };

/**
 * A batch whose rows are not sorted by principal may have this many times as many rows: fewer records then have more
 * rows each, which is about twice as fast.
 */
const unsortedTimes = 20;

/** Finds out if rows are sorted by principal. */
class PrincipalOrder {
  readonly #keys = new Set<string>();
  #runs = 0;
  #last: string | null = null;

  add(row: ImportRow): void {
    const key = row.kind === 'invalid' ? null : principalKeyOf(row);
    if (key === null || key === this.#last) return;
    this.#runs++;
    this.#keys.add(key);
    this.#last = key;
  }

  /** False if many principals have several groups of rows that are not next to each other. */
  get isSorted(): boolean {
    return this.#runs <= 1.2 * this.#keys.size;
  }
}

/**
 * Splits the rows of a file after the row number `after` into batches. The limits depend on the content of the rows
 * alone, so that the same file always has the same batches if `after` is 0 or the end of a batch. A batch does not end
 * between two rows of a principal, unless it would have twice the size: two batches with a common principal cannot be
 * sent at the same time.
 *
 * @param onSkipped Called with the rows up to `after`, in batches with the same limits.
 */
export async function* inBatches(
  file: ImportFile,
  limits: BatchLimits,
  after = 0,
  onSkipped: (rows: readonly ImportRow[]) => Promise<void> = async () => {},
): AsyncGenerator<Batch> {
  let rows: ImportRow[] = [];
  let characters = 0;
  let order = new PrincipalOrder();
  let [rowsRead, bytesRead] = [0, 0];
  const isFull = (times: number) =>
    rows.length >= times * limits.rows * (order.isSorted ? 1 : unsortedTimes) ||
    characters >= times * limits.characters;
  const areSkipped = () => rows[0] !== undefined && rows[0].number <= after;
  for await (const chunk of file.chunks()) {
    rowsRead = chunk.at(-1)?.number ?? rowsRead;
    bytesRead = file.bytesRead;
    for (const row of chunk) {
      const isFirstAfter = areSkipped() && row.number > after;
      if (isFirstAfter || isFull(2) || (isFull(1) && keyOf(row) !== keyOf(rows.at(-1)))) {
        if (areSkipped()) await onSkipped(rows);
        else yield { rows, rowsRead, bytesRead };
        rows = [];
        characters = 0;
        order = new PrincipalOrder();
      }
      rows.push(row);
      order.add(row);
      characters += lengthOf(row.source);
    }
  }
  if (areSkipped()) await onSkipped(rows);
  else if (rows.length > 0) yield { rows, rowsRead, bytesRead: file.bytesRead };
}

/** The number of rows of a file. It is estimated until the file has been read to its end. */
export interface RowTotal {
  readonly rows: number;
  readonly isEstimated: boolean;
}

/**
 * Estimates the number of rows from the share of the bytes that were read, rounded to two digits, so that it changes
 * seldom. Returns null for a workbook, whose compressed bytes say little about its rows.
 */
export function estimateRows(
  { rowsRead, bytesRead }: Pick<Batch, 'rowsRead' | 'bytesRead'>,
  file: Pick<ImportFile, 'layout'>,
  fileSize: number,
): RowTotal | null {
  if (file.layout.sheet !== undefined || bytesRead === 0) return null;
  if (bytesRead >= fileSize) return { rows: rowsRead, isEstimated: false };
  const estimate = (rowsRead * fileSize) / bytesRead;
  const unit = 10 ** Math.max(Math.floor(Math.log10(Math.max(estimate, 1))) - 1, 0);
  return { rows: Math.max(Math.round(estimate / unit) * unit, rowsRead), isEstimated: true };
}

/** Returns the key of the principal that the row states values of; a unique symbol if there is none. */
function keyOf(row: ImportRow | undefined): string | symbol {
  const principal = !row || row.kind === 'invalid' ? null : principalOf(row);
  return principal && statesValues(principal) ? principal.key : Symbol();
}

function lengthOf(source: RowSource): number {
  if (source === null) return 0;
  if (!Array.isArray(source)) return JSON.stringify(source).length;
  let length = 0;
  for (const cell of source) length += cell.length;
  return length;
}
