import { TimeSlice } from '../lib/yield-to-event-loop.ts';
import { JsonError } from './errors.ts';
import { ScanError, Scanner } from './scanner.ts';
import { endOfPiece, firstInvalid, lengthInUtf16, startOfText } from './utf8.ts';
import { type ElementListener, Validator } from './validator.ts';

export interface JsonLimits {
  /** The maximum nesting of objects and arrays; with 0 only a primitive value is accepted. */
  maxDepth: number;
  /** The maximum number of values in the body, objects and arrays included; defaults to 4 million. */
  maxValues?: number;
  /** The maximum number of distinct field names in the body; defaults to 10,000. */
  maxNames?: number;
  /** Ends the validation of a large body with its reason once it is aborted. */
  signal?: AbortSignal;
}

/** The largest body, in bytes, that is read without yielding to the event loop; it takes a few milliseconds at most. */
const SMALL = 65_536;
/** The number of bytes that are validated or counted between two checks of the time slice. */
const PIECE = 262_144;
/** The prototype of parsed objects: it has no setter for `__proto__`. */
const NO_FIELDS: object = Object.freeze(Object.create(null));

// Without these limits, 32 MB of `{},` would take 800 MB of memory, and one object with millions of fields, or one
// array with millions of items, would block the event loop for a third of a second whenever its table grows.
const MAX_VALUES = 4_000_000;
const MAX_NAMES = 10_000;

/**
 * Parses a JSON body of at most some kilobytes like `JSON.parse`, but with the stricter rules of `validateJson`.
 *
 * Objects inherit nothing: `Object.keys`, `Object.hasOwn`, spreading and `value.Field` work as usual, `__proto__` and
 * `constructor` are ordinary fields, and an absent field is undefined. Their prototype is an empty frozen object,
 * hence neither null nor `Object.prototype`.
 *
 * @throws {JsonError}
 */
export async function readJson(bytes: Uint8Array, limits: JsonLimits): Promise<unknown> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  await validateJson(buffer, limits);
  const value: unknown = JSON.parse(buffer.toString('utf8', startOfText(buffer)));
  removePrototypes(value);
  return value;
}

/**
 * Validates a JSON body without building its value, in time slices if it is large. Passes each element of a
 * top-level array, or of the `Users` of a top-level object, to `onElement`. Returns true if the body is an array.
 *
 * Beyond the errors of `JSON.parse`, these are errors: a duplicate name in one object, half a surrogate pair, a number
 * beyond the range of a double or longer than 1,000 characters, a name longer than 8 kB, and a body that exceeds the
 * limits.
 *
 * @throws {JsonError}
 */
export async function validateJson(
  bytes: Buffer,
  limits: JsonLimits,
  onElement?: ElementListener,
): Promise<boolean> {
  const timeSlice = bytes.length > SMALL ? new TimeSlice(limits.signal) : undefined;
  const start = startOfText(bytes);
  const scanner = new Scanner(bytes, start, limits.maxNames ?? MAX_NAMES);
  const validator = new Validator(scanner, limits.maxDepth, limits.maxValues ?? MAX_VALUES, onElement);
  try {
    await timeSlice?.yield();
    await requireUtf8(bytes, start, timeSlice);
    for (const _ of validator.steps()) {
      if (timeSlice?.isOver) await timeSlice.yield();
    }
    return validator.isArray;
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    const offset = await countCharacters(bytes, start, error.byte, timeSlice);
    throw new JsonError(error.problem, offset, validator.place);
  }
}

function removePrototypes(value: unknown): void {
  const left: object[] = [];
  const visit = (child: unknown) => {
    if (typeof child === 'object' && child !== null) left.push(child);
  };
  visit(value);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (!Array.isArray(next)) Object.setPrototypeOf(next, NO_FIELDS);
    for (const child of Array.isArray(next) ? next : Object.values(next)) visit(child);
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
