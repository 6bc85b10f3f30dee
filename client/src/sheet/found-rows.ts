import type { Found } from './scanner.ts';

type Batch<Content> = readonly Found<Content>[];

/** Rows as they are found, of which the first ones can be taken or looked at before the others are read. */
export class FoundRows<Content> {
  readonly #batches: AsyncGenerator<Batch<Content>, void, undefined>;
  #batch: Batch<Content> = [];

  constructor(batches: AsyncGenerator<Batch<Content>, void, undefined>) {
    this.#batches = batches;
  }

  async peek(): Promise<Found<Content> | null> {
    while (this.#batch.length === 0) {
      const next = await this.#batches.next();
      if (next.done) return null;
      this.#batch = next.value;
    }
    return this.#batch[0] ?? null;
  }

  async take(): Promise<Found<Content> | null> {
    const first = await this.peek();
    this.#batch = this.#batch.slice(1);
    return first;
  }

  /** All that were not taken. */
  async *batches(): AsyncGenerator<Batch<Content>, void, undefined> {
    try {
      yield this.#batch;
      yield* this.#batches;
    } finally {
      await this.#batches.return();
    }
  }
}
