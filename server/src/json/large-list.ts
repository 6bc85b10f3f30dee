import type { Fields } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { endOfString, parseInPieces } from './parse-in-pieces.ts';
import { parseValid } from './read-json.ts';
import { BRACE, BRACE_END, BRACKET, BRACKET_END, COLON, COMMA, QUOTE, SPACE } from './scanner.ts';

/** Size in bytes above which the users of a record are parsed one by one: as objects they take several times as much. */
export const largeListBytes = 1024 * 1024;
/** Number of bytes that are scanned between two chances to yield to the event loop. */
const PIECE = 65_536;
/** Size in bytes up to which an item is parsed in one step. */
const SMALL_ITEM = 16_384;

/** The range of a value in its text, without surrounding white space; `end` is the offset after its last byte. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** A JSON array in a valid text. An item is parsed whenever it is needed. */
export class LargeList {
  readonly #text: Buffer;
  readonly #start: number;

  /** `start` is the offset after the opening bracket. */
  constructor(text: Buffer, start: number) {
    this.#text = text;
    this.#start = start;
  }

  /** Yields the ranges of the items, and null now and then, so that the consumer can pause. */
  ranges(): Generator<Range | null> {
    return childRanges(this.#text, this.#start);
  }

  /** Returns true if the item is small enough to be parsed in one step. */
  isSmall({ start, end }: Range): boolean {
    return end - start <= SMALL_ITEM;
  }

  parseSmall(start: number, end: number): unknown {
    return JSON.parse(this.#text.toString('utf8', start, end));
  }

  parseLarge({ start, end }: Range, timeSlice: TimeSlice): Promise<unknown> {
    return parseInPieces(this.#text.subarray(start, end), timeSlice);
  }
}

/**
 * Parses the text of a record like `readRecord`, but a large array `Users` that is not empty becomes a `LargeList` that
 * refers to the text.
 */
export function readLargeRecord(text: Buffer): Promise<Fields> {
  return text.length <= largeListBytes ? (parseValid(text) as Promise<Fields>) : readWithLargeList(text);
}

async function readWithLargeList(text: Buffer): Promise<Fields> {
  const timeSlice = new TimeSlice();
  for (const member of childRanges(text, 1)) {
    if (timeSlice.isOver) await timeSlice.yield();
    if (member === null || member.end - member.start <= largeListBytes) continue;
    const start = startOfList(text, member);
    if (start === null || !(await hasChild(text, start, timeSlice))) continue;
    // The names of the fields of an object are unique, so that no other field is called `Users`.
    const others = Buffer.concat([text.subarray(0, start), Buffer.from(']'), text.subarray(member.end)]);
    return { ...((await parseValid(others)) as Fields), Users: new LargeList(text, start) };
  }
  return (await parseValid(text)) as Fields;
}

/** Returns false if there is only white space up to the closing bracket. */
async function hasChild(text: Buffer, start: number, timeSlice: TimeSlice): Promise<boolean> {
  for (const range of childRanges(text, start)) {
    if (range !== null) return true;
    if (timeSlice.isOver) await timeSlice.yield();
  }
  return false;
}

/** Returns the offset after the opening bracket if the member of an object is an array `Users`, otherwise null. */
function startOfList(text: Buffer, { start, end }: Range): number | null {
  const nameEnd = endOfString(text, start + 1, end) + 1;
  if (nameEnd - start > PIECE || JSON.parse(text.toString('utf8', start, nameEnd)) !== 'Users') return null;
  let at = nameEnd;
  while (text[at] === COLON || (text[at] as number) <= SPACE) at++;
  return text[at] === BRACKET ? at + 1 : null;
}

/**
 * Yields the ranges of the items of an array, or of the fields of an object with their names. `start` is the offset
 * after the opening bracket or brace. Yields null after each `PIECE` bytes, so that the consumer can pause.
 */
function* childRanges(text: Buffer, start: number): Generator<Range | null> {
  let depth = 0;
  /** The range of the current child; -1 before its first byte. */
  let childStart = -1;
  let childEnd = -1;
  let isInString = false;
  let pauseAt = start + PIECE;
  for (let at = start; at < text.length; at++) {
    if (at >= pauseAt) {
      yield null;
      pauseAt = at + PIECE;
    }
    const byte = text[at] as number;
    if (!isInString) {
      if (byte <= SPACE) continue;
      if (depth === 0 && (byte === COMMA || byte === BRACKET_END || byte === BRACE_END)) {
        if (childStart >= 0) yield { start: childStart, end: childEnd };
        if (byte !== COMMA) return;
        childStart = -1;
        continue;
      }
      if (childStart < 0) childStart = at;
      if (byte === BRACE || byte === BRACKET) depth++;
      else if (byte === BRACE_END || byte === BRACKET_END) depth--;
    }
    if (isInString || byte === QUOTE) {
      const end = endOfString(text, isInString ? at : at + 1, pauseAt);
      isInString = text[end] !== QUOTE;
      at = isInString ? end - 1 : end;
    }
    childEnd = at + 1;
  }
}
