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
  SPACE,
} from './scanner.ts';

type JsonObject = Record<string, unknown>;
type Container = JsonObject | unknown[];

/** The number of tokens that one call of `advance` reads before the caller checks the time slice. */
const TOKENS = 64;

/** The states of the parser, each named after the token that it expects next. */
const A_VALUE = 0;
const AN_ITEM_OR_END = 1;
const A_NAME = 2;
const A_NAME_OR_END = 3;
const A_COLON = 4;
const A_COMMA_OR_END = 5;
const REST_OF_STRING = 6;

/**
 * The prototype of every object: empty and frozen. `Object.create(null)` would be as safe, but V8 stores such objects
 * as hash tables, which take three times the time and four times the memory.
 */
const NO_FIELDS: object = Object.freeze(Object.create(null));

/** Receives the items of a top-level array one by one, so that the builder does not keep them in memory. */
export interface Items {
  /** `start` is the offset of the first byte of the item in the body, `end` the offset after its last byte. */
  take(item: unknown, start: number, end: number): void;
}

/** Builds the value of a JSON text, `TOKENS` tokens per call. It uses a stack of its own instead of recursion. */
export class Builder {
  readonly #scanner: Scanner;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  /** The containers around `#into`, outermost first, and the name of the open field of each; the first is undefined. */
  readonly #parents: (Container | undefined)[] = [];
  readonly #names: string[] = [];
  #into: Container | undefined;
  #name = '';
  #nameAt = 0;
  #next = A_VALUE;
  #values = 0;
  #result: unknown;
  readonly #items: Items | undefined;
  #itemAt = 0;
  /** The number of items that were passed to `#items`. */
  #given = 0;

  constructor(scanner: Scanner, maxDepth: number, maxValues: number, items?: Items) {
    this.#scanner = scanner;
    this.#maxDepth = maxDepth;
    this.#maxValues = maxValues;
    this.#items = items;
  }

  get result(): unknown {
    return this.#result;
  }

  /** The place of the value that is being read or was read last; while reading a name, the place of its object. */
  get place(): string {
    const steps: (number | string)[] = [];
    for (let depth = 1; depth < this.#parents.length; depth++) {
      const parent = this.#parents[depth];
      steps.push(Array.isArray(parent) ? this.#lengthOf(parent) - 1 : (this.#names[depth] as string));
    }
    const into = this.#into;
    const next = this.#next;
    if (Array.isArray(into)) {
      steps.push(this.#lengthOf(into) - (next === A_COMMA_OR_END ? 1 : 0));
    } else if (
      into !== undefined &&
      (next === A_VALUE || next === A_COMMA_OR_END || next === REST_OF_STRING)
    ) {
      steps.push(this.#name);
    }
    return placeOf(steps);
  }

  /** Returns the length of an array, including the items that were passed to `#items` and removed. */
  #lengthOf(array: unknown[]): number {
    return array === this.#result ? array.length + this.#given : array.length;
  }

  /** Reads the next tokens; returns true at the end of the text. Throws a `ScanError`. */
  advance(): boolean {
    const scanner = this.#scanner;
    for (let token = 0; token < TOKENS; token++) {
      const next = this.#next;
      if (next === REST_OF_STRING) {
        this.#takeString(scanner.moreOfString());
        return false;
      }
      const byte = scanner.peek();
      if (byte === SPACE) return false;
      if (next === A_COMMA_OR_END) {
        if (byte === END && this.#into === undefined) return true;
        this.#afterValue(byte);
      } else if (next === A_COLON) {
        if (byte !== COLON) throw this.#unexpected();
        this.#startField();
      } else if (next === A_NAME || next === A_NAME_OR_END) {
        if (byte === QUOTE) this.#takeName();
        else if (byte === BRACE_END && next === A_NAME_OR_END) this.#close();
        else throw this.#unexpected();
      } else if (byte === BRACKET_END && next === AN_ITEM_OR_END) {
        this.#close();
      } else {
        this.#startValue(byte);
      }
    }
    return false;
  }

  #startValue(byte: number): void {
    this.#next = A_VALUE;
    if (this.#parents.length === 1) this.#itemAt = this.#scanner.at;
    if (byte === QUOTE) this.#takeString(this.#scanner.string());
    else if (byte === BRACE) this.#open(Object.create(NO_FIELDS), A_NAME_OR_END);
    else if (byte === BRACKET) this.#open([], AN_ITEM_OR_END);
    else if (byte === END && this.#into === undefined) throw new ScanError('empty', this.#scanner.at);
    else this.#putWhole(this.#scanner.bare(byte));
  }

  #takeString(text: string | undefined): void {
    if (text === undefined) this.#next = REST_OF_STRING;
    else this.#putWhole(text);
  }

  /** Stores a string, number, boolean or null, which is complete once it is read. */
  #putWhole(value: unknown): void {
    this.#put(value);
    this.#giveItem(value);
  }

  /** Passes an item to `#items` and removes it: an array of millions would block the event loop when it grows. */
  #giveItem(value: unknown): void {
    const into = this.#into;
    if (!this.#items || this.#parents.length !== 1 || !Array.isArray(into)) return;
    this.#items.take(value, this.#itemAt, this.#scanner.at);
    into.pop();
    this.#given++;
  }

  #takeName(): void {
    this.#nameAt = this.#scanner.at;
    this.#name = this.#scanner.name();
    this.#next = A_COLON;
  }

  #startField(): void {
    this.#next = A_VALUE;
    // No JSON value is undefined and the prototype is empty, so this finds own fields only.
    const isDuplicate = (this.#into as JsonObject)[this.#name] !== undefined;
    if (isDuplicate) throw new ScanError('duplicate', this.#nameAt);
    this.#scanner.at++;
  }

  #put(value: unknown): void {
    if (++this.#values > this.#maxValues) throw new ScanError('values', this.#scanner.at);
    const into = this.#into;
    if (into === undefined) this.#result = value;
    else if (Array.isArray(into)) into.push(value);
    else into[this.#name] = value;
    this.#next = A_COMMA_OR_END;
  }

  #open(container: Container, next: number): void {
    if (this.#parents.length >= this.#maxDepth) throw new ScanError('deep', this.#scanner.at);
    this.#put(container);
    this.#parents.push(this.#into);
    this.#names.push(this.#name);
    this.#into = container;
    this.#next = next;
    this.#scanner.at++;
  }

  #close(): void {
    const closed = this.#into;
    this.#into = this.#parents.pop();
    this.#name = this.#names.pop() as string;
    this.#next = A_COMMA_OR_END;
    this.#scanner.at++;
    this.#giveItem(closed);
  }

  #afterValue(byte: number): void {
    const isArray = Array.isArray(this.#into);
    if (this.#into === undefined) throw this.#unexpected();
    if (byte === COMMA) {
      this.#next = isArray ? A_VALUE : A_NAME;
      this.#scanner.at++;
    } else if (byte === (isArray ? BRACKET_END : BRACE_END)) {
      this.#close();
    } else {
      throw this.#unexpected();
    }
  }

  #unexpected(): ScanError {
    return new ScanError('syntax', this.#scanner.at);
  }
}
