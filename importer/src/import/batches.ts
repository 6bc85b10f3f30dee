import type { ImportFile } from '../file/open.ts';
import type { ImportRow } from '../file/rows.ts';
import type { RowSource } from '../file/types.ts';
import { principalOf, statesValues } from './records.ts';

export interface Batch {
  readonly rows: readonly ImportRow[];
  /** Bytes of the file that were read when the batch was complete. */
  readonly bytesRead: number;
}

export interface BatchLimits {
  readonly rows: number;
  /** Sum of the lengths of the cells or of the JSON text, in UTF-16 code units. */
  readonly characters: number;
}

/** A job of this size takes seconds, and the memory use does not depend on the size of the file. */
export const batchLimits: BatchLimits = { rows: 2000, characters: 4_000_000 };

/**
 * Splits the rows of a file after the row number `after` into batches. The limits depend on the content of the rows
 * alone, so that the same file always has the same batches if `after` is 0 or the end of a batch. A batch does not end
 * between two rows of a principal, unless it would have twice the size: two batches with a common principal cannot be
 * sent at the same time.
 *
 * @param onSkipped Called with each row up to `after`.
 */
export async function* inBatches(
  file: ImportFile,
  limits: BatchLimits,
  after = 0,
  onSkipped: (row: ImportRow) => void = () => {},
): AsyncGenerator<Batch> {
  let rows: ImportRow[] = [];
  let characters = 0;
  let bytesRead = 0;
  const isFull = (times: number) =>
    rows.length >= times * limits.rows || characters >= times * limits.characters;
  for await (const chunk of file.chunks())
    for (const row of chunk) {
      if (row.number <= after) {
        onSkipped(row);
        continue;
      }
      if (isFull(2) || (isFull(1) && keyOf(row) !== keyOf(rows.at(-1)))) {
        yield { rows, bytesRead };
        rows = [];
        characters = 0;
      }
      rows.push(row);
      characters += lengthOf(row.source);
      bytesRead = file.bytesRead;
    }
  if (rows.length > 0) yield { rows, bytesRead: file.bytesRead };
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
