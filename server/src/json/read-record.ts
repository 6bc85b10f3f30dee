import type { Fields } from '../lib/request-fields.ts';
import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { validateJson } from './read-json.ts';
import type { ScannedElement } from './validator.ts';

/** The size in bytes of a record whose users are parsed one by one: all at once they would block the event loop. */
const largeBytes = 64 * 1024;

/** Parses the text of one record, which has been validated; a large one with pauses for the event loop. */
export async function readRecord(text: Buffer): Promise<Fields> {
  return text.length < largeBytes ? JSON.parse(text.toString()) : readInPieces(text);
}

async function readInPieces(text: Buffer): Promise<Fields> {
  const found: ScannedElement[] = [];
  // The limits of the call were checked when its body was validated.
  await validateJson(text, { maxDepth: Infinity, maxValues: Infinity, maxNames: Infinity }, (user) =>
    found.push(user),
  );
  const [first, last] = [found[0], found.at(-1)];
  if (!first || !last) return JSON.parse(text.toString());
  const timeSlice = new TimeSlice();
  const users: unknown[] = [];
  for (const { start, end } of found) {
    users.push(JSON.parse(text.toString('utf8', start, end)));
    if (timeSlice.isOver) await timeSlice.yield();
  }
  const others = text.toString('utf8', 0, first.start) + text.toString('utf8', last.end);
  return { ...JSON.parse(others), Users: users };
}
