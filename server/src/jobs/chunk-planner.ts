/** Weight of a chunk: a few seconds of hashing, so that the chunks of other clients do not wait long. */
const chunkWeight = 250;

export interface PlannedRecord {
  /** Zero-based index of the record in the call. */
  readonly position: number;
  /** The processing time of the record, in passwords to hash. Users without a password to hash count less than one. */
  readonly weight: number;
  /** Records with the same key are applied in the order sent. Null means any order. */
  readonly orderingKey: number | null;
}

export interface PlannedChunk {
  readonly positions: number[];
  /** The weight of its records. */
  weight: number;
}

/**
 * Divides a job into chunks that can run in parallel. Records with the same ordering key go into the same chunk,
 * whatever its size.
 */
export function planChunks(waiting: Iterable<PlannedRecord>): PlannedChunk[] {
  const chunks: PlannedChunk[] = [];
  let current: PlannedChunk | undefined;
  const chunkOf = new Map<number, PlannedChunk>();
  for (const record of waiting) {
    const tied = record.orderingKey === null ? undefined : chunkOf.get(record.orderingKey);
    if (!tied && (!current || current.weight >= chunkWeight)) {
      current = { positions: [], weight: 0 };
      chunks.push(current);
    }
    const chunk = tied ?? current;
    if (!chunk) continue;
    chunk.positions.push(record.position);
    chunk.weight += record.weight;
    if (record.orderingKey !== null) chunkOf.set(record.orderingKey, chunk);
  }
  return chunks;
}
