import type { Fields } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';

/** The size in bytes of a record whose users are parsed one by one: all at once they would block the event loop. */
const largeBytes = 64 * 1024;

const usersField = Buffer.from('"Users"');
const [quote, backslash, comma] = Buffer.from('"\\,');
const [bracket, brace, bracketEnd, braceEnd] = Buffer.from('[{]}');

/** Parses the text of one record, which has been validated; a large one with pauses for the event loop. */
export async function readRecord(text: Buffer): Promise<Fields> {
  return text.length < largeBytes ? JSON.parse(text.toString()) : readInPieces(text);
}

async function readInPieces(text: Buffer): Promise<Fields> {
  const list = findUsers(text);
  if (!list) return JSON.parse(text.toString());
  const timeSlice = new TimeSlice();
  const users: unknown[] = [];
  let start = list.start;
  for (const end of list.itemEnds) {
    users.push(JSON.parse(text.toString('utf8', start, end)));
    start = end + 1;
    if (timeSlice.isOver) await timeSlice.yield();
  }
  const others = text.toString('utf8', 0, list.start) + text.toString('utf8', list.itemEnds.at(-1));
  return Object.assign(JSON.parse(others), { Users: users });
}

/**
 * Finds the users in the text of a record: where the first one starts and where each ends. Returns null if the text has
 * no users, or writes the name of the field with escapes.
 */
function findUsers(text: Buffer): { readonly start: number; readonly itemEnds: readonly number[] } | null {
  const itemEnds: number[] = [];
  let start = 0;
  let depth = 0;
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === quote) {
      const end = endOfString(text, at);
      if (depth === 1) isName = text.subarray(at, end).equals(usersField);
      at = end - 1;
    } else if (byte === bracket || byte === brace) {
      depth++;
      if (depth === 2 && byte === bracket && isName) start = at + 1;
    } else if (byte === bracketEnd || byte === braceEnd) {
      depth--;
      if (depth === 1 && start > 0)
        return isBlank(text, start, at) ? null : { start, itemEnds: [...itemEnds, at] };
    } else if (byte === comma && depth === 2 && start > 0) itemEnds.push(at);
    else if (byte === comma && depth === 1) isName = false;
  }
  return null;
}

function isBlank(text: Buffer, start: number, end: number): boolean {
  return end - start < largeBytes && text.toString('utf8', start, end).trim() === '';
}

/** Returns the offset after a string that starts at `start`. */
function endOfString(text: Buffer, start: number): number {
  let at = start + 1;
  while (text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at + 1;
}
