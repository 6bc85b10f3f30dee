import { TimeSlice } from '../lib/yield-to-event-loop.ts';

/** Weight of a chunk: a few seconds of hashing, so that the chunks of other clients do not wait long. */
const chunkWeight = 250;

export interface PlannedRecord {
  /** Zero-based index of the record in the call. */
  readonly position: number;
  /** The processing time of the record, in passwords to hash. Users without a password to hash count less than one. */
  readonly weight: number;
  /** Records with a key in common are applied in the order sent. */
  readonly orderingKeys: readonly number[];
}

export interface PlannedChunk {
  readonly positions: number[];
  /** The weight of its records. */
  weight: number;
}

/**
 * Divides a job into chunks that can run in parallel. Records with an ordering key in common go into the same chunk,
 * whatever its size.
 */
export async function planChunks(waiting: Iterable<PlannedRecord>): Promise<PlannedChunk[]> {
  const timeSlice = new TimeSlice();
  const chunks = new Set<PlannedChunk>();
  let current: PlannedChunk | undefined;
  const chunkOf = new Map<number, PlannedChunk>();
  /** The chunks that were added to another one. */
  const mergedInto = new Map<PlannedChunk, PlannedChunk>();
  const remaining = (chunk: PlannedChunk): PlannedChunk => {
    const next = mergedInto.get(chunk);
    return next ? remaining(next) : chunk;
  };
  for (const { position, weight, orderingKeys } of waiting) {
    const known = orderingKeys.flatMap((key) => chunkOf.get(key) ?? []).map(remaining);
    // The largest comes first, so that a position is seldom moved.
    const [tied, ...others] = [...new Set(known)].toSorted(
      (one, other) => other.positions.length - one.positions.length,
    );
    if (!tied && (!current || current.weight >= chunkWeight)) {
      current = { positions: [], weight: 0 };
      chunks.add(current);
    }
    const chunk = tied ?? current;
    if (!chunk) continue;
    for (const other of others) {
      for (const moved of other.positions) chunk.positions.push(moved);
      chunk.weight += other.weight;
      mergedInto.set(other, chunk);
      chunks.delete(other);
      if (other === current) current = chunk;
    }
    chunk.positions.push(position);
    chunk.weight += weight;
    for (const key of orderingKeys) chunkOf.set(key, chunk);
    if (timeSlice.isOver) await timeSlice.yield();
  }
  for (const chunk of new Set(mergedInto.values())) chunk.positions.sort((one, other) => one - other);
  return [...chunks];
}
