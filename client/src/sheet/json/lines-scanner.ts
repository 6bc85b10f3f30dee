import type { Mark } from '../bookmark.ts';
import { fault } from '../fault.ts';
import { type Finding, FoundList, type Scanner } from '../scanner.ts';
import { type Piece, Ruler } from '../text/piece.ts';
import { elementLimit, type JsonObject, readElement } from './element.ts';

/** Parses NDJSON: one object per line. An invalid line is an error of its row and does not affect the next line. */
export class JsonLinesScanner implements Scanner<JsonObject> {
  line: number;
  readonly found = new FoundList<JsonObject>();
  readonly #ruler: Ruler;
  #text = '';
  #tooLarge = false;

  constructor(from: Mark) {
    this.#ruler = new Ruler(from.byte);
    this.line = from.line;
  }

  feed(piece: Piece): void {
    const { text } = piece;
    this.#ruler.lay(piece);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#text += text.slice(start, end);
      start = end + 1;
      this.#endLine(start, this.line + 1);
    }
    this.#text += text.slice(start);
    this.#bound();
  }

  end(): void {
    this.#ruler.lay({ text: '', width: 1, lead: 0 });
    this.#endLine(0, this.line);
  }

  #endLine(at: number, nextLine: number): void {
    const { line } = this;
    this.#bound();
    if (this.#tooLarge || this.#text.trim() !== '') {
      const finding: Finding<JsonObject> = this.#tooLarge
        ? { content: null, fault: fault('ROW_TOO_LARGE', { line, limit: elementLimit }) }
        : readElement(this.#text, { line, column: 1 });
      const end = { byte: this.#ruler.byteAt(at), line: nextLine, column: 1 };
      this.found.add({ line, end, ...finding });
    }
    this.#text = '';
    this.#tooLarge = false;
    this.line = nextLine;
  }

  /** Discards the text of a line above the limit, to bound memory. */
  #bound(): void {
    if (this.#text.length <= elementLimit) return;
    this.#tooLarge = true;
    this.#text = '';
  }
}
