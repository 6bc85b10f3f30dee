import { type Fields, isObject, usersOf } from '../fields/fields.ts';
import { Builder, type Items } from './builder.ts';
import { type JsonLimits, readJson } from './read.ts';
import { Scanner } from './scanner.ts';

/** A record up to this size is read at once. */
const SMALL = 65_536;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/**
 * The records of a body. As objects they would take many times the size of the body, so that they are read through
 * once, to find every fault of the text, and then one by one from the same bytes, as often as they are needed.
 */
export class RecordList implements Items {
  readonly #bytes: Buffer;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #users: number[] = [];
  readonly #scanner: Scanner;
  users = 0;
  /** The place of the first element that is no object; -1 where there is none. */
  firstStranger = -1;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#scanner = new Scanner(bytes, 0, NO_LIMIT);
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
    return this.#users[position] ?? 0;
  }

  /** The record as it was sent. */
  text(position: number): Buffer {
    return this.#bytes.subarray(this.#starts[position], this.#ends[position]);
  }

  async fields(position: number): Promise<Fields> {
    const text = this.text(position);
    if (text.length > SMALL) return readRecord(text);
    this.#scanner.moveTo(text);
    const builder = new Builder(this.#scanner, NO_LIMIT, NO_LIMIT);
    while (!builder.advance()) {}
    return builder.result as Fields;
  }
}

/** A record from its text, which was read before and has no fault. */
export async function readRecord(text: Buffer): Promise<Fields> {
  const limits = { maxDepth: NO_LIMIT, maxValues: NO_LIMIT, maxNames: NO_LIMIT };
  return (await readJson(text, limits)) as Fields;
}
