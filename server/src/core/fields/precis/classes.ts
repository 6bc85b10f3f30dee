import { RunTable } from './run-table.ts';
import { DERIVED_PROPERTY } from './tables.gen.ts';

/** RFC 8264 section 8; `C` is CONTEXTJ and CONTEXTO alike, `D` is DISALLOWED and UNASSIGNED alike. */
type DerivedProperty = 'P' | 'F' | 'C' | 'D';

const derivedProperties = new RunTable<DerivedProperty>(DERIVED_PROPERTY);

/**
 * The tables are those of Unicode 17 on every Node, but lower case and NFC are the engine's. An engine that is older
 * leaves the letters it does not know as they are, and the text would be stored under another key than a newer
 * engine gives it. It refuses such a text instead.
 */
const UNKNOWN_TO_ENGINE = /\p{Unassigned}/u;

/** Whether every code point may stand in an IdentifierClass string; `contextAllows` has the last word. */
export function inIdentifierClass(text: string): boolean {
  return consistsOf(text, 'PC');
}

/** Whether every code point may stand in a FreeformClass string; `contextAllows` has the last word. */
export function inFreeformClass(text: string): boolean {
  return consistsOf(text, 'PCF');
}

function consistsOf(text: string, allowed: string): boolean {
  for (const character of text) {
    const property = derivedProperties.at(character.codePointAt(0));
    if (property === undefined || !allowed.includes(property)) return false;
  }
  return !UNKNOWN_TO_ENGINE.test(text);
}
