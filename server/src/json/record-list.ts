import { type Fields, isObject, usersOf } from '../lib/request-fields.ts';
import type { Items } from './builder.ts';
import { type JsonLimits, readJson } from './read-json.ts';

/** The largest record, in bytes, that is parsed with `JSON.parse`. */
const SMALL = 65_536;

const noLimits = {
  maxDepth: Number.MAX_SAFE_INTEGER,
  maxValues: Number.MAX_SAFE_INTEGER,
  maxNames: Number.MAX_SAFE_INTEGER,
};

/** The number of entries in one typed array of a `NumberList`. */
const PIECE = 4096;

/** Integers below 2^32 in arrays of fixed size: one array of millions would block the event loop when it grows. */
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
 * The records of a body. As objects they would take many times the memory of the body. So the list validates the whole
 * text once, keeps only the byte range of each record, and parses a record from the same bytes whenever it is needed.
 */
export class RecordList implements Items {
  readonly #bytes: Buffer;
  readonly #starts = new NumberList();
  readonly #ends = new NumberList();
  readonly #users = new NumberList();
  /** The number of users in all records. */
  users = 0;
  /** Zero-based index of the first element that is not an object; -1 if every element is one. */
  firstNonObject = -1;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Returns null if the body is valid JSON, but not an array. Throws a `JsonError`. */
  static async read(bytes: Buffer, limits: JsonLimits): Promise<RecordList | null> {
    const list = new RecordList(bytes);
    const body = await readJson(bytes, limits, list);
    return Array.isArray(body) ? list : null;
  }

  take(item: unknown, start: number, end: number): void {
    if (!isObject(item) && this.firstNonObject < 0) this.firstNonObject = this.count;
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

  /** Returns the unparsed bytes of the record: a view of the body, not a copy. */
  text(position: number): Buffer {
    return this.#bytes.subarray(this.#starts.at(position), this.#ends.at(position));
  }

  fields(position: number): Promise<Fields> {
    return readRecord(this.text(position));
  }
}

/** Parses the text of one record, which `RecordList.read` has already validated. */
export async function readRecord(text: Buffer): Promise<Fields> {
  // The strict checks have passed already, and `JSON.parse` is several times as fast as `readJson`.
  if (text.length <= SMALL) return JSON.parse(text.toString());
  return (await readJson(text, noLimits)) as Fields;
}
