import { fault, refusal } from '../fault.ts';
import { beginningBytes, type Encoding, isSpreadsheet, readMark } from './encoding.ts';
import type { Piece } from './piece.ts';
import * as utf8 from './utf8.ts';
import * as utf16 from './utf16.ts';
import { Windows1252Decoder } from './windows-1252.ts';

/** Length in bytes at which an incomplete run of non-ASCII bytes counts as UTF-8 if it is valid so far. */
const convincingRun = 1024;

/**
 * Decodes a file in one pass. If neither the caller nor a byte order mark specifies the encoding, the first run of
 * non-ASCII bytes decides: UTF-8 if the whole run is valid, otherwise Windows-1252. The ASCII text before it is the
 * same in both. A later run in another encoding is an error: the row that contains it is not returned.
 */
export class Decoder {
  #encoding: Encoding | null;
  /** True if the caller or a byte order mark specified the encoding, false if it was detected. */
  #certain: boolean;
  /** True after the check for a byte order mark. */
  #begun: boolean;
  /** Bytes of an incomplete character, or too few bytes to decide, kept for the next chunk. */
  #rest: Uint8Array = new Uint8Array();
  #windows: Windows1252Decoder | undefined;

  /**
   * @param forced The encoding that the caller specifies; null to detect it.
   * @param known The encoding that an earlier reading detected; null if it found only ASCII; undefined without an
   * earlier reading.
   */
  constructor(forced: Encoding | null, known?: Encoding | null) {
    this.#begun = known !== undefined;
    this.#certain = forced !== null;
    this.#encoding = forced ?? known ?? null;
  }

  get encoding(): Encoding | null {
    return this.#encoding;
  }

  /** @param last True if no bytes follow. */
  decode(chunk: Uint8Array, last: boolean): Piece {
    const bytes = this.#rest.length === 0 ? chunk : joined(this.#rest, chunk);
    this.#rest = new Uint8Array();
    if (this.#begun) return this.#piece(bytes, last);
    if (bytes.length < beginningBytes && !last) return this.#keep(bytes, { text: '', width: 1, lead: 0 });
    this.#begun = true;
    if (isSpreadsheet(bytes)) throw refusal('SPREADSHEET_FILE', {});
    const { encoding, length } = readMark(bytes, this.#encoding);
    this.#encoding = encoding;
    this.#certain = encoding !== null;
    return { ...this.#piece(bytes.subarray(length), last), lead: length };
  }

  #piece(bytes: Uint8Array, last: boolean): Piece {
    switch (this.#encoding) {
      case null:
        return this.#undecided(bytes, last);
      case 'utf-8':
        return this.#utf8(bytes, last);
      case 'windows-1252':
        return this.#windows1252(bytes, last);
      default:
        return this.#utf16(bytes, last, this.#encoding);
    }
  }

  /** Decodes ASCII, and detects the encoding by the first run of non-ASCII bytes. */
  #undecided(bytes: Uint8Array, last: boolean): Piece {
    let start = 0;
    while (start < bytes.length && (bytes[start] as number) < 0x80) start++;
    if (start === bytes.length) return ascii(bytes);
    const run = new utf8.Utf8Check();
    let at = start;
    let valid = true;
    while (at < bytes.length && (bytes[at] as number) >= 0x80 && valid)
      valid = run.take(bytes[at++] as number);
    const open = valid && at === bytes.length && !last;
    if (open && at - start < convincingRun)
      return this.#keep(bytes.subarray(start), ascii(bytes.subarray(0, start)));
    this.#encoding = valid && (run.whole || open) ? 'utf-8' : 'windows-1252';
    return this.#piece(bytes, last);
  }

  #utf8(bytes: Uint8Array, last: boolean): Piece {
    const open = last ? 0 : utf8.openLength(bytes);
    const whole = bytes.subarray(0, bytes.length - open);
    const text = utf8.decodeUtf8(whole);
    if (text === null) {
      const valid = utf8.decodeUtf8(whole.subarray(0, utf8.validLength(whole))) ?? '';
      return { ...this.#faulty('utf-8', 'windows-1252'), text: valid, width: 0, lead: 0 };
    }
    const piece: Piece = { text, width: text.length === whole.length ? 1 : 0, lead: 0 };
    return this.#keep(bytes.subarray(whole.length), piece);
  }

  #windows1252(bytes: Uint8Array, last: boolean): Piece {
    this.#windows ??= new Windows1252Decoder(!this.#certain);
    const { text, stop } = this.#windows.decode(bytes, last);
    const other = stop === 'utf-8' ? stop : 'windows-1252';
    return { ...(stop && this.#faulty('windows-1252', other)), text, width: 1, lead: 0 };
  }

  #utf16(bytes: Uint8Array, last: boolean, encoding: 'utf-16le' | 'utf-16be'): Piece {
    const bigEndian = encoding === 'utf-16be';
    const open = utf16.openLength(bytes, bigEndian);
    const whole = bytes.subarray(0, bytes.length - open);
    const text = utf16.decodeUtf16(whole, bigEndian);
    const broken = text.length * 2 < whole.length || (last && open > 0);
    if (broken) return { ...this.#faulty(encoding, encoding), text, width: 2, lead: 0 };
    return this.#keep(bytes.subarray(whole.length), { text, width: 2, lead: 0 });
  }

  /** Reports a change of encoding if the encoding was detected, and invalid bytes if it was specified. */
  #faulty(from: Encoding, to: Encoding): Required<Pick<Piece, 'fault'>> {
    const changes = !this.#certain && from !== to;
    return {
      fault: (line) =>
        changes
          ? fault('ENCODING_CHANGES', { line, from, to })
          : fault('NOT_IN_ENCODING', { line, encoding: from }),
    };
  }

  /** Copies the bytes for the next chunk, because the source may reuse its buffer. Returns `piece`. */
  #keep(bytes: Uint8Array, piece: Piece): Piece {
    this.#rest = bytes.slice();
    return piece;
  }
}

function ascii(bytes: Uint8Array): Piece {
  return { text: utf8.decodeUtf8(bytes) ?? '', width: 1, lead: 0 };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
