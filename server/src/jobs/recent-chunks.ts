import type { ParsedRecord } from '../records/parsed-record.ts';
import type { WaitingRecord } from './encrypted-chunk.ts';

/** Maximum size of a call whose chunks are kept, as JSON. The parsed records take about six times as much memory. */
export const callBytesMax = 2 * 1024 * 1024;
/** Maximum size of all kept chunks, as JSON. */
const bytesMax = 4 * callBytesMax;
/** A chunk that waits longer is checked again. */
const keptMs = 20_000;

/** A record with the result of its checks. */
export interface CheckedRecord extends WaitingRecord {
  readonly parsed: ParsedRecord;
}

interface RecentChunk {
  readonly records: readonly CheckedRecord[];
  readonly bytes: number;
  readonly expiry: NodeJS.Timeout;
}

/**
 * The chunks of jobs that this node has accepted in the last seconds. If it also runs them, it need not decrypt, parse
 * and check their records a second time. Between the check and the write other clients may change the database, as in a
 * synchronous call that waits for its hashes: the write then refuses the record, which is checked again.
 */
export class RecentChunks {
  readonly #chunks = new Map<string, RecentChunk>();
  #bytes = 0;

  keep(name: string, records: readonly CheckedRecord[], bytes: number): void {
    if (this.#bytes + bytes > bytesMax) return;
    this.#bytes += bytes;
    const expiry = setTimeout(() => this.take(name), keptMs).unref();
    this.#chunks.set(name, { records, bytes, expiry });
  }

  /** Returns the records of a chunk and forgets them; null if they are not kept. */
  take(name: string): readonly CheckedRecord[] | null {
    const chunk = this.#chunks.get(name);
    if (!chunk) return null;
    clearTimeout(chunk.expiry);
    this.#chunks.delete(name);
    this.#bytes -= chunk.bytes;
    return chunk.records;
  }
}
