import { fault, type SheetFault } from '../fault.ts';
import type { Finding } from '../scanner.ts';

/** The characters that a row may have. */
export const rowLimit = 1_048_576;

/** A row while it is being read. */
export class Row {
  /** On which it begins. */
  readonly line: number;
  /** Whether there is nothing in it but separators. */
  blank = true;
  #cells: string[] = [];
  #cell = '';
  #size = 0;
  #fault: SheetFault | null = null;

  constructor(line: number) {
    this.line = line;
  }

  /** Adds to the cell that is being read. */
  add(text: string): void {
    this.#cell = this.#cell === '' ? text : this.#cell + text;
  }

  endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
  }

  /** The cells could only be guessed. */
  refuse(why: SheetFault): void {
    this.#fault ??= why;
  }

  /** Counts characters. What is too large is not kept. */
  grow(characters: number): void {
    this.#size += characters;
    if (this.#size <= rowLimit) return;
    this.#fault = fault('ROW_TOO_LARGE', { line: this.line, limit: rowLimit });
    this.#cells = [];
    this.#cell = '';
  }

  finding(mayHaveNul: boolean): Finding<string[]> {
    const content = this.#cells;
    if (this.#fault) return { content: null, fault: this.#fault };
    if (mayHaveNul && content.some((cell) => cell.includes('\0')))
      return { content, fault: fault('NUL_CHARACTER', { line: this.line }) };
    return { content, fault: null };
  }
}
