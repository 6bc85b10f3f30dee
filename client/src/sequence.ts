import type { PageOptions } from './options.ts';
import { wait } from './time.ts';

/** A keyset page: some records of a sequence and the cursor of the next page. */
export interface Stretch<Item, Place> {
  readonly records: readonly Item[];
  /** The cursor after the last record of this page. Pass it to `page` to read the next page. Null if there is none. */
  readonly after: Place | null;
  /** True if the next page already has records. */
  readonly more: boolean;
}

/** Options of every call that returns a {@link Sequence}. */
export interface SequenceOptions extends PageOptions, FollowOptions {
  /** The record to start with. Default: `oldest`. With `newest` the iteration ends at the oldest record. */
  readonly order?: 'oldest' | 'newest' | undefined;
}

/** Options for polling at the end of a {@link Sequence}. */
export interface FollowOptions {
  /** Polls for new records after the last one, until `signal` is aborted. Default: false, the iteration ends. */
  readonly follow?: boolean | undefined;
  /** Milliseconds between two polls. Default: 2,000. */
  readonly pollMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * An append-only list that is read with a cursor (keyset pagination). Iterate to read all records, or call `page` to
 * read one page.
 *
 * @example
 * ```ts
 * for await (const event of anagrafe.events({ after: lastId, follow: true, signal })) {
 *   await handle(event);
 *   lastId = event.id;
 * }
 * ```
 */
export class Sequence<Item, Place> implements AsyncIterable<Item> {
  readonly #read: (after: Place | null) => Promise<Stretch<Item, Place>>;
  readonly #start: Place | null;
  readonly #options: SequenceOptions;

  constructor(
    read: (after: Place | null) => Promise<Stretch<Item, Place>>,
    start: Place | null,
    options: SequenceOptions = {},
  ) {
    if (options.follow && options.order === 'newest')
      throw new TypeError('what is read from the newest on ends, and cannot be followed');
    this.#read = read;
    this.#start = start;
    this.#options = options;
  }

  /** Reads one page after the cursor. Default: the cursor that the sequence was created with. */
  page(after: Place | null = this.#start): Promise<Stretch<Item, Place>> {
    return this.#read(after);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const { follow, pollMs = 2000, signal } = this.#options;
    for (let cursor = this.#start; ; ) {
      const { records, after, more } = await this.#read(cursor);
      yield* records;
      cursor = after;
      if (more) continue;
      if (!follow) return;
      await wait(pollMs, signal);
    }
  }
}
