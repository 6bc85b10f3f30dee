import { type FileError, failure, fileError } from './errors.ts';
import type { Encoding } from './types.ts';

type UnicodeEncoding = Exclude<Encoding, 'windows-1252'>;

export interface TextChunk {
  readonly text: string;
  /** Set if the file cannot be decoded beyond this chunk. The scanner, which counts lines, passes the line number. */
  readonly error?: (line: number) => FileError;
}

const byteOrderMarks: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** File signatures of ZIP (.xlsx, .ods) and of the OLE compound file (.xls). */
const spreadsheetSignatures = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/** Number of bytes that the byte order marks and signatures need. */
const signatureLength = 4;

/** Length in bytes at which a run of non-ASCII bytes is judged before its end is known. */
const longRun = 1024;

/**
 * Decodes a file in one pass. If neither the caller nor a byte order mark specifies the encoding, the first run of
 * non-ASCII bytes decides: UTF-8 if the whole run is valid, otherwise Windows-1252. The ASCII text before it is the
 * same in both. A later run in the other encoding is an error: the row that contains it is not returned.
 */
export class Decoder {
  #encoding: Encoding | null;
  /** True if the caller or a byte order mark specified the encoding, false if it was detected. */
  #certain: boolean;
  /** True after the check for a byte order mark. */
  #begun = false;
  /** Bytes that cannot be judged before the next chunk arrives. */
  #rest: Uint8Array = new Uint8Array();

  /** @param encoding The encoding that the caller specifies; null to detect it. */
  constructor(encoding: Encoding | null) {
    this.#encoding = encoding;
    this.#certain = encoding !== null;
  }

  /** Null while only ASCII was read, which does not determine the encoding. */
  get encoding(): Encoding | null {
    return this.#encoding;
  }

  /** @param last True if no bytes follow. */
  decode(chunk: Uint8Array, last: boolean): TextChunk {
    let bytes = this.#rest.length === 0 ? chunk : concatenate(this.#rest, chunk);
    this.#rest = new Uint8Array();
    if (!this.#begun) {
      if (bytes.length < signatureLength && !last) return this.#keep(bytes, '');
      bytes = this.#begin(bytes);
    }
    if (this.#encoding === null) {
      const ascii = asciiLength(bytes);
      if (ascii === bytes.length) return { text: decodeAscii(bytes) };
      const run = bytes.subarray(ascii, ascii + nonAsciiLength(bytes, ascii));
      const isOpen = ascii + run.length === bytes.length && !last;
      if (isOpen && run.length < longRun)
        return this.#keep(bytes.subarray(ascii), decodeAscii(bytes.subarray(0, ascii)));
      this.#encoding = isUtf8(run, isOpen) ? 'utf-8' : 'windows-1252';
    }
    return this.#encoding === 'windows-1252'
      ? this.#decodeWindows1252(bytes, last)
      : this.#decodeUnicode(bytes, last, this.#encoding);
  }

  /** Reads the byte order mark and returns the bytes after it. A mark of another encoding than specified is text. */
  #begin(bytes: Uint8Array): Uint8Array {
    this.#begun = true;
    if (spreadsheetSignatures.some((signature) => beginsWith(bytes, signature)))
      throw failure('SPREADSHEET_FILE', {});
    for (const [encoding, mark] of byteOrderMarks) {
      if (!beginsWith(bytes, mark) || (this.#encoding !== null && this.#encoding !== encoding)) continue;
      this.#encoding = encoding;
      this.#certain = true;
      return bytes.subarray(mark.length);
    }
    return bytes;
  }

  #decodeUnicode(bytes: Uint8Array, last: boolean, encoding: UnicodeEncoding): TextChunk {
    const length = last ? bytes.length : completeLength(bytes, encoding);
    const complete = bytes.subarray(0, length);
    const text = decodeUnicode(complete, encoding);
    if (text !== null) return this.#keep(bytes.subarray(length), text);
    const to = encoding === 'utf-8' ? 'windows-1252' : encoding;
    return { text: decodeValidPrefix(complete, encoding), error: this.#encodingError(encoding, to) };
  }

  #decodeWindows1252(bytes: Uint8Array, last: boolean): TextChunk {
    let end = bytes.length;
    let changesTo: Encoding = 'windows-1252';
    if (!this.#certain) {
      for (let at = asciiLength(bytes); at < bytes.length; at += asciiLength(bytes, at)) {
        const run = bytes.subarray(at, at + nonAsciiLength(bytes, at));
        const isOpen = at + run.length === bytes.length && !last;
        if (isOpen && run.length < longRun) {
          this.#rest = run.slice();
          end = at;
          break;
        }
        if (isUtf8(run, isOpen)) {
          changesTo = 'utf-8';
          end = at;
          break;
        }
        at += run.length;
      }
    }
    const text = decodeWindows1252(bytes.subarray(0, end));
    const undefinedAt = text.search(undefinedInWindows1252);
    if (undefinedAt < 0 && changesTo === 'windows-1252') return { text };
    const error = this.#encodingError('windows-1252', undefinedAt < 0 ? changesTo : 'windows-1252');
    return { text: undefinedAt < 0 ? text : text.slice(0, undefinedAt), error };
  }

