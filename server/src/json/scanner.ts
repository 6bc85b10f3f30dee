import type { JsonProblem } from './errors.ts';

export const END = -1;
const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const BRACKET_END = 0x5d;
const SMALL_U = 0x75;
export const BRACE = 0x7b;
export const BRACE_END = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const SMALL_F = 0x66;
const SMALL_T = 0x74;

/** The approximate number of bytes that one method call reads at most, so that the caller can check its time slice. */
const STEP = 8_192;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const LONGEST_NUMBER = 1_000;

/** Lookup table by byte: 1 if the byte may occur in a number. */
const NUMBER_BYTES = new Uint8Array(256);
for (const byte of Buffer.from('0123456789+-.eE')) NUMBER_BYTES[byte] = 1;

/** Lookup table by the byte after a backslash: 1 for an escape of two characters. */
const ESCAPES = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPES[byte] = 1;

/** Lookup table by byte: 1 if the byte stands for itself in a string. */
const PLAIN_BYTES = new Uint8Array(256).fill(1, SPACE);
PLAIN_BYTES[QUOTE] = 0;
PLAIN_BYTES[BACKSLASH] = 0;

/** An error with a byte offset. `validateJson` converts it to a `JsonError`, whose offset counts UTF-16 code units. */
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
 * Splits valid UTF-8 into the tokens of RFC 8259, and validates each of them. It decodes only the names of fields. It
 * reads bytes because decoding a large body into one string takes a tenth of a second.
 */
export class Scanner {
  /** The offset of the next byte to read. */
  at: number;
  readonly #bytes: Buffer;
  /** The distinct names of fields. */
  readonly #names = new Set<string>();
  /** The same by the bytes of the name, as Latin-1 text, so that a repeated name is not decoded again. */
  readonly #namesByBytes = new Map<string, string>();
  readonly #maxNames: number;

  constructor(bytes: Buffer, start: number, maxNames: number) {
    this.#bytes = bytes;
    this.at = start;
    this.#maxNames = maxNames;
  }

  /**
   * Skips white space and returns the next byte without consuming it; END at the end of the text. Returns null if the
   * white space is longer than STEP; the caller must then call it again.
   */
  peek(): number | null {
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
    return stop === bytes.length ? END : null;
  }

  /** Skips a string from its opening quote; returns false if it is long: call `moreOfString` until that is true. */
  string(): boolean {
    this.at++;
    return this.moreOfString();
  }

  moreOfString(): boolean {
    const bytes = this.#bytes;
    const length = bytes.length;
    const stop = this.at + STEP;
    let at = this.at;
    while (at < length) {
      while (at < stop && PLAIN_BYTES[bytes[at] as number] === 1) at++;
      if (at >= length) break;
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.at = at + 1;
        return true;
      }
      if (byte < SPACE) throw new ScanError('syntax', at);
      if (at >= stop && (byte & 0xc0) !== 0x80) {
        this.at = at;
        return false;
      }
      at += byte === BACKSLASH ? this.#lengthOfEscape(at) : 1;
    }
    throw new ScanError('syntax', length);
  }

  /** Reads the name of a field from its opening quote. */
  name(): string {
    const start = this.at;
    if (!this.string()) throw new ScanError('names', start);
    const raw = this.#bytes.toString('latin1', start, this.at);
    return this.#namesByBytes.get(raw) ?? this.#newName(raw, start);
  }

  #newName(raw: string, start: number): string {
    const name: string = JSON.parse(this.#bytes.toString('utf8', start, this.at));
    if (this.#names.add(name).size > this.#maxNames) throw new ScanError('names', start);
    // With escapes, one name can be written in very many ways.
    if (!raw.includes('\\')) this.#namesByBytes.set(raw, name);
    return name;
  }

  /** Skips a number, `true`, `false` or `null` that begins with the byte. */
  bare(byte: number): void {
    if (byte === MINUS || (byte >= ZERO && byte <= NINE)) this.#number();
    else if (byte === SMALL_T) this.#word('true');
    else if (byte === SMALL_F) this.#word('false');
    else this.#word('null');
  }

  #number(): void {
    const bytes = this.#bytes;
    const start = this.at;
    const stop = Math.min(start + LONGEST_NUMBER + 1, bytes.length);
    let at = start;
    let isInteger = true;
    for (; at < stop; at++) {
      const byte = bytes[at] as number;
      if (byte >= ZERO && byte <= NINE) continue;
      if (NUMBER_BYTES[byte] !== 1) break;
      isInteger = false;
    }
    // Every integer of up to 300 digits is in the range of a double.
    const isShortInteger = isInteger && at - start <= 300 && (bytes[start] !== ZERO || at === start + 1);
    if (!isShortInteger) this.#requireNumber(start, at);
    this.at = at;
  }

  #requireNumber(start: number, end: number): void {
    if (end - start > LONGEST_NUMBER) throw new ScanError('number', start);
    const text = this.#bytes.toString('latin1', start, end);
    if (!NUMBER.test(text)) throw new ScanError('syntax', start);
    if (!Number.isFinite(Number(text))) throw new ScanError('number', start);
  }

  #word(letters: string): void {
    if (!this.#matchesAt(letters, this.at)) throw new ScanError('syntax', this.at);
    this.at += letters.length;
  }

  #matchesAt(ascii: string, start: number): boolean {
    const bytes = this.#bytes;
    if (start + ascii.length > bytes.length) return false;
    for (let i = 0; i < ascii.length; i++) {
      if (bytes[start + i] !== ascii.charCodeAt(i)) return false;
    }
    return true;
  }

  /** Validates the escape at a byte offset, or the two escapes of a surrogate pair, and returns its length in bytes. */
  #lengthOfEscape(at: number): number {
    const letter = this.#bytes[at + 1] ?? 0;
    if (letter !== SMALL_U) {
      if (ESCAPES[letter] !== 1) throw new ScanError('syntax', at);
      return 2;
    }
    const unit = this.#hex(at + 2);
    if (unit < 0xd800 || unit > 0xdfff) return 6;
    if (unit > 0xdbff || !this.#matchesAt('\\u', at + 6)) throw new ScanError('surrogate', at);
    const low = this.#hex(at + 8);
    if (low < 0xdc00 || low > 0xdfff) throw new ScanError('surrogate', at);
    return 12;
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
