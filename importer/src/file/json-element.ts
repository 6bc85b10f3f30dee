import { type FileError, fileError } from './errors.ts';
import type { JsonObject, Position } from './types.ts';

export type Parsed<Content> =
  | { readonly content: Content; readonly error: null }
  | { readonly content: null; readonly error: FileError };

/** Maximum length of an element in UTF-16 code units. A record with all its users is one element. */
export const elementLimit = 33_554_432;

/**
 * Parses the text of one element, which must be an object without duplicate property names.
 *
 * @param start The position in the file at which the text begins.
 */
export function readElement(text: string, start: Position): Parsed<JsonObject> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The message of the SyntaxError may contain a part of the text, and its position is not standardised.
    return invalid(fileError('INVALID_JSON', positionAt(text, syntaxErrorOffset(text), start)));
  }
  if (!isObject(content)) return invalid(fileError('NOT_AN_OBJECT', start));
  if (countNamesInText(text) !== countNamesInObject(content))
    return invalid(fileError('DUPLICATE_NAME', start));
  return { content, error: null };
}

function invalid(error: FileError): Parsed<JsonObject> {
  return { content: null, error };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts an offset in a text that begins at `start` to a position in the file. */
export function positionAt(text: string, at: number, start: Position): Position {
  const before = text.slice(0, at).split('\n');
  const last = before.at(-1)?.length ?? 0;
  return {
    line: start.line + before.length - 1,
    column: before.length === 1 ? start.column + last : last + 1,
  };
}

/**
 * Counts the property names in the text: one per colon outside strings. A difference from `countNamesInObject` reveals duplicate
 * names, of which `JSON.parse` silently keeps only the last.
 */
function countNamesInText(text: string): number {
  let names = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) quoted = !quoted;
    else if (unit === 0x5c) at++;
    else if (unit === 0x3a && !quoted) names++;
  }
  return names;
}

function countNamesInObject(object: JsonObject): number {
  let names = 0;
  const open: object[] = [object];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const isArray = Array.isArray(next);
    for (const name of Object.keys(next)) {
      if (!isArray) names++;
      const value = (next as JsonObject)[name];
      if (typeof value === 'object' && value !== null) open.push(value);
    }
  }
  return names;
}

const space = /[ \t\n\r]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * Returns the offset of the first syntax error in a text that should be one JSON value, or the offset after the value
 * if that is valid.
 */
export function syntaxErrorOffset(text: string): number {
  const closers: string[] = [];
  let at = after(space, text, 0);
  let expected: 'value' | 'first' | 'name' | 'next' = 'value';
  while (closers.length > 0 || expected !== 'next') {
    const character = text[at];
    if (expected === 'next' || (expected === 'first' && character === closers.at(-1))) {
      if (character === closers.at(-1)) {
        closers.pop();
        expected = 'next';
      } else if (character === ',') expected = closers.at(-1) === '}' ? 'name' : 'value';
      else return at;
      at++;
    } else if (closers.at(-1) === '}' && expected !== 'value') {
      const end = character === '"' ? endOfString(text, at) : { at, whole: false };
      if (!end.whole) return end.at;
      at = after(space, text, end.at);
      if (text[at] !== ':') return at;
      at++;
      expected = 'value';
    } else if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      expected = 'first';
      at++;
    } else if (character === '"') {
      const end = endOfString(text, at);
      if (!end.whole) return end.at;
      at = end.at;
      expected = 'next';
    } else {
      const end = after(scalar, text, at);
      if (end === at) return at;
      at = end;
      expected = 'next';
    }
    at = after(space, text, at);
  }
  return at;
}

/** Returns the offset after the match of a sticky pattern at `at`, or `at` if it does not match. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Returns the offset after a string, or with `whole` false the offset of its first invalid character. */
function endOfString(text: string, start: number): { readonly at: number; readonly whole: boolean } {
  let at = start + 1;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return { at: at + 1, whole: true };
    if (unit < 0x20) return { at, whole: false };
    const next = unit === 0x5c ? after(escaped, text, at) : at + 1;
    if (next === at) return { at, whole: false };
    at = next;
  }
  return { at, whole: false };
}
