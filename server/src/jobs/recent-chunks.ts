import type { CheckedRecord } from '../records/check/batch.ts';
import type { WaitingRecord } from './encrypted-chunk.ts';

/** Maximum memory of the chunks of one call that are kept. */
export const callMemoryMax = 8 * 1024 * 1024;
/** Maximum memory of all kept chunks. */
const memoryMax = 4 * callMemoryMax;
/** A chunk that waits longer is checked again. */
const keptMs = 20_000;

/** Estimates the memory of kept records: their text, a parsed record with its IDs, and its parsed users. */
export function memoryOf(size: { bytes: number; records: number; users: number }): number {
  return size.bytes + size.records * 1024 + size.users * 512;
}

/** A record with the result of its checks. */
export interface CheckedWaitingRecord extends WaitingRecord {
  readonly checked: CheckedRecord;
}

interface RecentChunk {
  readonly records: readonly CheckedWaitingRecord[];
  readonly memory: number;
  readonly expiry: NodeJS.Timeout;
}

/**
 * The chunks of jobs that this node has accepted in the last seconds. If it also runs them, it need not decrypt, parse
 * and check their records a second time. Between the check and the write other clients may change the database, as in a
 * synchronous call that waits for its hashes: the write then refuses the record, which is checked again.
 */
export class RecentChunks {
  readonly #chunks = new Map<string, RecentChunk>();
  #memory = 0;

  /** Keeps a chunk if there is room for it. */
  keep(name: string, records: readonly CheckedWaitingRecord[], memory: number): void {
    this.take(name);
    if (this.#memory + memory > memoryMax) return;
    this.#memory += memory;
    const expiry = setTimeout(() => this.take(name), keptMs).unref();
    this.#chunks.set(name, { records, memory, expiry });
  }

  /** Returns the records of a chunk and forgets them; null if they are not kept. */
  take(name: string): readonly CheckedWaitingRecord[] | null {
    const chunk = this.#chunks.get(name);
    if (!chunk) return null;
    clearTimeout(chunk.expiry);
    this.#chunks.delete(name);
    this.#memory -= chunk.memory;
    return chunk.records;
  }
}
