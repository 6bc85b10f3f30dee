import { placeOf } from './errors.ts';
import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  END,
  QUOTE,
  ScanError,
  type Scanner,
} from './scanner.ts';

/** The number of values in a step, after which the caller checks the time slice. */
const valuesPerStep = 64;

/** Length of the path of a field of a user: the record, its list of users, the user, and the field. */
const userDepth = 4;

/** A record of a text that is an array of records, or a user of a text that is one record. */
export interface ScannedElement {
  readonly isObject: boolean;
  /** Number of users of a record. */
  readonly users: number;
  /** Number of texts in fields `Password` of the users of a record. */
  readonly passwords: number;
  /** Offset of its first byte in the text. */
  readonly start: number;
  /** Offset after its last byte. */
  readonly end: number;
}

export type ElementListener = (element: ScannedElement) => void;

/** A part of the work, with a step after each few kilobytes. An array returns its number of items, other values 0. */
type Steps = Generator<void, number>;

/** Validates a JSON text by recursive descent: each open object or array is a generator. */
export class Validator {
  readonly #scanner: Scanner;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  readonly #onElement: ElementListener | undefined;
  /** The steps from the body to the value that is being read or was read last; in a name, to its object. */
  readonly #path: (number | string)[] = [];
  #values = 0;
  /** The number of values at which the current step ends. */
  #stepEnd = valuesPerStep;
  /** Numbers of users and of passwords in the current record. */
  #users = 0;
  #passwords = 0;
  /** True if the outermost value is an array. */
  isArray = false;

  constructor(scanner: Scanner, maxDepth: number, maxValues: number, onElement?: ElementListener) {
    this.#scanner = scanner;
    this.#maxDepth = maxDepth;
    this.#maxValues = maxValues;
    this.#onElement = onElement;
  }

  get place(): string {
    return placeOf(this.#path);
  }

  /** Reads the whole text. Throws a `ScanError`. */
  *steps(): Generator<void, void> {
    const scanner = this.#scanner;
    const byte = scanner.peek() ?? (yield* this.#skipSpace());
    if (byte === END) throw new ScanError('empty', scanner.at);
    this.isArray = byte === BRACKET;
    const rest = this.#startValue(byte);
    if (rest) yield* rest;
    if ((scanner.peek() ?? (yield* this.#skipSpace())) !== END) throw this.#unexpected();
  }

  /** Reads a value that begins with the byte. Returns the steps that are left to read it; null for a short value. */
  #startValue(byte: number): Steps | null {
    const scanner = this.#scanner;
    const isContainer = byte === BRACE || byte === BRACKET;
    if (isContainer && this.#path.length >= this.#maxDepth) throw new ScanError('deep', scanner.at);
    if (++this.#values > this.#maxValues) throw new ScanError('values', scanner.at);
    if (isContainer) return byte === BRACE ? this.#object() : this.#array();
    if (byte === QUOTE) {
      if (this.#path.length === userDepth && this.#path[userDepth - 1] === 'Password') this.#passwords++;
      if (!scanner.string()) return this.#restOfString();
    } else {
      scanner.bare(byte);
    }
    return null;
  }

  #isStepOver(): boolean {
    if (this.#values < this.#stepEnd) return false;
    this.#stepEnd = this.#values + valuesPerStep;
    return true;
  }

  *#array(): Steps {
    const scanner = this.#scanner;
    const hasElements = this.#path.length === 0 || (this.#path.length === 1 && this.#path[0] === 'Users');
    const last = this.#path.push(0) - 1;
    scanner.at++;
    let items = 0;
    let byte = scanner.peek() ?? (yield* this.#skipSpace());
    while (byte !== BRACKET_END || items > 0) {
      const { at: start } = scanner;
      const isObject = byte === BRACE;
      const rest = this.#startValue(byte);
      if (rest) yield* rest;
      if (this.#isStepOver()) yield;
      items++;
      if (hasElements) this.#endElement(isObject, start);
      byte = scanner.peek() ?? (yield* this.#skipSpace());
      if (byte === BRACKET_END) break;
      if (byte !== COMMA) throw this.#unexpected();
      scanner.at++;
      this.#path[last] = items;
      byte = scanner.peek() ?? (yield* this.#skipSpace());
    }
    scanner.at++;
    this.#path.pop();
    return items;
  }

  #endElement(isObject: boolean, start: number): void {
    const end = this.#scanner.at;
    this.#onElement?.({ isObject, users: this.#users, passwords: this.#passwords, start, end });
    this.#users = 0;
    this.#passwords = 0;
  }

  *#object(): Steps {
    const scanner = this.#scanner;
    scanner.at++;
    let byte = scanner.peek() ?? (yield* this.#skipSpace());
    const names = new Set<string>();
    while (byte !== BRACE_END || names.size > 0) {
      if (byte !== QUOTE) throw this.#unexpected();
      const nameAt = scanner.at;
      const name = scanner.name();
      if ((scanner.peek() ?? (yield* this.#skipSpace())) !== COLON) throw this.#unexpected();
      scanner.at++;
      const depth = this.#path.push(name);
      if (names.has(name)) throw new ScanError('duplicate', nameAt);
      names.add(name);
      const rest = this.#startValue(scanner.peek() ?? (yield* this.#skipSpace()));
      const items = rest ? yield* rest : 0;
      if (this.#isStepOver()) yield;
      if (depth === 2 && name === 'Users') this.#users = items;
      byte = scanner.peek() ?? (yield* this.#skipSpace());
      if (byte !== COMMA && byte !== BRACE_END) throw this.#unexpected();
      this.#path.pop();
      if (byte === BRACE_END) break;
      scanner.at++;
      byte = scanner.peek() ?? (yield* this.#skipSpace());
    }
    scanner.at++;
    return 0;
  }

  *#restOfString(): Steps {
    do yield;
    while (!this.#scanner.moreOfString());
    return 0;
  }

  /** Skips the rest of long white space, and returns the next byte. */
  *#skipSpace(): Generator<void, number> {
    for (;;) {
      yield;
      const byte = this.#scanner.peek();
      if (byte !== null) return byte;
    }
  }

  #unexpected(): ScanError {
    return new ScanError('syntax', this.#scanner.at);
  }
}
