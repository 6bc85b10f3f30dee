import { describe, expect, it, vi } from 'vitest';
import { contextAllows, RunTable } from '../../src/usernames/precis.ts';
import { mapOpaqueString, mapUsername } from '../../src/usernames/precis-profiles.ts';

const ZWNJ = '\u200c';
const ZWJ = '\u200d';
const BEH = '\u0628';
const ALEF = '\u0627';
const FATHA = '\u064e';
const KA = '\u0915';
const NUKTA = '\u093c';
const VIRAMA = '\u094d';

describe('the contextual rules of RFC 5892 appendix A', () => {
  it.each([
    ['a zero width non-joiner after a virama', `${KA}${VIRAMA}${ZWNJ}${KA}`],
    ['a zero width non-joiner between letters that would join', `${BEH}${ZWNJ}${BEH}`],
    ['a zero width non-joiner before a right-joining letter', `${BEH}${ZWNJ}${ALEF}`],
    ['a zero width non-joiner with marks around it', `${BEH}${FATHA}${ZWNJ}${FATHA}${BEH}`],
    ['a zero width joiner after a virama', `${KA}${VIRAMA}${ZWJ}${KA}`],
    ['a zero width joiner at the end, after a virama', `${KA}${VIRAMA}${ZWJ}`],
    ['a middle dot between two l', 'col\u00b7legi'],
    ['a keraia before Greek', '\u0375\u03b1'],
    ['a geresh after Hebrew', '\u05d2\u05f3'],
    ['gershayim after Hebrew', '\u05e6\u05d4\u05f4\u05dc'],
    ['a katakana middle dot with katakana', '\u30a2\u30fb\u30a2'],
    ['a katakana middle dot with one Han character far from it', '\u30fbabc\u4e00'],
    ['Arabic-Indic digits alone', '\u0628\u0660\u0661'],
    ['extended Arabic-Indic digits alone', '\u0628\u06f0\u06f1'],
    ['extended Arabic-Indic digits next to European ones', '\u0628\u06f01'],
  ])('allow %s', (_, text) => {
    expect(mapUsername(text)).toEqual({ mapped: text });
  });

  it.each([
    ['a zero width non-joiner alone', ZWNJ],
    ['a zero width non-joiner between Latin letters', `a${ZWNJ}b`],
    ['a zero width non-joiner after a letter that does not join on', `${ALEF}${ZWNJ}${BEH}`],
    ['a zero width non-joiner at the end', `${BEH}${ZWNJ}`],
    ['two zero width non-joiners in a row', `${BEH}${ZWNJ}${ZWNJ}${BEH}`],
    ['a zero width joiner alone', ZWJ],
    ['a zero width joiner between letters that would join', `${BEH}${ZWJ}${BEH}`],
    ['a zero width joiner after a consonant', `${KA}${ZWJ}${KA}`],
    ['a middle dot between other letters', 'a\u00b7b'],
    ['a middle dot after a single l', 'l\u00b7'],
    ['a middle dot before a single l', '\u00b7l'],
    ['a keraia before Latin', '\u0375a'],
    ['a keraia at the end', '\u03b1\u0375'],
    ['a geresh after Latin', 'a\u05f3'],
    ['gershayim at the start', '\u05f4\u05d0'],
    ['a katakana middle dot without Japanese', 'a\u30fbb'],
    ['a katakana middle dot alone', '\u30fb'],
    ['a halfwidth katakana middle dot without Japanese', 'a\uff65b'],
    ['Arabic-Indic digits with extended ones', '\u0628\u0660\u06f0'],
  ])('refuse %s', (_, text) => {
    expect(mapUsername(text)).toEqual({ error: 'character' });
  });

  it('apply to each userpart independently', () => {
    expect(mapUsername('\u30a2 a\u30fbb')).toEqual({ error: 'character' });
    expect(mapUsername('l\u00b7 l')).toEqual({ error: 'character' });
  });

  it('apply to the mapped form, so that case and the order of marks have no effect', () => {
    expect(mapUsername('COL\u00b7LEGI')).toEqual({ mapped: 'col\u00b7legi' });
    const sorted = `${KA}${NUKTA}${VIRAMA}${ZWJ}${KA}`;
    const unsorted = `${KA}${VIRAMA}${NUKTA}${ZWJ}${KA}`;
    expect(mapUsername(unsorted)).toEqual({ mapped: sorted });
    expect(mapUsername(sorted)).toEqual({ mapped: sorted });
  });

  it('apply to opaque strings', () => {
    expect(mapOpaqueString('col\u00b7legi')).toEqual({ mapped: 'col\u00b7legi' });
    expect(mapOpaqueString('a\u00b7b')).toEqual({ error: 'character' });
    expect(mapOpaqueString('\u{1f468}\u200d\u{1f469}')).toEqual({ error: 'character' });
  });

  it('look up each code point less than four times on average, for any length of text and marks', () => {
    function lookups(text: string): number {
      const spy = vi.spyOn(RunTable.prototype, 'at');
      try {
        expect(contextAllows(text)).toBe(true);
        return spy.mock.calls.length;
      } finally {
        spy.mockRestore();
      }
    }
    const joined = (groups: number, marks: number) =>
      `${`${BEH}${FATHA.repeat(marks)}${ZWNJ}`.repeat(groups)}${BEH}`;
    const dots = (count: number) => `${'\u30fb'.repeat(count)}\u4e00`;
    for (const text of [joined(20, 50), joined(40, 50), joined(20, 100), dots(1_000), dots(4_000)])
      expect(lookups(text) / text.length).toBeLessThan(4);
  });
});
