import { chunksOf, type SheetBytes } from './chunks.ts';
import type { Decoder } from './decoder.ts';
import type { Piece } from './piece.ts';

/** The pieces of a text, of which the first can be looked at before they are read. */
export class Pieces implements AsyncIterable<Piece> {
  readonly #source: AsyncGenerator<Piece, void, undefined>;
  #held: Piece[] = [];
  #ended = false;
  /** The text of the pieces that were looked at. */
  head = '';

  constructor(bytes: SheetBytes, decoder: Decoder) {
    this.#source = decoded(bytes, decoder);
  }

  /** Whether the head is the whole text. */
  get isAll(): boolean {
    return this.#ended;
  }

  /** Looks at as much again, so that whoever looks at the head each time does not take long over a large one. */
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

  /** Lets go of the file. */
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
