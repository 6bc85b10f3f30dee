import type { SheetFault } from '../fault.ts';

/** A piece of the text, decoded. */
export interface Piece {
  readonly text: string;
  /** The bytes of one UTF-16 unit of the text, where all have as many; 0 where it is UTF-8 with longer characters. */
  readonly width: 0 | 1 | 2;
  /** Bytes before the text that stand for nothing: the byte order mark. */
  readonly lead: number;
  /** Why the text ends here; the line on which it does is known to whoever counts them. */
  readonly fault?: (line: number) => SheetFault;
}

/** Turns places in the text into places in the file. They may only be asked for in order. */
export class Ruler {
  #byte: number;
  #piece: Piece = { text: '', width: 1, lead: 0 };
  #at = 0;

  constructor(byte: number) {
    this.#byte = byte;
  }

  lay(piece: Piece): void {
    this.byteAt(this.#piece.text.length);
    this.#byte += piece.lead;
    this.#piece = piece;
    this.#at = 0;
  }

  /** How many bytes of the file lie before a place in the piece. */
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
    // Each half of a surrogate pair counts for two of its four bytes.
    if (unit > 0x7f) bytes += unit < 0x800 || (unit & 0xf800) === 0xd800 ? 1 : 2;
  }
  return bytes;
}
