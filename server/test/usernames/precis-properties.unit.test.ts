import { anyCharacter, runs } from '@anagrafe/testing/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunTable } from '../../src/usernames/precis.ts';
import { mapOpaqueString, mapUsername } from '../../src/usernames/precis-profiles.ts';
import { DERIVED_PROPERTY, WIDTH_PAIRS } from '../../src/usernames/unicode-tables.gen.ts';

const derived = new RunTable(DERIVED_PROPERTY);
const identifierCharacters = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => ['P', 'C'].includes(derived.at(codePoint) ?? 'D'))
  .map((codePoint) => String.fromCodePoint(codePoint));
const casedCharacters = identifierCharacters.filter((character) => character.toLowerCase() !== character);
const markCharacters = identifierCharacters.filter((character) => /\p{M}/u.test(character));
const widthPairs = WIDTH_PAIRS.match(/../g) ?? [];

/** Replaces `fc.constantFrom` for lists with more elements than a call may have arguments. */
function from(list: readonly string[]): fc.Arbitrary<string> {
  return fc.nat(list.length - 1).map((index) => list[index] ?? '');
}

/** Generates texts of letters of every script, with characters that are edge cases of the mapping. */
const nameLike = fc.string({
  unit: fc.oneof(
    from(identifierCharacters),
    from(casedCharacters),
    from(markCharacters),
    from(widthPairs.map((pair) => pair.charAt(0))),
    fc.constantFrom(
      ...' aAiIlL1.=<\u03a3\u03c3\u03c2\u0130\u0131\u0338\u0345\u00b7\u200c\u200d\u05d0\u0628\u0661\u06f1\u094d',
    ),
  ),
  maxLength: 8,
});
const anyCodeUnits = fc.uint16Array({ maxLength: 12 }).map((units) => String.fromCharCode(...units));
const anyText = fc.oneof(nameLike, fc.string({ unit: anyCharacter }), fc.string(), anyCodeUnits);

const RUNS = runs(500);

describe.each([
  ['mapUsername', mapUsername],
  ['mapOpaqueString', mapOpaqueString],
])('%s', (_, map) => {
  it('returns a mapped form or an error for every string', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = map(text);
        expect('mapped' in result ? result.mapped.length : result.error.length).toBeGreaterThan(0);
      }),
      RUNS,
    );
  });

  it('maps a mapped form to itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = map(text);
        if ('mapped' in result) expect(map(result.mapped)).toEqual(result);
      }),
      RUNS,
    );
  });

  it('returns a mapped form in NFC, and maps its NFD form to the same', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = map(text);
        if ('error' in result) return;
        expect(result.mapped.normalize('NFC')).toBe(result.mapped);
        expect(map(result.mapped.normalize('NFD'))).toEqual(result);
      }),
      RUNS,
    );
  });

  it('maps each allowed character alone to a form that maps to itself', () => {
    const unstable = identifierCharacters.filter((character) => {
      const result = map(character);
      if ('error' in result) return false;
      const again = map(result.mapped);
      return 'error' in again || again.mapped !== result.mapped;
    });
    expect(unstable).toEqual([]);
  });
});

describe('mapUsername', () => {
  it('maps a text in lower case to the same name', () => {
    fc.assert(
      fc.property(nameLike, (text) => {
        const result = mapUsername(text);
        if ('mapped' in result) expect(mapUsername(text.toLowerCase())).toEqual(result);
      }),
      RUNS,
    );
  });

  it('maps letters in upper case to the same name', () => {
    // Capital sigma is excluded, because its lower case depends on its position in the word.
    const pairs = casedCharacters
      .map((capital) => [capital, capital.toLowerCase()] as const)
      .filter(([capital]) => capital !== '\u03a3');
    const halves = fc.array(fc.constantFrom(...pairs), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(halves, (letters) => {
        const capitals = letters.map(([capital]) => capital).join('');
        const smalls = letters.map(([, small]) => small).join('');
        expect(mapUsername(capitals)).toEqual(mapUsername(smalls));
      }),
      RUNS,
    );
  });

  it('maps a text in another width to the same name', () => {
    const halves = fc.array(from(widthPairs), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(halves, (letters) => {
        const variants = letters.map((pair) => pair.charAt(0)).join('');
        const plain = letters.map((pair) => pair.charAt(1)).join('');
        expect(mapUsername(variants)).toEqual(mapUsername(plain));
      }),
      RUNS,
    );
  });

  it('returns a mapped form without capitals, width variants, extra spaces or control characters', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const result = mapUsername(text);
        if ('error' in result) return;
        expect(result.mapped.toLowerCase()).toBe(result.mapped);
        expect(result.mapped).not.toMatch(/[\u3000\uff01-\uffee\p{Cc}\p{Cs}\p{Cn}\p{Co}]|^ | {2}| $/u);
      }),
      RUNS,
    );
  });

  it('maps each userpart of a name independently', () => {
    const left = '\u0391\u03a3';
    fc.assert(
      fc.property(nameLike, (text) => {
        const part = mapUsername(text);
        const whole = mapUsername(`${left} ${text}`);
        if ('mapped' in part && 'mapped' in whole) expect(whole.mapped).toBe(`\u03b1\u03c2 ${part.mapped}`);
      }),
      RUNS,
    );
  });
});
