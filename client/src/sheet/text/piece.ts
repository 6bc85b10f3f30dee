import type { SheetFault } from '../fault.ts';

/** A decoded part of the text. */
export interface Piece {
  readonly text: string;
  /** Bytes in the file per UTF-16 code unit of `text`; 0 if it varies, in UTF-8 with non-ASCII characters. */
  readonly width: 0 | 1 | 2;
  /** Number of bytes before the text that are not part of it: the byte order mark. */
  readonly lead: number;
  /** Set if the text cannot be decoded beyond this piece. The scanner, which counts lines, passes the line number. */
  readonly fault?: (line: number) => SheetFault;
}

/** Converts offsets in the text to byte offsets in the file. The offsets must not decrease within a piece. */
export class Ruler {
  #byte: number;
  #piece: Piece = { text: '', width: 1, lead: 0 };
  #at = 0;

  constructor(byte: number) {
    this.#byte = byte;
  }

  /** Moves on to the next piece. */
  lay(piece: Piece): void {
    this.byteAt(this.#piece.text.length);
    this.#byte += piece.lead;
    this.#piece = piece;
    this.#at = 0;
  }

  /** Returns the byte offset in the file of an offset in the current piece. */
  byteAt(at: number): number {
    const { text, width } = this.#piece;
    this.#byte += width === 0 ? utf8Length(text, this.#at, at) : width * (at - this.#at);
    this.#at = at;
    return this.#byte;
  }
}

function utf8Length(text: string, from: number, to: number): number {
  let bytes = to - from;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    // A surrogate pair has four bytes in UTF-8, two for each of its code units.
    if (unit > 0x7f) bytes += unit < 0x800 || (unit & 0xf800) === 0xd800 ? 1 : 2;
  }
  return bytes;
}
