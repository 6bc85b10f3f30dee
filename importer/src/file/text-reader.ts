import { rowLimit } from './csv-scanner.ts';
import { failure } from './errors.ts';
import { elementLimit, positionAt } from './json-element.ts';
import { Decoder, type TextChunk } from './text.ts';
import type { Encoding, FileFormat } from './types.ts';

/**
 * The bytes of a file: `createReadStream(path)` in Node.js, `(await Deno.open(path)).readable` in Deno, or
 * `file.stream()` in a browser.
 */
export type FileBytes = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** Maximum size of a chunk in bytes. It bounds the memory for decoded text and rows. */
const chunkSize = 65_536;

/** The decoded text of a file with lookahead, to detect its format before the iteration. It can be iterated once. */
export class TextReader implements AsyncIterable<TextChunk> {
  readonly #decoder: Decoder;
  readonly #source: AsyncGenerator<TextChunk, void, undefined>;
  #buffered: TextChunk[] = [];
  #ended = false;
  #bytesRead = 0;
  /** The text that `lookAhead` has read so far. */
  head = '';

  constructor(bytes: FileBytes, encoding: Encoding | null) {
    this.#decoder = new Decoder(encoding);
    this.#source = this.#decode(bytes);
  }

  /** Null while only ASCII was read. */
  get encoding(): Encoding | null {
    return this.#decoder.encoding;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  get isComplete(): boolean {
    return this.#ended;
  }

  /** Doubles the length of `head`, so that a caller that examines it after each call needs linear time in total. */
  async lookAhead(): Promise<void> {
    const enough = Math.max(1, this.head.length * 2);
    while (!this.#ended && this.head.length < enough) {
      const next = await this.#source.next();
      if (next.done) this.#ended = true;
      else {
        this.#buffered.push(next.value);
        this.head += next.value.text;
      }
    }
  }

  async close(): Promise<void> {
    await this.#source.return();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TextChunk, void, undefined> {
    const buffered = this.#buffered;
    this.#buffered = [];
    this.head = '';
    try {
      yield* buffered;
      yield* this.#source;
    } finally {
      await this.close();
    }
  }

  async *#decode(bytes: FileBytes): AsyncGenerator<TextChunk, void, undefined> {
    for await (const chunk of Symbol.asyncIterator in bytes ? bytes : iterate(bytes)) {
      for (let at = 0; at < chunk.length; at += chunkSize) {
        const part = chunk.subarray(at, at + chunkSize);
        this.#bytesRead += part.length;
        const decoded = this.#decoder.decode(part, false);
        yield decoded;
        if (decoded.error) return;
      }
    }
    yield this.#decoder.decode(new Uint8Array(), true);
  }
}

/** The first bytes of a file, and all bytes as an iterator that includes them. */
interface PeekedBytes {
  readonly head: Uint8Array;
  readonly bytes: AsyncGenerator<Uint8Array, void, undefined>;
}

/** Reads the first bytes of a file, at least `length` unless the file is shorter. */
export async function peek(bytes: FileBytes, length: number): Promise<PeekedBytes> {
  const source = (Symbol.asyncIterator in bytes ? bytes : iterate(bytes))[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size < length) {
    const next = await source.next();
    if (next.done) break;
    // The source may reuse its buffer.
    chunks.push(next.value.slice());
    size += next.value.length;
  }
  const head = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    head.set(chunk, at);
    at += chunk.length;
  }
  return { head, bytes: rest() };

  async function* rest(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield head;
      for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  }
}

const archiveSignature = [0x50, 0x4b, 0x03, 0x04];
/** Number of bytes that `isArchive` needs. */
export const signatureLength = archiveSignature.length;

/** Returns true for a ZIP archive, which .xlsx and .ods files are. */
export function isArchive(head: Uint8Array): boolean {
  return archiveSignature.every((byte, at) => head[at] === byte);
}

/** Iterates over a stream in browsers that do not support `for await` on a `ReadableStream`. */
async function* iterate(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}

/** Detects the format by the first character that is not white space: `[` is JSON, `{` is NDJSON, all else is CSV. */
export async function detectFormat(text: TextReader): Promise<FileFormat> {
  while (!text.isComplete && text.head.length < rowLimit && text.head.trim() === '') await text.lookAhead();
  const first = text.head.trimStart();
  if (first.startsWith('[')) return 'json';
  if (!first.startsWith('{')) return 'csv';
  await rejectMultilineObject(text);
  return 'ndjson';
}

/** Rejects an object that spans several lines. Read as NDJSON it would cause one error per line. */
async function rejectMultilineObject(text: TextReader): Promise<void> {
  const start = text.head.indexOf('{');
  while (!text.isComplete && text.head.length < elementLimit && text.head.indexOf('\n', start) < 0)
    await text.lookAhead();
  const firstLine = text.head.slice(start).split('\n', 1)[0] ?? '';
  if (!firstLine.trimEnd().endsWith('}'))
    throw failure('NOT_A_LIST', positionAt(text.head, start, { line: 1, column: 1 }));
}

/** Length of the text that shows if a file is binary, in UTF-16 code units. */
const binaryTestLength = 512;

/** Looks for control characters that a text does not have. NUL is none of them: UTF-16 read as ASCII has it. */
export async function hasControlCharacters(text: TextReader): Promise<boolean> {
  while (!text.isComplete && text.head.length < binaryTestLength) await text.lookAhead();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
  return /[\x01-\x08\x0e-\x1f]/.test(text.head.slice(0, binaryTestLength));
}

/** Candidates, in order of precedence if two of them occur equally often. */
const separators = ['\t', ';', ',', '|'];

/** The `sep=` line that Excel writes before the header to declare the separator. */
const separatorLine = /^"?sep=([^"\r\n])"?$/i;

interface DetectedSeparator {
  readonly separator: string;
  /** True if the first line is a `sep=` line and not the header. */
  readonly isDeclared: boolean;
}

/** Detects a `sep=` line even if the separator is given, because that line must be skipped. */
export async function detectSeparator(text: TextReader, given?: string): Promise<DetectedSeparator> {
  if (given !== undefined && !/^[^"\r\n]$/.test(given)) throw failure('INVALID_SEPARATOR', {});
  let detected = separatorIn(text.head, text.isComplete);
  while (!detected) {
    await text.lookAhead();
    detected = separatorIn(text.head, text.isComplete);
  }
  return { ...detected, separator: given ?? detected.separator };
}

/**
 * Detects the separator by the first line that is not empty. A line end inside quotes does not end the line. Returns
 * null if the line is not complete yet.
 */
function separatorIn(head: string, isComplete: boolean): DetectedSeparator | null {
  const line =
    firstLine(head) ?? (isComplete || head.length > rowLimit ? (/[^\r\n]+/.exec(head)?.[0] ?? '') : null);
  if (line === null) return null;
  const declared = separatorLine.exec(line)?.[1];
  if (declared !== undefined) return { separator: declared, isDeclared: true };
  const unquoted = line.replace(/"[^"]*"?/g, '');
  const counts = separators.map((candidate) => unquoted.split(candidate).length - 1);
  const most = Math.max(...counts);
  return { separator: (most > 0 && separators[counts.indexOf(most)]) || ',', isDeclared: false };
}

/** Returns the first line that is not empty; null if it has no line end outside quotes yet. */
function firstLine(head: string): string | null {
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < head.length; at++) {
    const character = head[at];
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted || (character !== '\n' && character !== '\r')) continue;
    if (at > start) return head.slice(start, at);
    start = at + 1;
  }
  return null;
}
