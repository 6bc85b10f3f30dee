import type { Found } from './scanner.ts';

type Batch<Content> = readonly Found<Content>[];

/** A stream of rows with lookahead, to read the header before the other rows. */
export class FoundRows<Content> {
  readonly #batches: AsyncGenerator<Batch<Content>, void, undefined>;
  #batch: Batch<Content> = [];

  constructor(batches: AsyncGenerator<Batch<Content>, void, undefined>) {
    this.#batches = batches;
  }

  /** Returns the next row without consuming it; null after the last row. */
  async peek(): Promise<Found<Content> | null> {
    while (this.#batch.length === 0) {
      const next = await this.#batches.next();
      if (next.done) return null;
      this.#batch = next.value;
    }
    return this.#batch[0] ?? null;
  }

  /** Consumes the next row; null after the last row. */
  async take(): Promise<Found<Content> | null> {
    const first = await this.peek();
    this.#batch = this.#batch.slice(1);
    return first;
  }

  /** Yields the rows that `take` has not consumed. Closes the source when the iteration ends, even early. */
  async *batches(): AsyncGenerator<Batch<Content>, void, undefined> {
    try {
      yield this.#batch;
      yield* this.#batches;
    } finally {
      await this.#batches.return();
    }
  }
}
