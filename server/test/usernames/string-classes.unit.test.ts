import { describe, expect, it } from 'vitest';
import { inFreeformClass, inIdentifierClass, RunTable } from '../../src/usernames/precis.ts';
import { DERIVED_PROPERTY } from '../../src/usernames/unicode-tables.gen.ts';

const derived = new RunTable(DERIVED_PROPERTY);
const everyCodePoint = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint);

/** Returns the code points for which class and table differ. Code points unassigned in the engine must be refused. */
function differences(inClass: (text: string) => boolean, letters: string): number[] {
  return everyCodePoint.filter((codePoint) => {
    const character = String.fromCodePoint(codePoint);
    const isAllowed = letters.includes(derived.at(codePoint) ?? '-') && !/\p{Cn}/u.test(character);
    return inClass(character) !== isAllowed;
  });
}

describe('the PRECIS string classes', () => {
  it('contain the code points that the table allows and the engine can map', () => {
    expect(differences(inIdentifierClass, 'PC')).toEqual([]);
    expect(differences(inFreeformClass, 'PCF')).toEqual([]);
  });

  it('refuse a text with one disallowed code point among many', () => {
    expect(inIdentifierClass('abc\u00e8\u{20000}')).toBe(true);
    expect(inIdentifierClass('abc\u00e8\u2163\u{20000}')).toBe(false);
    expect(inFreeformClass('abc\u00e8\u2163\u{20000}')).toBe(true);
    expect(inFreeformClass('abc\u00e8\u2163\u{20000}\u0007')).toBe(false);
  });
});
