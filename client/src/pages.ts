import type { Page } from './api.gen.ts';

/**
 * A list that comes in pages. Walk over everything in it, or take one page with its counts.
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

  /** One page, from 1 on; beyond the last one `records` is empty. */
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
