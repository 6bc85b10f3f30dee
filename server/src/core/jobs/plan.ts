/** So many users wait in one chunk: a second or two of hashing, so that others soon have their turn. */
const usersInChunk = 250;

/** A record that waits to be applied. */
export interface Waiting {
  readonly position: number;
  readonly users: number;
  /** Records with the same one are applied in the order sent. */
  readonly order: number | null;
}

export interface PlannedChunk {
  /** In the order sent. */
  readonly positions: readonly number[];
  readonly users: number;
}

/**
 * Cuts a job into chunks that can be worked on side by side. Records that must follow one another stand in one
 * chunk, however long it gets.
 */
export function planChunks(waiting: readonly Waiting[]): PlannedChunk[] {
  const chunks: { positions: number[]; users: number }[] = [];
  let current: { positions: number[]; users: number } | undefined;
  const chunkOf = new Map<number, { positions: number[]; users: number }>();
  for (const record of waiting) {
    const tied = record.order === null ? undefined : chunkOf.get(record.order);
    if (!tied && (!current || current.users >= usersInChunk)) {
      current = { positions: [], users: 0 };
      chunks.push(current);
    }
    const chunk = tied ?? current;
    if (!chunk) continue;
    chunk.positions.push(record.position);
    // A record without users costs a write all the same.
    chunk.users += Math.max(record.users, 1);
    if (record.order !== null) chunkOf.set(record.order, chunk);
  }
  return chunks;
}
