import type { Mark } from '../bookmark.ts';
import { fault, refusal, type SheetError } from '../fault.ts';
import { FoundList, type Scanner } from '../scanner.ts';
import { type Piece, Ruler } from '../text/piece.ts';
import { Row, rowLimit } from './row.ts';

const LF = 10;
const CR = 13;
const QUOTE = 34;

const AT_ROW = 0;
const AT_CELL = 1;
const PLAIN = 2;
const QUOTED = 3;
/** After a quote inside of quotes: it ends them, or is the first of two. */
const AFTER_QUOTE = 4;
const AFTER_CR = 5;

/**
 * Cuts a text into rows and cells, as RFC 4180 has them, with any of the line ends that occur. A quote counts as one at
 * the beginning of a cell alone. Empty lines, and lines of nothing but separators, are passed over.
 */
export class CsvScanner implements Scanner<string[]> {
  line: number;
  readonly found = new FoundList<string[]>();
  readonly #separator: number;
  readonly #ruler: Ruler;
  #state = AT_ROW;
  #row = new Row(1);
  /** Where the row, and what is not yet added to its cell, begin in this piece. */
  #rowStart = 0;
  #start = 0;
  #quoteLine = 1;
  /** The characters of the quoted cell in the pieces before this one. */
  #quoteSize = 0;
  #quoteStart = 0;
  #afterCrInQuotes = false;
  #mayHaveNul = false;

  constructor(separator: string, from: Mark) {
    this.#separator = separator.charCodeAt(0);
    this.#ruler = new Ruler(from.byte);
    this.line = from.line;
  }

  feed(piece: Piece): void {
    const { text } = piece;
    this.#ruler.lay(piece);
    this.#start = 0;
    this.#rowStart = 0;
    this.#quoteStart = 0;
    this.#mayHaveNul ||= text.includes('\0');
    let at = 0;
    while (at < text.length) at = this.#step(text, at);
    this.#carryOver(text);
  }

  end(): void {
    this.feed({ text: '', width: 1, lead: 0 });
    if (this.#state === QUOTED) throw this.#unclosed();
    if (this.#state === AFTER_CR) this.#endRow(0, 1);
    else if (this.#state !== AT_ROW) {
      this.#endCell('', 0);
      this.#endRow(0, 0);
    }
  }

  /** Reads on from a place to the next at which something else begins. */
  #step(text: string, at: number): number {
    switch (this.#state) {
      case AT_ROW:
        this.#row = new Row(this.line);
        this.#rowStart = at;
        this.#state = AT_CELL;
        return isLineEnd(text, at) ? this.#endLine(text, at) : at;
      case AT_CELL:
        return this.#beginCell(text, at);
      case PLAIN:
        return this.#plain(text, at);
      case QUOTED:
        return this.#quoted(text, at);
      case AFTER_QUOTE:
        return this.#afterQuote(text, at);
      default:
        return this.#endRow(text.charCodeAt(at) === LF ? at + 1 : at, 1);
    }
  }

  #beginCell(text: string, at: number): number {
    if (text.charCodeAt(at) !== QUOTE) {
      this.#start = at;
      this.#state = PLAIN;
      return at;
    }
    this.#row.blank = false;
    this.#quoteLine = this.line;
    this.#quoteSize = 0;
    this.#quoteStart = at;
    this.#start = at + 1;
    this.#state = QUOTED;
    return at + 1;
  }

  #plain(text: string, from: number): number {
    const separator = this.#separator;
    let at = from;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === separator || unit === LF || unit === CR) break;
    }
    if (at > from) this.#row.blank = false;
    return at === text.length ? at : this.#endCellAndMore(text, at);
  }

  #quoted(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) {
        this.#row.add(text.slice(this.#start, at));
        this.#start = at + 1;
        this.#afterCrInQuotes = false;
        this.#state = AFTER_QUOTE;
        return at + 1;
      }
      if (unit === CR || (unit === LF && !this.#afterCrInQuotes)) this.line++;
      this.#afterCrInQuotes = unit === CR;
    }
    return text.length;
  }

  #afterQuote(text: string, at: number): number {
    const unit = text.charCodeAt(at);
    this.#start = at;
    if (unit === QUOTE) {
      // The second of two is the one that stands in the cell.
      this.#state = QUOTED;
      return at + 1;
    }
    if (unit === this.#separator || isLineEnd(text, at)) return this.#endCellAndMore(text, at);
    this.#row.refuse(fault('TEXT_AFTER_QUOTE', { line: this.line }));
    this.#state = PLAIN;
    return at;
  }

  /** Ends a cell at the separator or the line end that follows it. */
  #endCellAndMore(text: string, at: number): number {
    this.#endCell(text, at);
    return text.charCodeAt(at) === this.#separator ? at + 1 : this.#endLine(text, at);
  }

  #endCell(text: string, at: number): void {
    this.#row.add(text.slice(this.#start, at));
    this.#row.endCell();
    this.#state = AT_CELL;
  }

  /** A CR may be followed by the LF that belongs to it, perhaps in the next piece. */
  #endLine(text: string, at: number): number {
    if (text.charCodeAt(at) !== CR) return this.#endRow(at + 1, 1);
    this.#state = AFTER_CR;
    return at + 1;
  }

  #endRow(at: number, lines: 0 | 1): number {
    const row = this.#row;
    this.line += lines;
    row.grow(at - this.#rowStart);
    if (!row.blank) {
      const end = { byte: this.#ruler.byteAt(at), line: this.line, column: 1 };
      this.found.add({ line: row.line, end, ...row.finding(this.#mayHaveNul) });
    }
    this.#state = AT_ROW;
    return at;
  }

  /** Keeps what the next piece goes on with, and no more of it than is allowed. */
  #carryOver(text: string): void {
    if (this.#state === AT_ROW) return;
    if (this.#state === PLAIN || this.#state === QUOTED) this.#row.add(text.slice(this.#start));
    this.#row.grow(text.length - this.#rowStart);
    this.#quoteSize += text.length - this.#quoteStart;
    if (this.#state === QUOTED && this.#quoteSize > rowLimit) throw this.#unclosed();
  }

  #unclosed(): SheetError {
    return refusal('UNCLOSED_QUOTE', { line: this.#quoteLine, limit: rowLimit });
  }
}

function isLineEnd(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === LF || unit === CR;
}
