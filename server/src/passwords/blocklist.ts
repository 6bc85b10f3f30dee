import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { OperatorError } from '../lib/operator-error.ts';

// Passwords that ANAGRAFE_PASSWORD_BLOCKLIST forbids: a list of words, which is kept in memory, or the published file of the
// SHA-1 hashes of leaked passwords, which is searched on disk.

export interface Blocklist {
  /** Returns true if a list of words has the text, which is in lower case. */
  hasWord(text: string): boolean;
  /** Returns true if a file of hashes has the password. */
  isLeaked(password: string): Promise<boolean>;
  close(): Promise<void>;
}

const wordsMaxBytes = 64 * 1024 * 1024;
/** A line is 40 digits, a colon, a count and a line break. */
const lineMax = 64;
const hashLine = /^([0-9A-F]{40})(?::\d{1,15})?\r?$/i;
/** A range of the file of at most this size is read at once. */
const blockBytes = 4096;
/** The depth of the search up to which the hashes in the middle of a range are kept: 65,536 of them. */
const keptDepth = 16;
/** Number of places of the file whose order is checked at the start. */
const placesChecked = 64;

const none: Blocklist = { hasWord: () => false, isLeaked: async () => false, close: async () => undefined };

/** Throws an `OperatorError` that names the setting if the file cannot be used. */
export async function openBlocklist(path: string | null): Promise<Blocklist> {
  if (path === null) return none;
  const file = await open(path).catch((error) => {
    throw unusable(path, `cannot be read (${error.code})`);
  });
  try {
    const { size } = await file.stat();
    const start = (await readAt(file, 0, lineMax)).split('\n')[0] ?? '';
    if (hashLine.test(start)) {
      const hashes = new HashFile(file, size);
      await hashes.requireOrder(path);
      return { ...none, isLeaked: (password) => hashes.has(sha1(password)), close: () => file.close() };
    }
    if (/^[0-9A-F]{32}:/i.test(start)) throw unusable(path, 'has NTLM hashes. Download the SHA-1 hashes');
    if (size > wordsMaxBytes)
      throw unusable(path, `is larger than ${wordsMaxBytes} bytes and has no SHA-1 hash in its first line`);
    await file.close();
    const lines = (await readFile(path, 'utf8')).split('\n');
    const words = new Set(lines.map((line) => line.normalize('NFKC').trim().toLowerCase()));
    return { ...none, hasWord: (text) => text !== '' && words.has(text) };
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
}

function unusable(path: string, problem: string): OperatorError {
  return new OperatorError(`the file ${JSON.stringify(path)} of ANAGRAFE_PASSWORD_BLOCKLIST ${problem}`, {
    code: 'setting_invalid',
    advice:
      'expected a text file with one word per line, or the published file of leaked passwords: SHA-1, ordered by hash.',
  });
}

function sha1(password: string): string {
  return createHash('sha1').update(password).digest('hex').toUpperCase();
}

async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('latin1', 0, bytesRead);
}

/** A file of hashes in ascending order, one in each line. A search reads at most some 25 blocks. */
class HashFile {
  readonly #file: FileHandle;
  readonly #size: number;
  /** The first hash after a position, for the positions at which most searches begin. */
  readonly #kept = new Map<number, string>();

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  async has(hash: string): Promise<boolean> {
    let from = 0;
    let to = this.#size;
    for (let depth = 0; to - from > blockBytes; depth++) {
      const middle = Math.floor((from + to) / 2);
      const found = this.#kept.get(middle) ?? (await this.#hashAfter(middle));
      if (depth < keptDepth) this.#kept.set(middle, found);
      // The line with the hash may begin before the middle of a range whose next line is greater.
      if (found <= hash) from = middle;
      else to = middle;
    }
    // The range may begin and end within a line.
    const start = Math.max(from - lineMax, 0);
    const text = await readAt(this.#file, start, to - start + lineMax);
    return text
      .toUpperCase()
      .split('\n')
      .some((line) => line.startsWith(hash));
  }

  /** Returns the hash of the first line that begins after the position; one beyond all hashes at the end of the file. */
  async #hashAfter(position: number): Promise<string> {
    const text = await readAt(this.#file, position, 2 * lineMax);
    const line = text.slice(text.indexOf('\n') + 1).split('\n')[0] ?? '';
    return hashLine.exec(line)?.[1]?.toUpperCase() ?? 'Z';
  }

  /** Reads hashes at some places. The file is also published in another order, in which no search would find anything. */
  async requireOrder(path: string): Promise<void> {
    let last = '';
    for (let place = 0; place < placesChecked; place++) {
      const hash = await this.#hashAfter(Math.floor((this.#size * place) / placesChecked));
      if (hash < last) throw unusable(path, 'is not ordered by hash');
      last = hash;
    }
  }
}