  /** Reports a change of encoding if the encoding was detected, and invalid bytes if it was specified. */
  #encodingError(from: Encoding, to: Encoding): (line: number) => FileError {
    const changes = !this.#certain && from !== to;
    return (line) =>
      changes
        ? fileError('ENCODING_CHANGES', { line, from, to })
        : fileError('NOT_IN_ENCODING', { line, encoding: from });
  }

  /** Copies the bytes for the next chunk, because the source may reuse its buffer. */
  #keep(bytes: Uint8Array, text: string): TextChunk {
    this.#rest = bytes.slice();
    return { text };
  }
}

const unicodeDecoders = {
  'utf-8': new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }),
  'utf-16le': new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true }),
  'utf-16be': new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true }),
};

/** Returns null if the bytes are not valid. */
function decodeUnicode(bytes: Uint8Array, encoding: UnicodeEncoding): string | null {
  try {
    return unicodeDecoders[encoding].decode(bytes);
  } catch {
    return null;
  }
}

/** Decodes the characters before the first invalid byte, which a binary search finds. */
function decodeValidPrefix(bytes: Uint8Array, encoding: UnicodeEncoding): string {
  let valid = 0;
  let invalid = bytes.length + 1;
  let text = '';
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    const prefix = bytes.subarray(0, middle);
    const decoded = decodeUnicode(prefix.subarray(0, completeLength(prefix, encoding)), encoding);
    if (decoded === null) invalid = middle;
    else {
      valid = middle;
      text = decoded;
    }
  }
  return text;
}

/** Returns the number of bytes before the last character if that may be incomplete, otherwise of all bytes. */
function completeLength(bytes: Uint8Array, encoding: UnicodeEncoding): number {
  const { length } = bytes;
  if (encoding === 'utf-8') {
    let start = length - 1;
    while (start > length - 4 && start > 0 && ((bytes[start] as number) & 0xc0) === 0x80) start--;
    return length > 0 && (bytes[start] as number) >= 0xc0 ? start : length;
  }
  const even = length - (length % 2);
  const high = bytes[encoding === 'utf-16le' ? even - 1 : even - 2] ?? 0;
  return (high & 0xfc) === 0xd8 ? even - 2 : even;
}

/** @param isOpen True if more bytes of the run may follow. */
function isUtf8(run: Uint8Array, isOpen: boolean): boolean {
  // Most runs of Windows-1252 are one letter, which is never UTF-8. An exception for each of them would be slow.
  if (run.length < 2) return false;
  return decodeUnicode(isOpen ? run.subarray(0, completeLength(run, 'utf-8')) : run, 'utf-8') !== null;
}

const windows1252 = new TextDecoder('windows-1252');
/** Node.js 20 decodes the bytes 0x80 to 0x9F as ISO 8859-1: these are the characters that the standard requires. */
const windows1252Characters =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';
/** The bytes without a character in Windows-1252. */
const undefinedInWindows1252 = /[\x81\x8d\x8f\x90\x9d]/;

function decodeWindows1252(bytes: Uint8Array): string {
  return windows1252
    .decode(bytes)
    .replace(
      /[\x80-\x9f]/g,
      (character) => windows1252Characters[character.charCodeAt(0) - 0x80] ?? character,
    );
}

function decodeAscii(bytes: Uint8Array): string {
  return unicodeDecoders['utf-8'].decode(bytes);
}

/** Returns the number of ASCII bytes from `start` on. */
function asciiLength(bytes: Uint8Array, start = 0): number {
  let end = start;
  while (end < bytes.length && (bytes[end] as number) < 0x80) end++;
  return end - start;
}

/** Returns the number of non-ASCII bytes from `start` on. */
function nonAsciiLength(bytes: Uint8Array, start: number): number {
  let end = start;
  while (end < bytes.length && (bytes[end] as number) >= 0x80) end++;
  return end - start;
}

function beginsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
