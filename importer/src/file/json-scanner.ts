import { failure, fileError, type ImportFileError } from './errors.ts';
import { elementLimit, positionAt, readElement, syntaxErrorOffset } from './json-element.ts';
import type { ScannedRow, Scanner } from './scan.ts';
import type { JsonObject, Position } from './types.ts';

const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

type State = 'before array' | 'first element' | 'next element' | 'in element' | 'after array';

/**
 * Finds the boundaries of the elements of a JSON array and parses one element at a time, so that the array may have any
 * size. Continues after an invalid element if its brackets and quotes are balanced.
 */
export class JsonArrayScanner implements Scanner<JsonObject> {
  line = 1;
  found: ScannedRow<JsonObject>[] = [];
  #state: State = 'before array';
  #depth = 0;
  #quoted = false;
  #escaped = false;
  /** Text of the current element in earlier chunks. */
  #text = '';
  /** Offset of the current element in the current chunk; 0 if it began in an earlier chunk. */
  #start = 0;
  #position = { line: 1, column: 1 };
  /** The column of offset 0 of the current chunk. Negative or 0 after a line end in the chunk. */
  #columnAtStart = 1;

  feed(text: string): void {
    this.#start = 0;
    let at = 0;
    while (at < text.length) at = this.#quoted ? this.#string(text, at) : this.#structure(text, at);
    if (this.#state === 'in element') this.#add(text.slice(this.#start));
    this.#columnAtStart += text.length;
  }

  end(): void {
    if (this.#state === 'in element') throw this.#unfinished();
    if (this.#state === 'before array') throw failure('NOT_A_LIST', this.#positionAt(0));
    if (this.#state !== 'after array') throw this.#invalid(0);
  }

  /** Skips to the end of a string. Returns the offset after its closing quote. */
  #string(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      // A quote is missing. After it, text and structure would be confused, so the scanner cannot continue.
      if (unit === LF) throw this.#invalid(at);
      if (this.#escaped) this.#escaped = false;
      else if (unit === BACKSLASH) this.#escaped = true;
      else if (unit === QUOTE) {
        this.#quoted = false;
        return at + 1;
      }
    }
    return text.length;
  }

  #structure(text: string, at: number): number {
    const unit = text.charCodeAt(at);
    if (unit === LF) {
      this.line++;
      this.#columnAtStart = -at;
    } else if (this.#state === 'in element') this.#inside(text, at, unit);
    else if (unit > SPACE || !isSpace(unit)) this.#outside(text, at, unit);
    return at + 1;
  }

  #outside(text: string, at: number, unit: number): void {
    const state = this.#state;
    if (state === 'before array') {
      if (unit !== BRACKET) throw failure('NOT_A_LIST', this.#positionAt(at));
      this.#state = 'first element';
    } else if (unit === BRACKET_END && state === 'first element') this.#state = 'after array';
    else if (
      (state === 'first element' || state === 'next element') &&
      unit !== BRACKET_END &&
      unit !== COMMA
    ) {
      this.#state = 'in element';
      this.#start = at;
      this.#position = this.#positionAt(at);
      this.#inside(text, at, unit);
    } else throw this.#invalid(at);
  }

  #inside(text: string, at: number, unit: number): void {
    if (unit === QUOTE) this.#quoted = true;
    else if (unit === BRACE || unit === BRACKET) this.#depth++;
    else if (this.#depth > 0) {
      if (unit === BRACE_END || unit === BRACKET_END) this.#depth--;
    } else if (unit === COMMA || unit === BRACKET_END) this.#endElement(text, at, unit);
    else if (unit === BRACE_END) throw this.#invalid(at);
  }

  #add(text: string): void {
    this.#text = this.#text === '' ? text : this.#text + text;
    if (this.#text.length > elementLimit) throw this.#unfinished();
  }

  #endElement(text: string, at: number, unit: number): void {
    this.#add(text.slice(this.#start, at));
    this.found.push(scannedElement(this.#text, this.#position));
    this.#text = '';
    this.#state = unit === COMMA ? 'next element' : 'after array';
  }

  #positionAt(at: number): { line: number; column: number } {
    return { line: this.line, column: this.#columnAtStart + at };
  }

  #invalid(at: number): ImportFileError {
    return failure('INVALID_JSON', this.#positionAt(at));
  }

  /** Returns the error of an element without an end: its first syntax error or, if it has none so far, its size. */
  #unfinished(): ImportFileError {
    const at = syntaxErrorOffset(this.#text);
    const tooLarge = at >= this.#text.length && this.#text.length > elementLimit;
    if (tooLarge) return failure('ROW_TOO_LARGE', { line: this.#position.line, limit: elementLimit });
    return failure('INVALID_JSON', positionAt(this.#text, at, this.#position));
  }
}

function isSpace(unit: number): boolean {
  return unit === SPACE || unit === 0x0d || unit === 0x09;
}

/** Maximum length in UTF-16 code units of the text that is kept of an invalid element, to show it for correction. */
const textKept = 1_000_000;

function scannedElement(text: string, position: Position): ScannedRow<JsonObject> {
  const parsed = readElement(text, position);
  const isKept = parsed.error !== null && text.length <= textKept;
  return { line: position.line, ...parsed, text: isKept ? text.trim() : null };
}

/** A line above `elementLimit` is skipped up to this length. A file with a longer line is not read further. */
const skipLimit = 2 * elementLimit;

/** Parses NDJSON: one object per line. An invalid line is an error of its row and does not affect the next line. */
export class JsonLinesScanner implements Scanner<JsonObject> {
  line = 1;
  found: ScannedRow<JsonObject>[] = [];
  #text = '';
  /** Length of the text of the current line that was discarded. */
  #discarded = 0;

  feed(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#text += text.slice(start, end);
      start = end + 1;
      this.#endLine();
    }
    this.#text += text.slice(start);
    this.#bound();
  }

  end(): void {
    this.#endLine();
  }

  #endLine(): void {
    const { line } = this;
    this.#bound();
    const isTooLarge = this.#discarded > 0;
    if (isTooLarge || this.#text.trim() !== '') {
      const error = fileError('ROW_TOO_LARGE', { line, limit: elementLimit });
      this.found.push(
        isTooLarge
          ? { line, content: null, error, text: null }
          : scannedElement(this.#text, { line, column: 1 }),
      );
    }
    this.#text = '';
    this.#discarded = 0;
    this.line++;
  }

  /**
   * Discards the text of a line above the limit, to bound memory.
   *
   * @throws {ImportFileError} If the line exceeds `skipLimit`.
   */
  #bound(): void {
    if (this.#text.length <= elementLimit) return;
    this.#discarded += this.#text.length;
    this.#text = '';
    if (this.#discarded > skipLimit) throw failure('ROW_TOO_LARGE', { line: this.line, limit: elementLimit });
  }
}
