import { chunksOf, type SheetBytes } from './chunks.ts';
import type { Decoder } from './decoder.ts';
import type { Piece } from './piece.ts';

/** The decoded text of a file with lookahead, to detect its format before the iteration. It can be iterated once. */
export class Pieces implements AsyncIterable<Piece> {
  readonly #source: AsyncGenerator<Piece, void, undefined>;
  #held: Piece[] = [];
  #ended = false;
  /** The text that `look` has read so far. */
  head = '';

  constructor(bytes: SheetBytes, decoder: Decoder) {
    this.#source = decoded(bytes, decoder);
  }

  /** True if `head` is the whole text. */
  get isAll(): boolean {
    return this.#ended;
  }

  /** Doubles the length of `head`, so that a caller that examines it after each call needs linear time in total. */
  async look(): Promise<void> {
    const enough = Math.max(1, this.head.length * 2);
    while (!this.#ended && this.head.length < enough) {
      const next = await this.#source.next();
      if (next.done) this.#ended = true;
      else {
        this.#held.push(next.value);
        this.head += next.value.text;
      }
    }
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#source.return();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Piece, void, undefined> {
    const held = this.#held;
    this.#held = [];
    this.head = '';
    try {
      yield* held;
      yield* this.#source;
    } finally {
      await this.close();
    }
  }
}

async function* decoded(bytes: SheetBytes, decoder: Decoder): AsyncGenerator<Piece, void, undefined> {
  for await (const chunk of chunksOf(bytes)) {
    const piece = decoder.decode(chunk, false);
    yield piece;
    if (piece.fault) return;
  }
  yield decoder.decode(new Uint8Array(), true);
}
