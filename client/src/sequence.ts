import type { PageOptions } from './options.ts';
import { wait } from './time.ts';

/** Some of a sequence, and where to read on. */
export interface Stretch<Item, Place> {
  readonly records: readonly Item[];
  /** The place of the last one: give it to read on from there. Null where there is nothing yet. */
  readonly after: Place | null;
  /** Whether there is more at once. */
  readonly more: boolean;
}

/** How a sequence is read. */
export interface SequenceOptions extends PageOptions, FollowOptions {
  /** Which one comes first; the oldest unless given. What is read from the newest on ends at the oldest one. */
  readonly order?: 'oldest' | 'newest' | undefined;
}

export interface FollowOptions {
  /** Goes on when the end is reached, and waits for more, until the signal is aborted; unless given, it ends there. */
  readonly follow?: boolean | undefined;
  /** How long to wait at the end before asking again; two seconds unless given. */
  readonly pollMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What comes in one order for all readers. Walk over it, or read one stretch at a time.
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

  /** One stretch: after a place, or from where the sequence was asked for. */
  page(after: Place | null = this.#start): Promise<Stretch<Item, Place>> {
    return this.#read(after);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const { follow, pollMs = 2000, signal } = this.#options;
    for (let place = this.#start; ; ) {
      const { records, after, more } = await this.#read(place);
      yield* records;
      place = after;
      if (more) continue;
      if (!follow) return;
      await wait(pollMs, signal);
    }
  }
}
