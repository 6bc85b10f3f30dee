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

/** The number of tokens that one call of `advance` reads before the caller checks the time slice. */
const TOKENS = 64;

/** The states of the validator, each named after the token that it expects next. */
const A_VALUE = 0;
const AN_ITEM_OR_END = 1;
const A_NAME = 2;
const A_NAME_OR_END = 3;
const A_COLON = 4;
const A_COMMA_OR_END = 5;
const REST_OF_STRING = 6;

/** Number of open containers in a user: the body, the record, its list of users, and the user. */
const userDepth = 4;

/** An element of a top-level array. */
export interface ScannedRecord {
  readonly isObject: boolean;
  /** Number of its users. */
  readonly users: number;
  /** Number of texts in fields `Password` of its users. */
  readonly passwords: number;
  /** Offset of its first byte in the body. */
  readonly start: number;
  /** Offset after its last byte. */
  readonly end: number;
}

/** Receives the elements of a top-level array. */
export interface RecordSink {
  add(record: ScannedRecord): void;
}

/** An object or array that is being read. */
interface Container {
  readonly isArray: boolean;
  /** Number of items that were begun; unused in an object. */
  items: number;
  /** Number of the name of the current field; unused in an array. */
  name: number;
  /** Length of the stack of names where the names of this object begin. */
  readonly firstName: number;
}

/** Validates a JSON text, `TOKENS` tokens per call. It uses a stack of its own instead of recursion. */
export class Validator {
  readonly #scanner: Scanner;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  readonly #records: RecordSink | undefined;
  /** The open containers, outermost first. */
  readonly #open: Container[] = [];
  #into: Container | undefined;
  #next = A_VALUE;
  #values = 0;
  #nameAt = 0;
  /** The names of the fields of all open objects: a stack of names, with the previous index of the same name. */
  readonly #usedNames: number[] = [];
  readonly #previousUses: number[] = [];
  /** The index of the last use of each name in the stack; -1 if no open object has it. */
  readonly #lastUses: number[] = [];
  #recordAt = 0;
  #recordUsers = 0;
  #recordPasswords = 0;
  /** True if the outermost value is an array. */
  isArray = false;

  constructor(scanner: Scanner, maxDepth: number, maxValues: number, records?: RecordSink) {
    this.#scanner = scanner;
    this.#maxDepth = maxDepth;
    this.#maxValues = maxValues;
    this.#records = records;
  }

  /** The place of the value that is being read or was read last; while reading a name, the place of its object. */
  get place(): string {
    const next = this.#next;
    const steps: (number | string)[] = [];
    for (const container of this.#open) {
      const innermost = container === this.#into;
      if (container.isArray) steps.push(container.items - (innermost && next !== A_COMMA_OR_END ? 0 : 1));
      else if (!innermost || next === A_VALUE || next === A_COMMA_OR_END || next === REST_OF_STRING)
        steps.push(this.#scanner.names[container.name] ?? '');
    }
    return placeOf(steps);
  }

  /** Reads the next tokens; returns true at the end of the text. Throws a `ScanError`. */
  advance(): boolean {
    const scanner = this.#scanner;
    for (let token = 0; token < TOKENS; token++) {
      const next = this.#next;
      if (next === REST_OF_STRING) {
        if (scanner.moreOfString()) this.#endPrimitive();
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
        if (byte === QUOTE) this.#readName();
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
    const scanner = this.#scanner;
    this.#next = A_VALUE;
    if (this.#open.length === 1) {
      this.#recordAt = scanner.at;
      this.#recordUsers = 0;
      this.#recordPasswords = 0;
    }
    if (byte === BRACE || byte === BRACKET) {
      this.#openContainer(byte === BRACKET);
    } else if (byte === QUOTE) {
      if (this.#open.length === userDepth && scanner.names[this.#into?.name ?? -1] === 'Password')
        this.#recordPasswords++;
      if (scanner.string()) this.#endPrimitive();
      else this.#next = REST_OF_STRING;
    } else if (byte === END && this.#into === undefined) {
      throw new ScanError('empty', scanner.at);
    } else {
      scanner.bare(byte);
      this.#endPrimitive();
    }
  }

  #endPrimitive(): void {
    this.#countValue();
    this.#next = A_COMMA_OR_END;
    if (this.#open.length === 1) this.#addRecord(false);
  }

  #countValue(): void {
    if (++this.#values > this.#maxValues) throw new ScanError('values', this.#scanner.at);
    if (this.#into) this.#into.items++;
  }

  #openContainer(isArray: boolean): void {
    if (this.#open.length >= this.#maxDepth) throw new ScanError('deep', this.#scanner.at);
    this.#countValue();
    if (this.#into === undefined) this.isArray = isArray;
    this.#into = { isArray, items: 0, name: 0, firstName: this.#usedNames.length };
    this.#open.push(this.#into);
    this.#next = isArray ? AN_ITEM_OR_END : A_NAME_OR_END;
    this.#scanner.at++;
  }

  #close(): void {
    const closed = this.#open.pop() as Container;
    const into = this.#open.at(-1);
    this.#into = into;
    this.#next = A_COMMA_OR_END;
    this.#scanner.at++;
    if (!closed.isArray) this.#forgetNames(closed.firstName);
    if (this.#open.length === 1) this.#addRecord(!closed.isArray);
    else if (this.#open.length === 2 && closed.isArray && into && !into.isArray) {
      if (this.#scanner.names[into.name] === 'Users') this.#recordUsers = closed.items;
    }
  }

  #addRecord(isObject: boolean): void {
    if (!this.isArray) return;
    this.#records?.add({
      isObject,
      users: this.#recordUsers,
      passwords: this.#recordPasswords,
      start: this.#recordAt,
      end: this.#scanner.at,
    });
  }

  #readName(): void {
    this.#nameAt = this.#scanner.at;
    (this.#into as Container).name = this.#scanner.name();
    this.#next = A_COLON;
  }

  #startField(): void {
    this.#next = A_VALUE;
    const { name, firstName } = this.#into as Container;
    const lastUse = this.#lastUses[name] ?? -1;
    if (lastUse >= firstName) throw new ScanError('duplicate', this.#nameAt);
    this.#previousUses.push(lastUse);
    this.#lastUses[name] = this.#usedNames.push(name) - 1;
    this.#scanner.at++;
  }

  /** Removes the names of a closed object from the stack. */
  #forgetNames(firstName: number): void {
    while (this.#usedNames.length > firstName) {
      this.#lastUses[this.#usedNames.pop() as number] = this.#previousUses.pop() as number;
    }
  }

  #afterValue(byte: number): void {
    const into = this.#into;
    if (into === undefined) throw this.#unexpected();
    if (byte === COMMA) {
      this.#next = into.isArray ? A_VALUE : A_NAME;
      this.#scanner.at++;
    } else if (byte === (into.isArray ? BRACKET_END : BRACE_END)) {
      this.#close();
    } else {
      throw this.#unexpected();
    }
  }

  #unexpected(): ScanError {
    return new ScanError('syntax', this.#scanner.at);
  }
}
