import { isTimeLimit, WriteFailure } from '../../db/errors.ts';
import type { Operation, ReadyRecord } from '../operation.ts';
import type { Written } from '../outcome.ts';
import type { ParsedRecord } from '../parsed-record.ts';

/** Limits of one transaction, so that its locks are held for a short time. A larger record is written alone. */
const recordsPerGroup = 200;
const usersPerGroup = 1000;

interface WriterOptions {
  /** Maximum number of parallel writes: enough to keep up with hashing, and fair to other calls. */
  readonly writesAtOnce?: number;
  /** Delays the next writes, to let more urgent work go first. */
  pause?(): Promise<void>;
}

interface WaitingRecord {
  readonly operation: Operation;
  readonly record: ReadyRecord;
  /** True if a group had to leave the record out. */
  readonly alone: boolean;
  resolve(written: Written): void;
  reject(error: unknown): void;
}

/**
 * Writes records in groups, each group in one transaction. A record never waits for a group to fill: it is written in
 * the next iteration of the event loop in which fewer than `writesAtOnce` writes are running, together with the records
 * that became ready meanwhile. A record that a group has to leave out, because of a conflict or a lock, is then written
 * alone.
 */
export class RecordWriter {
  readonly #waiting: WaitingRecord[] = [];
  readonly #writesAtOnce: number;
  readonly #pause: (() => Promise<void>) | undefined;
  #running = 0;
  #isScheduled = false;

  constructor({ writesAtOnce = 4, pause }: WriterOptions = {}) {
    this.#writesAtOnce = writesAtOnce;
    this.#pause = pause;
  }

  write<D extends ParsedRecord>(operation: Operation<D>, record: ReadyRecord<D>): Promise<Written> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        operation: operation as unknown as Operation,
        record: record as unknown as ReadyRecord,
        alone: false,
        resolve,
        reject,
      });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#writeAll());
  }

  /** Starts as many writes as may run. */
  async #writeAll(): Promise<void> {
    // Not for each of the records that a group has left out, of which there may be many.
    if (!this.#waiting[0]?.alone) await this.#pause?.();
    this.#isScheduled = false;
    while (this.#waiting.length > 0 && this.#running < this.#writesAtOnce) void this.#writeNext();
  }

  async #writeNext(): Promise<void> {
    this.#running++;
    const leftOut = await writeGroup(this.#takeGroup());
    this.#running--;
    this.#waiting.push(...leftOut);
    this.#schedule();
  }

  /** Takes the first record and those after it that can be written with it, up to the limits of a group. */
  #takeGroup(): WaitingRecord[] {
    const first = this.#waiting[0];
    if (first?.alone) return this.#waiting.splice(0, 1);
    const keys = new Set<number>();
    let users = 0;
    let count = 0;
    for (const { operation, record, alone } of this.#waiting) {
      const key = operation.order(record.parsed);
      users += operation.size(record.parsed);
      const fits = operation === first?.operation && !alone && (key === null || !keys.has(key));
      if (count > 0 && !(fits && count < recordsPerGroup && users <= usersPerGroup)) break;
      if (key !== null) keys.add(key);
      count++;
    }
    return this.#waiting.splice(0, count);
  }
}

/** Writes a group and settles its records. Returns those that must be written alone. */
async function writeGroup(group: readonly WaitingRecord[]): Promise<WaitingRecord[]> {
  const leftOut: WaitingRecord[] = [];
  try {
    const written = await group[0]?.operation.write(group.map(({ record }) => record));
    for (const [index, waiting] of group.entries()) {
      const result = written?.[index];
      if (result) waiting.resolve(result);
      else if (group.length > 1) leftOut.push({ ...waiting, alone: true });
      else waiting.reject(new WriteFailure('conflict'));
    }
  } catch (error) {
    // Any other error may have occurred after the commit.
    const failure = error instanceof WriteFailure ? error : new WriteFailure('unknown', error);
    for (const waiting of group) {
      if (group.length > 1 && concernsOneRecord(failure)) leftOut.push({ ...waiting, alone: true });
      else waiting.reject(failure);
    }
  }
  return leftOut;
}

/** Returns true if nothing was written because of one record; the others can be written without it. */
function concernsOneRecord(error: WriteFailure): boolean {
  return isTimeLimit(error.cause) || (error.kind !== 'away' && error.kind !== 'unknown');
}
