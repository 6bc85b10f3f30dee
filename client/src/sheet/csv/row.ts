import { fault, type SheetFault } from '../fault.ts';
import type { Finding } from '../scanner.ts';

/** Maximum length of a row in UTF-16 code units. */
export const rowLimit = 1_048_576;

/** Collects the cells of the row that is being parsed. */
export class Row {
  /** Number of the line on which the row begins, from 1. */
  readonly line: number;
  /** True while the row consists only of separators. */
  blank = true;
  #cells: string[] = [];
  #cell = '';
  #size = 0;
  #fault: SheetFault | null = null;

  constructor(line: number) {
    this.line = line;
  }

  /** Appends text to the current cell. */
  add(text: string): void {
    this.#cell = this.#cell === '' ? text : this.#cell + text;
  }

  endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
  }

  /** Marks the row as invalid, because its cells are ambiguous. The first error is kept. */
  refuse(error: SheetFault): void {
    this.#fault ??= error;
  }

  /** Adds to the length of the row. Discards the cells of a row above the limit, to bound memory. */
  grow(characters: number): void {
    this.#size += characters;
    if (this.#size <= rowLimit) return;
    this.#fault = fault('ROW_TOO_LARGE', { line: this.line, limit: rowLimit });
    this.#cells = [];
    this.#cell = '';
  }

  /** @param mayHaveNul False if the text has no NUL character, which saves the check of each cell. */
  finding(mayHaveNul: boolean): Finding<string[]> {
    const content = this.#cells;
    if (this.#fault) return { content: null, fault: this.#fault };
    if (mayHaveNul && content.some((cell) => cell.includes('\0')))
      return { content, fault: fault('NUL_CHARACTER', { line: this.line }) };
    return { content, fault: null };
  }
}
