import { type Fields, isObject, usersOf } from '../fields/fields.ts';
import type { Items } from './builder.ts';
import { type JsonLimits, readJson } from './read.ts';

/** A record up to this size is read at once. */
const SMALL = 65_536;

const noLimits = {
  maxDepth: Number.MAX_SAFE_INTEGER,
  maxValues: Number.MAX_SAFE_INTEGER,
  maxNames: Number.MAX_SAFE_INTEGER,
};

/** How many numbers a piece holds. */
const PIECE = 4096;

/** Numbers below 2^32, kept in pieces: one array of millions would hold up the event loop whenever it has to grow. */
class NumberList {
  readonly #pieces: Uint32Array[] = [];
  length = 0;

  push(number: number): void {
    const at = this.length++ % PIECE;
    if (at === 0) this.#pieces.push(new Uint32Array(PIECE));
    const piece = this.#pieces.at(-1);
    if (piece) piece[at] = number;
  }

  at(position: number): number {
    return this.#pieces[Math.floor(position / PIECE)]?.[position % PIECE] ?? 0;
  }
}

/**
 * The records of a body. As objects they would take many times the size of the body, so that they are read through
 * once, to find every fault of the text, and then one by one from the same bytes, as often as they are needed.
 */
export class RecordList implements Items {
  readonly #bytes: Buffer;
  readonly #starts = new NumberList();
  readonly #ends = new NumberList();
  readonly #users = new NumberList();
  users = 0;
  /** The place of the first element that is no object; -1 where there is none. */
  firstStranger = -1;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Throws a `JsonError`; null where the body is something else than an array. */
  static async read(bytes: Buffer, limits: JsonLimits): Promise<RecordList | null> {
    const list = new RecordList(bytes);
    const body = await readJson(bytes, limits, list);
    return Array.isArray(body) ? list : null;
  }

  take(item: unknown, start: number, end: number): void {
    if (!isObject(item) && this.firstStranger < 0) this.firstStranger = this.count;
    const users = isObject(item) ? usersOf(item).length : 0;
    this.#starts.push(start);
    this.#ends.push(end);
    this.#users.push(users);
    this.users += users;
  }

  get count(): number {
    return this.#starts.length;
  }

  usersOf(position: number): number {
    return this.#users.at(position);
  }

  /** The record as it was sent. */
  text(position: number): Buffer {
    return this.#bytes.subarray(this.#starts.at(position), this.#ends.at(position));
  }

  fields(position: number): Promise<Fields> {
    return readRecord(this.text(position));
  }
}

/** A record from its text, which was read before and has no fault. */
export async function readRecord(text: Buffer): Promise<Fields> {
  // Nothing is left to be found that the language's own reader would let pass, and it is several times as fast.
  if (text.length <= SMALL) return JSON.parse(text.toString());
  return (await readJson(text, noLimits)) as Fields;
}
