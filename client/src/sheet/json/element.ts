import { fault, type SheetFault } from '../fault.ts';
import type { Finding } from '../scanner.ts';
import { faultIn } from './fault-in.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The characters that an element may have; a record with all its users is one. */
export const elementLimit = 33_554_432;

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Reads one element from its text, which begins at a place in the file. */
export function readElement(text: string, start: Place): Finding<JsonObject> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The sentence of the error may repeat a part of the text, and no engine promises to tell the place.
    return refused(fault('INVALID_JSON', placeIn(text, faultIn(text), start)));
  }
  if (!isObject(content)) return refused(fault('NOT_AN_OBJECT', start));
  if (namesWritten(text) !== namesRead(content)) return refused(fault('DUPLICATE_NAME', start));
  return { content, fault: null };
}

function refused(why: SheetFault): Finding<JsonObject> {
  return { content: null, fault: why };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The line and column of a character of a text. */
export function placeIn(text: string, at: number, start: Place): Place {
  const before = text.slice(0, at).split('\n');
  const last = before.at(-1)?.length ?? 0;
  return {
    line: start.line + before.length - 1,
    column: before.length === 1 ? start.column + last : last + 1,
  };
}

/** Of two equal names in an object JSON.parse drops the first in silence. Outside of strings each name has a colon. */
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
