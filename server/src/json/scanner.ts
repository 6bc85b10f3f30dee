import type { JsonProblem } from './errors.ts';
import { encodeCharacter } from './utf8.ts';

export const END = -1;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BRACKET = 0x5b;
export const BRACKET_END = 0x5d;
export const BRACE = 0x7b;
export const BRACE_END = 0x7d;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const SMALL_F = 0x66;
const SMALL_T = 0x74;
const SMALL_U = 0x75;

/** The approximate number of bytes that one method call reads at most, so that the caller can check its time slice. */
const STEP = 8_192;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LONGEST_NUMBER = 1_000;

const NAME_SLOTS = 256;
const LONGEST_KEPT_NAME = 40;

/** Lookup table by byte: 1 if the byte may occur in a number. */
const NUMBER_BYTES = new Uint8Array(256);
for (const byte of Buffer.from('0123456789+-.eE')) NUMBER_BYTES[byte] = 1;

/** Lookup table by the byte after a backslash: the escaped character, or 0 for an invalid escape. */
const ESCAPES = new Uint8Array(256);
for (const [letter, meaning] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
  ESCAPES[(letter as string).charCodeAt(0)] = (meaning as string).charCodeAt(0);
}

/** An error with a byte offset. `readJson` converts it to a `JsonError`, whose offset counts UTF-16 code units. */
export class ScanError extends Error {
  readonly problem: JsonProblem;
  readonly byte: number;

  constructor(problem: JsonProblem, byte: number) {
    super(problem);
    this.problem = problem;
    this.byte = byte;
  }
}

/**
 * Splits valid UTF-8 into the tokens of RFC 8259. It reads bytes because decoding a large body into one string takes a
 * tenth of a second, and every substring of that string would keep the whole string in memory.
 */
export class Scanner {
  /** The offset of the next byte to read. */
  at: number;
  readonly #bytes: Buffer;
  /** A cache of decoded names: each slot holds the last name with its hash. It saves decoding repeated names. */
  readonly #slots = new Array<string | undefined>(NAME_SLOTS).fill(undefined);
  readonly #names = new Set<string>();
  readonly #maxNames: number;
  #scratch: Buffer | undefined;
  /** The decoded part of a long string that is not complete yet. */
  #head = '';

  constructor(bytes: Buffer, start: number, maxNames: number) {
    this.#bytes = bytes;
    this.at = start;
    this.#maxNames = maxNames;
  }

  /**
   * Skips white space and returns the next byte without consuming it; END at the end of the text. Returns SPACE if the
   * white space is longer than STEP; the caller must then call it again.
   */
  peek(): number {
    const bytes = this.#bytes;
    const stop = Math.min(this.at + STEP, bytes.length);
    for (let at = this.at; at < stop; at++) {
      const byte = bytes[at] as number;
      if (byte > SPACE || (byte !== SPACE && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) {
        this.at = at;
        return byte;
      }
    }
    this.at = stop;
    return stop === bytes.length ? END : SPACE;
  }

  /** Reads a string from its opening quote; undefined if it is long: call `moreOfString` until that returns it. */
  string(): string | undefined {
    const bytes = this.#bytes;
    const start = this.at + 1;
    const stop = Math.min(start + STEP, bytes.length);
    for (let at = start; at < stop; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.at = at + 1;
        return bytes.toString('utf8', start, at);
      }
      if (byte === BACKSLASH || byte < SPACE) break;
    }
    this.at = start;
    this.#head = '';
    return this.moreOfString();
  }

