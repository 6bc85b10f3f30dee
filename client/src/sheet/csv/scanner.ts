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
/** After a quote in a quoted cell, which either closes the cell or is the first of an escaped pair. */
const AFTER_QUOTE = 4;
const AFTER_CR = 5;

/**
 * Parses CSV (RFC 4180) with LF, CRLF or CR line ends. A quote opens a quoted cell only at the beginning of the cell.
 * Skips empty lines and lines that consist only of separators.
 */
export class CsvScanner implements Scanner<string[]> {
  line: number;
  readonly found = new FoundList<string[]>();
  readonly #separator: number;
  readonly #ruler: Ruler;
  #state = AT_ROW;
  #row = new Row(1);
  /** Offset of the row in the current piece; 0 if it began in an earlier piece. */
  #rowStart = 0;
  /** Offset in the current piece of the text that is not yet added to the cell. */
  #start = 0;
  /** Number of the line with the opening quote of the last quoted cell. */
  #quoteLine = 1;
  /** Length of the quoted cell in earlier pieces. */
  #quoteSize = 0;
  /** Offset of the quoted cell in the current piece; 0 if it began in an earlier piece. */
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

  /** Processes the text from `at` until the state changes or the text ends. Returns the offset to continue from. */
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
    return at === text.length ? at : this.#endCellAtDelimiter(text, at);
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
      // An escaped pair: `#start` keeps its second quote in the cell.
      this.#state = QUOTED;
      return at + 1;
    }
    if (unit === this.#separator || isLineEnd(text, at)) return this.#endCellAtDelimiter(text, at);
    this.#row.refuse(fault('TEXT_AFTER_QUOTE', { line: this.line }));
    this.#state = PLAIN;
    return at;
  }

  /** Ends a cell at the separator or line end at `at`, and the row too at a line end. */
  #endCellAtDelimiter(text: string, at: number): number {
    this.#endCell(text, at);
    return text.charCodeAt(at) === this.#separator ? at + 1 : this.#endLine(text, at);
  }

  #endCell(text: string, at: number): void {
    this.#row.add(text.slice(this.#start, at));
    this.#row.endCell();
    this.#state = AT_CELL;
  }

  /** Defers the end of the row after a CR, because the LF of a CRLF may be in the next piece. */
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

  /**
   * Keeps the incomplete row for the next piece, up to the limit.
   *
   * @throws {SheetError} If a quoted cell exceeds the limit.
   */
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
