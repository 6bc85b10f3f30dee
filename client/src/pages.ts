import type { Page } from './api.gen.ts';

/**
 * A list with numbered pages. Iterate to read all records, which requests one page at a time, or call `page` to read
 * one page with the total counts.
 *
 * @example
 * ```ts
 * for await (const principal of anagrafe.list({ Search: 'rossi' })) console.log(principal.ID);
 * const { records, totalCount } = await anagrafe.list().page(3);
 * ```
 */
export class Pages<Item, About = null> implements AsyncIterable<Item> {
  readonly #read: (page: number) => Promise<Page<Item, About>>;

  constructor(read: (page: number) => Promise<Page<Item, About>>) {
    this.#read = read;
  }

  /** Reads one page, counted from 1. `records` is empty after the last page. */
  page(page = 1): Promise<Page<Item, About>> {
    return this.#read(page);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let number = 1; ; number++) {
      const { records, totalPages } = await this.#read(number);
      yield* records;
      if (number >= totalPages) return;
    }
  }
}
