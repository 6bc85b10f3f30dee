import type { Fields } from '../lib/request-fields.ts';
import { type JsonLimits, validateJson } from './read-json.ts';
import { readRecord } from './read-record.ts';
import type { ScannedElement } from './validator.ts';

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

interface RecordLimits extends JsonLimits {
  /** The maximum number of users in a record; defaults to `recordUsersMax`. */
  readonly maxRecordUsers?: number;
  /** The maximum number of records to keep; further ones are only counted, so that the call can be refused. */
  readonly maxRecords?: number;
}

/**
 * The records of a body. As objects they would take many times the memory of the body. So the list validates the whole
 * text once, keeps only the byte range of each record, and parses a record from the same bytes whenever it is needed.
 */
export class RecordList {
  readonly #bytes: Buffer;
  readonly #maxUsers: number;
  readonly #maxRecords: number;
  /** The first `#maxRecords` records. */
  readonly #records: ScannedElement[] = [];
  /** The number of records. */
  count = 0;
  /** The number of users in all records. */
  users = 0;
  /** Zero-based index of the first element that is not an object; -1 if every element is one. */
  firstNonObject = -1;

  private constructor(
    bytes: Buffer,
    { maxRecords = Number.POSITIVE_INFINITY, maxRecordUsers }: RecordLimits,
  ) {
    this.#bytes = bytes;
    this.#maxRecords = maxRecords;
    this.#maxUsers = maxRecordUsers ?? recordUsersMax;
  }

  /** Returns null if the body is valid JSON, but not an array. Throws a `JsonError`. */
  static async read(bytes: Buffer, limits: RecordLimits): Promise<RecordList | null> {
    const list = new RecordList(bytes, limits);
    return (await validateJson(bytes, limits, (record) => list.#add(record))) ? list : null;
  }

  #add(record: ScannedElement): void {
    if (!record.isObject && this.firstNonObject < 0) this.firstNonObject = this.count;
    if (this.count < this.#maxRecords) this.#records.push(record);
    this.count++;
    this.users += record.users;
  }

  /** The size of the whole body in bytes. */
  get bytes(): number {
    return this.#bytes.length;
  }

  usersOf(position: number): number {
    return this.#records[position]?.users ?? 0;
  }

  /** Returns the number of passwords in the records that are not at `known` positions: at least as many as have to be hashed. */
  passwordsExcept(known: { has(position: number): boolean }): number {
    return this.#records.reduce((sum, { passwords }, at) => (known.has(at) ? sum : sum + passwords), 0);
  }

  /** Returns the unparsed bytes of the record: a view of the body, not a copy. */
  text(position: number): Buffer {
    const record = this.#records[position];
    return this.#bytes.subarray(record?.start ?? 0, record?.end ?? 0);
  }

  /** Parses a record, unless it is too large. */
  async fields(position: number): Promise<Fields | RecordTooLarge> {
    const text = this.text(position);
    const users = this.usersOf(position);
    const isTooLarge = users > this.#maxUsers || text.length > bytesMax;
    return isTooLarge ? new RecordTooLarge(users, this.#maxUsers) : readRecord(text);
  }
}
