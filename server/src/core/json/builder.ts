import { placeOf } from './error.ts';
import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  END,
  JsonFault,
  QUOTE,
  type Scanner,
  SPACE,
} from './scanner.ts';

type JsonObject = Record<string, unknown>;
type Container = JsonObject | unknown[];

/** How many tokens are read between two looks at the clock. */
const TOKENS = 64;

/** What may come next. */
const A_VALUE = 0;
const AN_ITEM_OR_END = 1;
const A_NAME = 2;
const A_NAME_OR_END = 3;
const A_COLON = 4;
const A_COMMA_OR_END = 5;
const REST_OF_STRING = 6;

/**
 * What every object inherits from: nothing, and nothing can be added. `Object.create(null)` would be as safe,
 * but V8 keeps such objects as hash tables, which take three times the time and four times the memory.
 */
const NO_FIELDS: object = Object.freeze(Object.create(null));

/** Takes the items of an array that is the whole text, one after the other, so that they need not be kept. */
export interface Items {
  take(item: unknown, start: number, end: number): void;
}

/** Builds the value of a text, some tokens at a time. The stack is its own, so depth costs no recursion. */
export class Builder {
  readonly #scanner: Scanner;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  /** What stands around `#into`, and for each the name of its field that is open; the first is the body itself. */
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
  /** How many items were given out. */
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

  /** The place of the value that is being read or was read last; of the object while a name is being read. */
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

  /** The length with the items that were given out. */
  #lengthOf(array: unknown[]): number {
    return array === this.#result ? array.length + this.#given : array.length;
  }

  /** Reads on; true when the text has come to its end. */
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
    else if (byte === END && this.#into === undefined) throw new JsonFault('empty', this.#scanner.at);
    else this.#putWhole(this.#scanner.bare(byte));
  }

  #takeString(text: string | undefined): void {
    if (text === undefined) this.#next = REST_OF_STRING;
    else this.#putWhole(text);
  }

  /** A value that has nothing in it. */
  #putWhole(value: unknown): void {
    this.#put(value);
    this.#giveItem(value);
  }

  /** An item that is given out is not kept: an array of millions would hold up the event loop whenever it has to grow. */
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
    // No value is undefined and nothing is inherited, so this sees the object's own fields alone.
    const taken = (this.#into as JsonObject)[this.#name] !== undefined;
    if (taken) throw new JsonFault('duplicate', this.#nameAt);
    this.#scanner.at++;
  }

  #put(value: unknown): void {
    if (++this.#values > this.#maxValues) throw new JsonFault('values', this.#scanner.at);
    const into = this.#into;
    if (into === undefined) this.#result = value;
    else if (Array.isArray(into)) into.push(value);
    else into[this.#name] = value;
    this.#next = A_COMMA_OR_END;
  }

  #open(container: Container, next: number): void {
    if (this.#parents.length >= this.#maxDepth) throw new JsonFault('deep', this.#scanner.at);
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

  #unexpected(): JsonFault {
    return new JsonFault('syntax', this.#scanner.at);
  }
}
