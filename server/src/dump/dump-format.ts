import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { decrypting, type KeyOfSalt } from '../backup/encrypted-stream.ts';
import type { AppliedMigration } from '../db/migrations.ts';
import { OperatorError } from '../lib/operator-error.ts';

// A dump is a line of JSON that says what it is (`DumpLabel`), and then a compressed and perhaps encrypted stream: a line of
// JSON (`DumpHeader`), the rows of each table as `COPY` writes them, each table with a line `\.` at its end, and a line of
// JSON (`DumpEnd`) that authenticates everything before it.

export const dumpFormat = 1;

/** The name under which the key of a dump is derived. See `KeyRing.backupKey`. */
export const dumpKey = 'dump';

/** The first line of the file, which is never encrypted. */
export interface DumpLabel {
  readonly anagrafeDump: number;
  readonly takenAt: string;
  readonly postgres: string;
  /** The identity of the master key that the database needs, in hexadecimal. */
  readonly masterKey: string;
  readonly isEncrypted: boolean;
}

export interface DumpHeader {
  readonly migrations: readonly AppliedMigration[];
  readonly tables: readonly DumpedTable[];
  /** The last value of each sequence, as a decimal number. */
  readonly sequences: Readonly<Record<string, string>>;
}

export interface DumpedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface DumpEnd {
  /** The number of rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The tag of the digest of everything before this line, in hexadecimal. See `KeyRing.backupTags`. */
  readonly tag: string;
}

export const endOfRows = '\\.\n';

const labelBytesMax = 65_536;
const lineBytesMax = 1_000_000;

export interface DumpFile {
  readonly label: DumpLabel;
  /** The bytes of the first line. */
  readonly labelBytes: Buffer;
}

/** @throws {OperatorError} if the file is not a dump, or one of a newer version of the service. */
export async function readLabel(path: string): Promise<DumpFile> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(labelBytesMax), 0, labelBytesMax, 0);
    const labelBytes = buffer.subarray(0, buffer.subarray(0, bytesRead).indexOf('\n') + 1);
    const label = parsed<DumpLabel>(labelBytes.toString());
    if (typeof label?.anagrafeDump !== 'number') throw damaged(path, 'it is not a dump');
    if (label.anagrafeDump > dumpFormat)
      throw new OperatorError(`The dump ${path} was written by a newer version of the service`, {
        code: 'dump_too_new',
        advice: 'upgrade the service.',
      });
    return { label, labelBytes };
  } finally {
    await file.close();
  }
}

/** Reads the stream of a dump step by step, in bounded memory. */
export class DumpReader {
  readonly #path: string;
  readonly #stream: Readable;
  readonly #source: AsyncIterator<Buffer>;
  /** The digest of everything that was read, and the label. */
  readonly #hash = createHash('sha256');
  #waiting: Buffer = Buffer.alloc(0);

  constructor(path: string, { label, labelBytes }: DumpFile, keyOfSalt: KeyOfSalt) {
    this.#path = path;
    this.#hash.update(labelBytes);
    const file = createReadStream(path, { start: labelBytes.length });
    const unzipped = createGunzip({ chunkSize: 65_536 });
    // The reader gets the error.
    const ignore = () => undefined;
    this.#stream = label.isEncrypted
      ? pipeline(file, decrypting(keyOfSalt), unzipped, ignore)
      : pipeline(file, unzipped, ignore);
    this.#source = this.#stream[Symbol.asyncIterator]();
  }

  async header(): Promise<DumpHeader> {
    const line = await this.#line();
    this.#hash.update(line);
    const header = this.#parsed<DumpHeader>(line);
    const { migrations, tables, sequences } = header;
    if (Array.isArray(migrations) && Array.isArray(tables) && sequences) return header;
    throw damaged(this.#path, 'its header is incomplete');
  }

  /** Yields the rows of the next table. */
  async *rows(): AsyncGenerator<Buffer> {
    const end = `\n${endOfRows}`;
    // The rows of an empty table have no line end before the end.
    let added = 1;
    this.#waiting = Buffer.concat([Buffer.from('\n'), this.#waiting]);
    for (;;) {
      const at = this.#waiting.indexOf(end);
      // The last bytes may be the beginning of the end.
      const until = at < 0 ? Math.max(this.#waiting.length - end.length + 1, 0) : at + 1;
      if (until > 0) {
        const rows = this.#waiting.subarray(added, until);
        added = 0;
        this.#hash.update(rows);
        if (rows.length > 0) yield rows;
      }
      if (at >= 0) {
        this.#waiting = this.#waiting.subarray(at + end.length);
        this.#hash.update(endOfRows);
        return;
      }
      this.#waiting = Buffer.concat([this.#waiting.subarray(until), await this.#next()]);
    }
  }

  /**
   * Reads the rest. Returns the number of rows of each table.
   *
   * @throws {OperatorError} if anything that was read is not what a service with the same master key has written.
   */
  async end(tagsOf: (digest: Buffer) => readonly string[]): Promise<DumpEnd['rows']> {
    const tags = tagsOf(this.#hash.digest());
    const line = await this.#line();
    const end = this.#parsed<DumpEnd>(line);
    if (!tags.includes(end.tag) || this.#waiting.length > 0 || !(await this.#step()).done)
      throw damaged(this.#path, 'it was changed, or written with another master key');
    return end.rows;
  }

  close(): void {
    this.#stream.destroy();
  }

  async #line(): Promise<Buffer> {
    for (;;) {
      const at = this.#waiting.indexOf('\n') + 1;
      if (at > 0) {
        const line = this.#waiting.subarray(0, at);
        this.#waiting = this.#waiting.subarray(at);
        return line;
      }
      if (this.#waiting.length > lineBytesMax) throw damaged(this.#path, 'a line is too long');
      this.#waiting = Buffer.concat([this.#waiting, await this.#next()]);
    }
  }

  #parsed<Line>(line: Buffer): Line {
    const found = parsed<Line>(line.toString());
    if (!found) throw damaged(this.#path, 'a line of it is no JSON');
    return found;
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#step();
    if (done) throw damaged(this.#path, 'it is incomplete');
    return value;
  }

  #step(): Promise<IteratorResult<Buffer, undefined>> {
    return this.#source.next().catch((error) => {
      // An error of the file system says nothing about the dump.
      throw error.syscall === undefined ? damaged(this.#path, error.message, error) : error;
    });
  }
}

export function damaged(path: string, reason: string, cause?: unknown): OperatorError {
  return new OperatorError(`The dump ${path} cannot be used: ${reason}`, {
    code: 'dump_damaged',
    advice: 'use another dump.',
    cause,
  });
}

function parsed<Value>(line: string): Value | null {
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? (value as Value) : null;
  } catch {
    return null;
  }
}
