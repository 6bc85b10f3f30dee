import { describe, expect, it } from 'vitest';
import { inFreeformClass, inIdentifierClass } from '../../../../src/core/fields/precis/classes.ts';
import { RunTable } from '../../../../src/core/fields/precis/run-table.ts';
import { DERIVED_PROPERTY } from '../../../../src/core/fields/precis/tables.gen.ts';

const derived = new RunTable(DERIVED_PROPERTY);
const everyCodePoint = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint);

/** Code points where the class says other than the table, with those the engine does not know counted as refused. */
function differences(inClass: (text: string) => boolean, letters: string): number[] {
  return everyCodePoint.filter((codePoint) => {
    const character = String.fromCodePoint(codePoint);
    const isAllowed = letters.includes(derived.at(codePoint) ?? '-') && !/\p{Cn}/u.test(character);
    return inClass(character) !== isAllowed;
  });
}

describe('the string classes', () => {
  it('hold what the table says and the engine knows how to map', () => {
    expect(differences(inIdentifierClass, 'PC')).toEqual([]);
    expect(differences(inFreeformClass, 'PCF')).toEqual([]);
  });

  it('refuse a text for one code point among many', () => {
    expect(inIdentifierClass('abc\u00e8\u{20000}')).toBe(true);
    expect(inIdentifierClass('abc\u00e8\u2163\u{20000}')).toBe(false);
    expect(inFreeformClass('abc\u00e8\u2163\u{20000}')).toBe(true);
    expect(inFreeformClass('abc\u00e8\u2163\u{20000}\u0007')).toBe(false);
  });
});
