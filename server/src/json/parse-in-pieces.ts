import type { TimeSlice } from '../lib/yield-to-event-loop.ts';
import {
  BACKSLASH,
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  QUOTE,
  SMALL_U,
  SPACE,
} from './scanner.ts';

/** The approximate size in bytes of the text that one call of `JSON.parse` gets. */
const PIECE = 16_384;
/** White space of this many bytes is left out of the pieces. */
const LONG_SPACE = 1_024;

/** Lookup table by byte: 1 if the byte is part of a number, `true`, `false` or `null`. */
const PRIMITIVE_BYTES = new Uint8Array(256);
for (const byte of Buffer.from('0123456789+-.eEtrufalsn')) PRIMITIVE_BYTES[byte] = 1;

/** The prototype of the objects that are assembled from pieces: it has no setter for `__proto__`. */
export const NO_FIELDS: object = Object.freeze(Object.create(null));

/** An object or array whose end has not been read yet. */
interface Container {
  readonly isArray: boolean;
  /** The value so far; undefined as long as the whole container fits into one piece with what surrounds it. */
  value: unknown[] | Record<string, unknown> | undefined;
  /** Offset of the first child that is not in `value` yet; -1 if there is none. */
  from: number;
  /** Offset of the last comma between children. */
  comma: number;
  /** The range of the name of the current field, with its quotes. */
  nameStart: number;
  nameEnd: number;
}

/**
 * Parses a valid JSON text with `JSON.parse`, in pieces of consecutive children of an object or array, because one call
 * for a large text would block the event loop. A long string is decoded in parts.
 */
export async function parseInPieces(text: Buffer, timeSlice: TimeSlice): Promise<unknown> {
  const parser = new PieceParser(text);
  while (!parser.advance()) {
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return parser.result;
}

class PieceParser {
  readonly #bytes: Buffer;
  /** Receives the top-level value. */
  readonly #root: unknown[] = [];
  /** The open containers, outermost first. */
  readonly #open: Container[] = [newContainer(true, 0, this.#root)];
  #at = 0;
  /** The range of the last string, with its quotes. */
  #stringStart = 0;
  #stringEnd = 0;
  /** The decoded part of a long string that is not complete yet. */
  #head: string | undefined;
  /** Offset after the last text that was parsed. */
  #parsedTo = 0;
  /** The ranges of long white space since then. */
  #spaces: { readonly start: number; end: number }[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get result(): unknown {
    return this.#root[0];
  }

  /** Reads about `PIECE` bytes; returns true at the end of the text. */
  advance(): boolean {
    if (this.#head !== undefined) {
      this.#moreOfString(this.#head);
      return false;
    }
    const bytes = this.#bytes;
    const stop = Math.min(this.#at + PIECE, bytes.length);
    let into = this.#open.at(-1) as Container;
    let at = this.#at;
    while (at < stop) {
      const byte = bytes[at] as number;
      if (PRIMITIVE_BYTES[byte] === 1) {
        at++;
        continue;
      }
      if (byte === QUOTE) {
        const end = endOfString(bytes, at + 1, at + PIECE);
        if (bytes[end] !== QUOTE) {
          this.#parseTo(into.comma);
          this.#at = at + 1;
          this.#head = '';
          return false;
        }
        this.#stringStart = at;
        this.#stringEnd = end + 1;
        at = end;
      } else if (byte === COLON) {
        into.nameStart = this.#stringStart;
        into.nameEnd = this.#stringEnd;
      } else if (byte === COMMA) {
        if (at - this.#parsedTo >= PIECE) this.#parseTo(at);
        if (into.from < 0) into.from = at + 1;
        into.comma = at;
      } else if (byte === BRACE || byte === BRACKET) {
        into = newContainer(byte === BRACKET, at + 1);
        this.#open.push(into);
      } else if (byte === BRACE_END || byte === BRACKET_END) {
        this.#open.pop();
        if (into.value) this.#parseChildren(into, at);
        into = this.#open.at(-1) as Container;
      } else if (byte <= SPACE) {
        at = this.#skipSpace(at, stop) - 1;
      }
      at++;
    }
    this.#at = at;
    if (at < bytes.length) return false;
    this.#parseChildren(into, at);
    return true;
  }

  #moreOfString(head: string): void {
    const end = endOfString(this.#bytes, this.#at, this.#at + PIECE);
    const text = head + JSON.parse(`"${this.#bytes.toString('utf8', this.#at, end)}"`);
    this.#at = end;
    this.#head = text;
    if (this.#bytes[end] !== QUOTE) return;
    this.#put(this.#open.at(-1) as Container, text);
    this.#head = undefined;
    this.#parsedTo = ++this.#at;
  }

  #skipSpace(start: number, stop: number): number {
    let end = start + 1;
    while (end < stop && (this.#bytes[end] as number) <= SPACE) end++;
    const last = this.#spaces.at(-1);
    if (last?.end === start) last.end = end;
    else if (end - start >= LONG_SPACE) this.#spaces.push({ start, end });
    return end;
  }

  /** Parses the complete children of all open containers; `end` is where those of the innermost one end. */
  #parseTo(end: number): void {
    for (const [depth, container] of this.#open.entries()) {
      const child = this.#open[depth + 1];
      this.#parseChildren(container, child ? container.comma : end);
      if (!child || child.value) continue;
      child.value = child.isArray ? [] : Object.create(NO_FIELDS);
      this.#put(container, child.value);
    }
    this.#parsedTo = Math.max(this.#at, end);
    this.#spaces = [];
  }

  #parseChildren(container: Container, end: number): void {
    const { isArray, value, from } = container;
    container.from = -1;
    if (from < 0 || end <= from) return;
    const text = this.#textOf(from, end);
    if (isArray) for (const item of JSON.parse(`[${text}]`)) (value as unknown[]).push(item);
    else Object.assign(value as object, JSON.parse(`{${text}}`));
  }

  #put(container: Container, value: unknown): void {
    if (Array.isArray(container.value)) container.value.push(value);
    else if (container.value) {
      const name: string = JSON.parse(this.#textOf(container.nameStart, container.nameEnd));
      container.value[name] = value;
    }
  }

  #textOf(start: number, end: number): string {
    let text = '';
    let from = start;
    for (const space of this.#spaces) {
      if (space.start < from || space.end > end) continue;
      text += this.#bytes.toString('utf8', from, space.start);
      from = space.end;
    }
    return text + this.#bytes.toString('utf8', from, end);
  }
}

function newContainer(isArray: boolean, from: number, value?: unknown[]): Container {
  return { isArray, value, from, comma: -1, nameStart: 0, nameEnd: 0 };
}

/** Returns the offset of the closing quote, or of the first character or escape at `limit` or after it. */
export function endOfString(bytes: Buffer, start: number, limit: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte === QUOTE || (at >= limit && (byte & 0xc0) !== 0x80)) return at;
    if (byte !== BACKSLASH) at++;
    else at += bytes[at + 1] === SMALL_U ? 6 : 2;
  }
}
