import type { Mark } from '../bookmark.ts';
import { refusal, type SheetError } from '../fault.ts';
import { FoundList, type Scanner } from '../scanner.ts';
import { type Piece, Ruler } from '../text/piece.ts';
import { elementLimit, type JsonObject, placeIn, readElement } from './element.ts';
import { faultIn } from './fault-in.ts';

const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

type State = 'before' | 'first' | 'element' | 'inside' | 'between' | 'after';

/**
 * Finds the boundaries of the elements of a JSON array and parses one element at a time, so that the array may have any
 * size. Continues after an invalid element if its brackets and quotes are balanced.
 */
export class JsonArrayScanner implements Scanner<JsonObject> {
  line: number;
  readonly found = new FoundList<JsonObject>();
  readonly #ruler: Ruler;
  #state: State;
  #depth = 0;
  #quoted = false;
  #escaped = false;
  /** Text of the current element in earlier pieces. */
  #text = '';
  /** Offset of the current element in the current piece; 0 if it began in an earlier piece. */
  #start = 0;
  /** Position in the file of the beginning of the current element. */
  #place: { line: number; column: number };
  /** The column of offset 0 of the current piece. Negative or 0 after a line end in the piece. */
  #columnAtStart: number;

  /** @param resumed True if `from` is the end of an element, not the beginning of the file. */
  constructor(from: Mark, resumed: boolean) {
    this.#ruler = new Ruler(from.byte);
    this.line = from.line;
    this.#columnAtStart = from.column;
    this.#place = { line: from.line, column: from.column };
    this.#state = resumed ? 'between' : 'before';
  }

  feed(piece: Piece): void {
    const { text } = piece;
    this.#ruler.lay(piece);
    this.#start = 0;
    let at = 0;
    while (at < text.length) at = this.#quoted ? this.#string(text, at) : this.#structure(text, at);
    if (this.#state === 'inside') this.#add(text.slice(this.#start));
    this.#columnAtStart += text.length;
  }

  end(): void {
    if (this.#state === 'inside') throw this.#broken();
    if (this.#state === 'before') throw refusal('NOT_A_LIST', this.#here(0));
    if (this.#state !== 'after') throw this.#invalid(0);
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
    } else if (this.#state === 'inside') this.#inside(text, at, unit);
    else if (unit > SPACE || !isSpace(unit)) this.#outside(text, at, unit);
    return at + 1;
  }

  #outside(text: string, at: number, unit: number): void {
    const state = this.#state;
    if (state === 'before') {
      if (unit !== BRACKET) throw refusal('NOT_A_LIST', this.#here(at));
      this.#state = 'first';
    } else if (unit === BRACKET_END && (state === 'first' || state === 'between')) this.#state = 'after';
    else if (unit === COMMA && state === 'between') this.#state = 'element';
    else if ((state === 'first' || state === 'element') && unit !== BRACKET_END && unit !== COMMA) {
      this.#state = 'inside';
      this.#start = at;
      this.#place = this.#here(at);
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
    if (this.#text.length > elementLimit) throw this.#broken();
  }

  #endElement(text: string, at: number, unit: number): void {
    this.#add(text.slice(this.#start, at));
    const { line, column } = this.#here(at);
    this.found.add({
      line: this.#place.line,
      ...readElement(this.#text, this.#place),
      end: { byte: this.#ruler.byteAt(at), line, column },
    });
    this.#text = '';
    this.#state = unit === COMMA ? 'element' : 'after';
  }

  #here(at: number): { line: number; column: number } {
    return { line: this.line, column: this.#columnAtStart + at };
  }

  #invalid(at: number): SheetError {
    return refusal('INVALID_JSON', this.#here(at));
  }

  /** Returns the error of an element without an end: its first syntax error or, if it has none so far, its size. */
  #broken(): SheetError {
    const at = faultIn(this.#text);
    const tooLarge = at >= this.#text.length && this.#text.length > elementLimit;
    if (tooLarge) return refusal('ROW_TOO_LARGE', { line: this.#place.line, limit: elementLimit });
    return refusal('INVALID_JSON', placeIn(this.#text, at, this.#place));
  }
}

function isSpace(unit: number): boolean {
  return unit === SPACE || unit === 0x0d || unit === 0x09;
}
