import type { Fields } from '../lib/request-fields.ts';
import { type JsonLimits, validateJson } from './read-json.ts';
import type { RecordSink } from './validator.ts';

/** The number of entries in one typed array of a `NumberList`. */
const PIECE = 4096;
/** The entries of the first array while it suffices: most bodies have few records. */
const FIRST_PIECE = 8;

/** Integers below 2^32 in arrays of fixed size: one array of millions would block the event loop when it grows. */
class NumberList {
  readonly #pieces: Uint32Array[] = [];
  length = 0;

  push(number: number): void {
    const at = this.length % PIECE;
    if (this.length === 0) this.#pieces.push(new Uint32Array(FIRST_PIECE));
    else if (this.length === FIRST_PIECE) this.#growFirst();
    else if (at === 0) this.#pieces.push(new Uint32Array(PIECE));
    this.length++;
    const piece = this.#pieces.at(-1);
    if (piece) piece[at] = number;
  }

  #growFirst(): void {
    const larger = new Uint32Array(PIECE);
    larger.set(this.#pieces[0] ?? []);
    this.#pieces[0] = larger;
  }

  at(position: number): number {
    return this.#pieces[Math.floor(position / PIECE)]?.[position % PIECE] ?? 0;
  }
}

/** The most users of a record. All of them are parsed, checked and written together, so more would block the others. */
export const recordUsersMax = 10_000;
/** The most bytes of a record, for the same reason. */
const bytesMax = 4 * 1024 * 1024;

/** Takes the place of a record with too many users or bytes, which is not parsed. */
export class RecordTooLarge {
  /** The number of its users. */
  readonly users: number;
  /** The limits. */
  readonly figures: { readonly users: number; readonly mebibytes: number };

  constructor(users: number, maxUsers: number) {
    this.users = users;
    this.figures = { users: maxUsers, mebibytes: bytesMax / 1024 ** 2 };
  }
}

export interface RecordLimits extends JsonLimits {
  /** The maximum number of users in a record; defaults to `recordUsersMax`. */
  readonly maxRecordUsers?: number;
}

/**
 * The records of a body. As objects they would take many times the memory of the body. So the list validates the whole
 * text once, keeps only the byte range of each record, and parses a record from the same bytes whenever it is needed.
 */
export class RecordList implements RecordSink {
  readonly #bytes: Buffer;
  readonly #maxUsers: number;
  readonly #starts = new NumberList();
  readonly #ends = new NumberList();
  readonly #users = new NumberList();
  /** The number of users in all records. */
  users = 0;
  /** The number of JSON values in the body. */
  values = 0;
  /** The number of passwords that users of the records have: at least as many as have to be hashed. */
  passwords = 0;
  /** Zero-based index of the first element that is not an object; -1 if every element is one. */
  firstNonObject = -1;

  private constructor(bytes: Buffer, maxUsers: number) {
    this.#bytes = bytes;
    this.#maxUsers = maxUsers;
  }

  /** Returns null if the body is valid JSON, but not an array. Throws a `JsonError`. */
  static async read(bytes: Buffer, limits: RecordLimits): Promise<RecordList | null> {
    const list = new RecordList(bytes, limits.maxRecordUsers ?? recordUsersMax);
    return (await validateJson(bytes, limits, list)) ? list : null;
  }

  add({ isObject, users, start, end }: Parameters<RecordSink['add']>[0]): void {
    if (!isObject && this.firstNonObject < 0) this.firstNonObject = this.count;
    this.#starts.push(start);
    this.#ends.push(end);
    this.#users.push(users);
    this.users += users;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The size of the whole body in bytes. */
  get bytes(): number {
    return this.#bytes.length;
  }

  usersOf(position: number): number {
    return this.#users.at(position);
  }

  /** Returns the unparsed bytes of the record: a view of the body, not a copy. */
  text(position: number): Buffer {
    return this.#bytes.subarray(this.#starts.at(position), this.#ends.at(position));
  }

  /** Parses a record, unless it is too large. */
  fields(position: number): Fields | RecordTooLarge {
    const text = this.text(position);
    const users = this.usersOf(position);
    const isTooLarge = users > this.#maxUsers || text.length > bytesMax;
    return isTooLarge ? new RecordTooLarge(users, this.#maxUsers) : readRecord(text);
  }
}

/** Parses the text of one record, which `RecordList.read` has already validated. */
export function readRecord(text: Buffer): Fields {
  return JSON.parse(text.toString());
}
