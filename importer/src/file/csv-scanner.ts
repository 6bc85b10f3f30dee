import { type FileError, failure, fileError, type ImportFileError } from './errors.ts';
import type { ScannedRow, Scanner } from './scan.ts';

/** Maximum length of a row in UTF-16 code units. */
export const rowLimit = 1_048_576;
/** A row above `rowLimit` is skipped up to this length. A file with a longer line is not read further. */
const skipLimit = 16 * rowLimit;

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

/** Collects the cells of the row that is being parsed. */
class CsvRow {
  /** Number of the line on which the row begins, from 1. */
  readonly line: number;
  /** True while the row consists only of separators. */
  blank = true;
  #cells: string[] = [];
  #cell = '';
  length = 0;
  #error: FileError | null = null;
  readonly #isAfterBlank: boolean;

  constructor(line: number, isAfterBlank = false) {
    this.line = line;
    this.#isAfterBlank = isAfterBlank;
  }

  add(text: string): void {
    this.#cell = this.#cell === '' ? text : this.#cell + text;
  }

  endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
  }

  /** Marks the row as invalid, because its cells are ambiguous. The first error is kept. */
  reject(error: FileError): void {
    this.#error ??= error;
  }

  /** Adds to the length of the row. Discards the cells of a row above the limit, to bound memory. */
  grow(characters: number): void {
    this.length += characters;
    if (this.length <= rowLimit) return;
    this.#error = fileError('ROW_TOO_LARGE', { line: this.line, limit: rowLimit });
    this.#cells = [];
    this.#cell = '';
  }

  get parsed(): ScannedRow<string[]> {
    const { line } = this;
    const isAfterBlank = this.#isAfterBlank;
    if (this.#error) return { line, content: null, error: this.#error, isAfterBlank };
    // A copy has no space for further cells: the rows of several batches are in memory at the same time.
    return { line, content: this.#cells.slice(), error: null, isAfterBlank };
  }
}

/**
 * Parses CSV (RFC 4180) with LF, CRLF or CR line ends. A quote opens a quoted cell only at the beginning of the cell.
 * Skips empty lines and lines that consist only of separators.
 */
export class CsvScanner implements Scanner<string[]> {
  line = 1;
  found: ScannedRow<string[]>[] = [];
  readonly #separator: number;
  #state = AT_ROW;
  #row = new CsvRow(1);
  #isAfterBlank = false;
  /** Offset of the row in the current chunk; 0 if it began in an earlier chunk. */
  #rowStart = 0;
  /** Offset in the current chunk of the text that is not yet added to the cell. */
  #start = 0;
  /** Number of the line with the opening quote of the last quoted cell. */
  #quoteLine = 1;
  /** Length of the quoted cell in earlier chunks. */
  #quoteSize = 0;
  /** Offset of the quoted cell in the current chunk; 0 if it began in an earlier chunk. */
  #quoteStart = 0;
  #afterCrInQuotes = false;

  constructor(separator: string) {
    this.#separator = separator.charCodeAt(0);
  }

  feed(text: string): void {
    this.#start = 0;
    this.#rowStart = 0;
    this.#quoteStart = 0;
    let at = 0;
    while (at < text.length) at = this.#step(text, at);
    this.#carryOver(text);
  }

  end(): void {
    this.feed('');
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
        this.#row = new CsvRow(this.line, this.#isAfterBlank);
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
    this.#row.reject(fileError('TEXT_AFTER_QUOTE', { line: this.line }));
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

  /** Defers the end of the row after a CR, because the LF of a CRLF may be in the next chunk. */
  #endLine(text: string, at: number): number {
    if (text.charCodeAt(at) !== CR) return this.#endRow(at + 1, 1);
    this.#state = AFTER_CR;
    return at + 1;
  }

  #endRow(at: number, lines: 0 | 1): number {
    const row = this.#row;
    this.line += lines;
    row.grow(at - this.#rowStart);
    if (!row.blank) this.found.push(row.parsed);
    this.#isAfterBlank = row.blank;
    this.#state = AT_ROW;
    return at;
  }

  /**
   * Keeps the incomplete row for the next chunk, up to the limit.
   *
   * @throws {ImportFileError} If a quoted cell exceeds the limit of a row, or the row exceeds `skipLimit`.
   */
  #carryOver(text: string): void {
    if (this.#state === AT_ROW) return;
    if (this.#state === PLAIN || this.#state === QUOTED) this.#row.add(text.slice(this.#start));
    this.#row.grow(text.length - this.#rowStart);
    if (this.#row.length > skipLimit)
      throw failure('ROW_TOO_LARGE', { line: this.#row.line, limit: rowLimit });
    this.#quoteSize += text.length - this.#quoteStart;
    if (this.#state === QUOTED && this.#quoteSize > rowLimit) throw this.#unclosed();
  }

  #unclosed(): ImportFileError {
    return failure('UNCLOSED_QUOTE', { line: this.#quoteLine, limit: rowLimit });
  }
}

function isLineEnd(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === LF || unit === CR;
}