  /** Continues a long string. It decodes one part per call, because a string of 30 MB takes too long at once. */
  moreOfString(): string | undefined {
    const bytes = this.#bytes;
    const length = bytes.length;
    const stop = this.at + STEP;
    // An escape is never shorter than its UTF-8 encoding. The last one may begin just before `stop`, hence the 4 bytes.
    this.#scratch ??= Buffer.allocUnsafe(Math.min(STEP, length) + 4);
    const scratch = this.#scratch;
    let filled = 0;
    let at = this.at;
    while (at < length) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.at = at + 1;
        return this.#head + scratch.toString('utf8', 0, filled);
      }
      if (byte < SPACE) throw new ScanError('syntax', at);
      const startsCharacter = (byte & 0xc0) !== 0x80;
      if (at >= stop && startsCharacter) {
        this.#head += scratch.toString('utf8', 0, filled);
        this.at = at;
        return undefined;
      }
      if (byte !== BACKSLASH) {
        scratch[filled++] = byte;
        at++;
        continue;
      }
      const letter = at + 1 < length ? (bytes[at + 1] as number) : 0;
      if (letter === SMALL_U) {
        const point = this.#codePoint(at);
        filled = encodeCharacter(point, scratch, filled);
        at += point > 0xffff ? 12 : 6;
      } else {
        const meaning = ESCAPES[letter] as number;
        if (meaning === 0) throw new ScanError('syntax', at);
        scratch[filled++] = meaning;
        at += 2;
      }
    }
    throw new ScanError('syntax', length);
  }

  /** Reads the name of a field from its opening quote. */
  name(): string {
    const bytes = this.#bytes;
    const start = this.at + 1;
    const stop = Math.min(start + LONGEST_KEPT_NAME, bytes.length);
    let hash = 0;
    for (let at = start; at < stop; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        const slot = (hash ^ (hash >> 8)) & (NAME_SLOTS - 1);
        const kept = this.#slots[slot];
        if (kept !== undefined && kept.length === at - start && this.#matchesAt(kept, start)) {
          this.at = at + 1;
          return kept;
        }
        const name = this.#newName();
        this.#slots[slot] = name;
        return name;
      }
      if (byte === BACKSLASH || byte < SPACE || byte > 0x7f) break;
      hash = (hash * 31 + byte) | 0;
    }
    return this.#newName();
  }

  #newName(): string {
    const start = this.at;
    const name = this.string();
    if (name === undefined) throw new ScanError('names', start);
    if (this.#names.add(name).size > this.#maxNames) throw new ScanError('names', start);
    return name;
  }

  /** Reads a number, `true`, `false` or `null` that begins with the byte. */
  bare(byte: number): number | boolean | null {
    if (byte === MINUS || (byte >= ZERO && byte <= NINE)) return this.#number();
    if (byte === SMALL_T) return this.#word('true', true);
    if (byte === SMALL_F) return this.#word('false', false);
    return this.#word('null', null);
  }

  #number(): number {
    const bytes = this.#bytes;
    const start = this.at;
    let at = start;
    let whole = 0;
    // A double represents every integer of up to 15 digits exactly, so this sum needs no decoding.
    for (const stop = Math.min(start + 15, bytes.length); at < stop; at++) {
      const byte = bytes[at] as number;
      if (byte < ZERO || byte > NINE) break;
      whole = whole * 10 + byte - ZERO;
    }
    const leadingZero = bytes[start] === ZERO && at > start + 1;
    const stop = Math.min(start + LONGEST_NUMBER + 1, bytes.length);
    const digits = at - start;
    while (at < stop && NUMBER_BYTES[bytes[at] as number] === 1) at++;
    if (digits > 0 && at === start + digits && !leadingZero) {
      this.at = at;
      return whole;
    }
    if (at - start > LONGEST_NUMBER) throw new ScanError('number', start);
    const text = bytes.toString('latin1', start, at);
    if (!NUMBER.test(text)) throw new ScanError('syntax', start);
    const value = Number(text);
    if (!Number.isFinite(value)) throw new ScanError('number', start);
    this.at = at;
    return value;
  }

  #word<T>(letters: string, value: T): T {
    if (!this.#matchesAt(letters, this.at)) throw new ScanError('syntax', this.at);
    this.at += letters.length;
    return value;
  }

  #matchesAt(ascii: string, start: number): boolean {
    const bytes = this.#bytes;
    if (start + ascii.length > bytes.length) return false;
    for (let i = 0; i < ascii.length; i++) {
      if (bytes[start + i] !== ascii.charCodeAt(i)) return false;
    }
    return true;
  }

  /** Returns the code point of the `\u` escape at a byte offset, or of the two escapes of a surrogate pair. */
  #codePoint(at: number): number {
    const unit = this.#hex(at + 2);
    if (unit < 0xd800 || unit > 0xdfff) return unit;
    if (unit > 0xdbff || !this.#matchesAt('\\u', at + 6)) throw new ScanError('surrogate', at);
    const low = this.#hex(at + 8);
    if (low < 0xdc00 || low > 0xdfff) throw new ScanError('surrogate', at);
    return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }

  #hex(start: number): number {
    let value = 0;
    for (let at = start; at < start + 4; at++) {
      const digit = at < this.#bytes.length ? hexDigit(this.#bytes[at] as number) : -1;
      if (digit < 0) throw new ScanError('syntax', Math.min(at, this.#bytes.length));
      value = value * 16 + digit;
    }
    return value;
  }
}

function hexDigit(byte: number): number {
  if (byte >= ZERO && byte <= NINE) return byte - ZERO;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
