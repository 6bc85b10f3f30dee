import { Turns } from '../turns.ts';
import { Builder, type Items } from './builder.ts';
import { JsonError } from './error.ts';
import { JsonFault, Scanner } from './scanner.ts';
import { endOfPiece, firstInvalid, lengthInUtf16, startOfText } from './utf8.ts';

export { JsonError, type JsonProblem } from './error.ts';

export interface JsonLimits {
  /** How many objects and arrays may stand within one another; with 0 only a bare value is read. */
  maxDepth: number;
  /** How many values the body may have, objects and arrays included; 4 million unless given. */
  maxValues?: number;
  /** How many different names its fields may have, in all objects together; 10,000 unless given. */
  maxNames?: number;
}

/** A body up to this size is read at once: it takes a few milliseconds at most. */
const SMALL = 65_536;
/** How many bytes are checked or counted between two looks at the clock. */
const PIECE = 262_144;

// Without these, 32 MB of `{},` would fill 800 MB of memory, and one object with millions of fields, or one array
// with as many items, would hold up the event loop for a third of a second whenever its table has to grow.
const MAX_VALUES = 4_000_000;
const MAX_NAMES = 10_000;

/**
 * Reads a body as `JSON.parse` does, but more strictly, and without holding up the event loop: a large body is
 * read in slices of a few milliseconds. The bytes must not change until then, and nothing read refers to them.
 *
 * Refused beyond what `JSON.parse` refuses: a name that occurs twice in one object, half a surrogate pair, a
 * number beyond the range of a double or longer than 1,000 characters, a name longer than 8 kB, and what exceeds
 * the limits.
 *
 * Objects inherit nothing at all: `Object.keys`, `Object.hasOwn`, spreading and `value.Field` work as on any
 * object, `__proto__` and `constructor` are fields as any other, and one that was not sent is undefined. Their
 * prototype is an empty frozen object, hence neither null nor that of an object literal.
 *
 * With `items`, those of an array that is the whole body are given out as they are read, and the array that is
 * returned is empty.
 *
 * @throws {JsonError}
 */
export async function readJson(bytes: Uint8Array, limits: JsonLimits, items?: Items): Promise<unknown> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const turns = buffer.length > SMALL ? new Turns() : undefined;
  const start = startOfText(buffer);
  const scanner = new Scanner(buffer, start, limits.maxNames ?? MAX_NAMES);
  const builder = new Builder(scanner, limits.maxDepth, limits.maxValues ?? MAX_VALUES, items);
  try {
    await turns?.next();
    await requireUtf8(buffer, start, turns);
    while (!builder.advance()) {
      if (turns?.over) await turns.next();
    }
    return builder.result;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const offset = await countCharacters(buffer, start, error.byte, turns);
    throw new JsonError(error.problem, offset, builder.place);
  }
}

async function requireUtf8(bytes: Buffer, start: number, turns: Turns | undefined): Promise<void> {
  for (let at = start; at < bytes.length; ) {
    const end = endOfPiece(bytes, at, PIECE);
    const invalid = firstInvalid(bytes, at, end);
    if (invalid >= 0) throw new JsonFault('utf8', invalid);
    at = end;
    if (turns?.over) await turns.next();
  }
}

async function countCharacters(
  bytes: Buffer,
  start: number,
  end: number,
  turns: Turns | undefined,
): Promise<number> {
  let characters = 0;
  for (let at = start; at < end; ) {
    const next = Math.min(endOfPiece(bytes, at, PIECE), end);
    characters += lengthInUtf16(bytes, at, next);
    at = next;
    if (turns?.over) await turns.next();
  }
  return characters;
}
