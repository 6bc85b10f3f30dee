import { fault, type SheetFault } from '../fault.ts';
import type { Finding } from '../scanner.ts';
import { faultIn } from './fault-in.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Maximum length of an element in UTF-16 code units. A record with all its users is one element. */
export const elementLimit = 33_554_432;

/** A position in the file. Both numbers count from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Parses the text of one element, which must be an object without duplicate property names.
 *
 * @param start The position in the file at which the text begins.
 */
export function readElement(text: string, start: Position): Finding<JsonObject> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The message of the SyntaxError may contain a part of the text, and its position is not standardised.
    return invalid(fault('INVALID_JSON', placeIn(text, faultIn(text), start)));
  }
  if (!isObject(content)) return invalid(fault('NOT_AN_OBJECT', start));
  if (namesWritten(text) !== namesRead(content)) return invalid(fault('DUPLICATE_NAME', start));
  return { content, fault: null };
}

function invalid(error: SheetFault): Finding<JsonObject> {
  return { content: null, fault: error };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts an offset in a text that begins at `start` to a position in the file. */
export function placeIn(text: string, at: number, start: Position): Position {
  const before = text.slice(0, at).split('\n');
  const last = before.at(-1)?.length ?? 0;
  return {
    line: start.line + before.length - 1,
    column: before.length === 1 ? start.column + last : last + 1,
  };
}

/**
 * Counts the property names in the text: one per colon outside strings. A difference from `namesRead` reveals duplicate
 * names, of which `JSON.parse` silently keeps only the last.
 */
function namesWritten(text: string): number {
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

/** Counts the property names of an object and of all objects in it. */
function namesRead(object: JsonObject): number {
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
