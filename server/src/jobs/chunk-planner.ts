/** Number of users per chunk: one or two seconds of hashing, so that the chunks of other clients do not wait long. */
const usersInChunk = 250;

export interface PlannedRecord {
  /** Zero-based index of the record in the call. */
  readonly position: number;
  readonly users: number;
  /** Ordering key: records with the same key are applied in the order sent. Null means any order. */
  readonly order: number | null;
}

export interface PlannedChunk {
  readonly positions: number[];
  /** Number of users; a record without users counts as one. */
  users: number;
}

/**
 * Divides a job into chunks that can run in parallel. Records with the same ordering key go into the same chunk,
 * whatever its size.
 */
export function planChunks(waiting: readonly PlannedRecord[]): PlannedChunk[] {
  const chunks: PlannedChunk[] = [];
  let current: PlannedChunk | undefined;
  const chunkOf = new Map<number, PlannedChunk>();
  for (const record of waiting) {
    const tied = record.order === null ? undefined : chunkOf.get(record.order);
    if (!tied && (!current || current.users >= usersInChunk)) {
      current = { positions: [], users: 0 };
      chunks.push(current);
    }
    const chunk = tied ?? current;
    if (!chunk) continue;
    chunk.positions.push(record.position);
    // A record without users still costs a write.
    chunk.users += Math.max(record.users, 1);
    if (record.order !== null) chunkOf.set(record.order, chunk);
  }
  return chunks;
}

/**
 * Splits records into groups of about `usersPerGroup` users. A record is never split, so a group exceeds the number
 * if its last record has many users.
 */
export function* inGroups<Item>(
  records: Iterable<Item>,
  usersPerGroup: number,
  usersOf: (record: Item) => number,
): Generator<Item[]> {
  let group: Item[] = [];
  let users = 0;
  for (const record of records) {
    group.push(record);
    // A record without users counts as one, because it costs a lookup and a write too.
    users += Math.max(usersOf(record), 1);
    if (users < usersPerGroup) continue;
    yield group;
    group = [];
    users = 0;
  }
  if (group.length > 0) yield group;
}
