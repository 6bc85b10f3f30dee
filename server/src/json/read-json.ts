import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { Builder, type Items } from './builder.ts';
import { JsonError } from './errors.ts';
import { ScanError, Scanner } from './scanner.ts';
import { endOfPiece, firstInvalid, lengthInUtf16, startOfText } from './utf8.ts';

export interface JsonLimits {
  /** The maximum nesting of objects and arrays; with 0 only a primitive value is accepted. */
  maxDepth: number;
  /** The maximum number of values in the body, objects and arrays included; defaults to 4 million. */
  maxValues?: number;
  /** The maximum number of distinct field names in the body; defaults to 10,000. */
  maxNames?: number;
}

/** The largest body, in bytes, that is read without yielding to the event loop; it takes a few milliseconds at most. */
const SMALL = 65_536;
/** The number of bytes that are validated or counted between two checks of the time slice. */
const PIECE = 262_144;

// Without these limits, 32 MB of `{},` would take 800 MB of memory, and one object with millions of fields, or one
// array with millions of items, would block the event loop for a third of a second whenever its table grows.
const MAX_VALUES = 4_000_000;
const MAX_NAMES = 10_000;

/**
 * Parses a JSON body like `JSON.parse`, but more strictly and without blocking the event loop: a large body is read in
 * time slices. The bytes must not change until the promise settles; the result does not refer to them.
 *
 * Beyond the errors of `JSON.parse`, these are errors: a duplicate name in one object, half a surrogate pair, a number
 * beyond the range of a double or longer than 1,000 characters, a name longer than 8 kB, and a body that exceeds the
 * limits.
 *
 * Objects inherit nothing: `Object.keys`, `Object.hasOwn`, spreading and `value.Field` work as usual, `__proto__` and
 * `constructor` are ordinary fields, and an absent field is undefined. Their prototype is an empty frozen object,
 * hence neither null nor `Object.prototype`.
 *
 * With `items`, the items of a top-level array are passed to it as they are read, and the returned array is empty.
 *
 * @throws {JsonError}
 */
export async function readJson(bytes: Uint8Array, limits: JsonLimits, items?: Items): Promise<unknown> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const timeSlice = buffer.length > SMALL ? new TimeSlice() : undefined;
  const start = startOfText(buffer);
  const scanner = new Scanner(buffer, start, limits.maxNames ?? MAX_NAMES);
  const builder = new Builder(scanner, limits.maxDepth, limits.maxValues ?? MAX_VALUES, items);
  try {
    await timeSlice?.yield();
    await requireUtf8(buffer, start, timeSlice);
    while (!builder.advance()) {
      if (timeSlice?.isOver) await timeSlice.yield();
    }
    return builder.result;
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    const offset = await countCharacters(buffer, start, error.byte, timeSlice);
    throw new JsonError(error.problem, offset, builder.place);
  }
}

async function requireUtf8(bytes: Buffer, start: number, timeSlice: TimeSlice | undefined): Promise<void> {
  for (let at = start; at < bytes.length; ) {
    const end = endOfPiece(bytes, at, PIECE);
    const invalid = firstInvalid(bytes, at, end);
    if (invalid >= 0) throw new ScanError('utf8', invalid);
    at = end;
    if (timeSlice?.isOver) await timeSlice.yield();
  }
}

async function countCharacters(
  bytes: Buffer,
  start: number,
  end: number,
  timeSlice: TimeSlice | undefined,
): Promise<number> {
  let characters = 0;
  for (let at = start; at < end; ) {
    const next = Math.min(endOfPiece(bytes, at, PIECE), end);
    characters += lengthInUtf16(bytes, at, next);
    at = next;
    if (timeSlice?.isOver) await timeSlice.yield();
  }
  return characters;
}
