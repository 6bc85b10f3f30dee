import { describe, expect, it } from 'vitest';
import { mapUsername } from '../../src/usernames/precis-profiles.ts';

describe('mapUsername with the examples of RFC 8265 section 3.5', () => {
  it.each([
    ['juliet@example.com', 'juliet@example.com'],
    ['fussball', 'fussball'],
    ['fu\u00dfball', 'fu\u00dfball'],
    ['\u03c0', '\u03c0'],
    ['\u03a3', '\u03c3'],
    ['\u03c3', '\u03c3'],
    ['\u03c2', '\u03c2'],
  ])('accepts %s', (text, mapped) => {
    expect(mapUsername(text)).toEqual({ mapped });
  });

  it.each([
    ['', 'empty'],
    ['henry\u2163', 'character'],
    ['\u265a', 'character'],
  ])('refuses "%s"', (text, error) => {
    expect(mapUsername(text)).toEqual({ error });
  });

  it('accepts "foo bar", which is not a userpart but a username of two userparts', () => {
    expect(mapUsername('foo bar')).toEqual({ mapped: 'foo bar' });
  });
});

describe('a username', () => {
  it.each([
    ['Mario.Rossi', 'mario.rossi'],
    ['MARIO ROSSI', 'mario rossi'],
    ['!"#$%&\u0027()*+,-./:;<=>?@[\\]^_`{|}~', '!"#$%&\u0027()*+,-./:;<=>?@[\\]^_`{|}~'],
    ['Nicol\u00d2', 'nicol\u00f2'],
    ['NICOLO\u0300', 'nicol\u00f2'],
    ['\uff2d\uff41\uff52\uff49\uff4f', 'mario'],
    ['Mario\u3000Rossi', 'mario rossi'],
    ['\uff76\uff9e', '\u30ac'],
    ['\u1e9e', '\u00df'],
    ['\u13a0', '\uab70'],
    ['\u{10400}', '\u{10428}'],
    ['\u{20000}', '\u{20000}'],
  ])('%s is mapped to %s', (text, mapped) => {
    expect(mapUsername(text)).toEqual({ mapped });
  });

  it('distinguishes the Turkish letters in any locale', () => {
    expect(mapUsername('I')).toEqual({ mapped: 'i' });
    expect(mapUsername('\u0131')).toEqual({ mapped: '\u0131' });
    expect(mapUsername('\u0130')).toEqual({ mapped: 'i\u0307' });
    expect(mapUsername('i\u0307')).toEqual({ mapped: 'i\u0307' });
  });

  it('has a final sigma at the end of each userpart', () => {
    expect(mapUsername('\u039f\u0394\u039f\u03a3')).toEqual({ mapped: '\u03bf\u03b4\u03bf\u03c2' });
    expect(mapUsername('\u0391\u03a3 \u0391\u03a3')).toEqual({ mapped: '\u03b1\u03c2 \u03b1\u03c2' });
    expect(mapUsername('\u0391 \u03a3 \u0391')).toEqual({ mapped: '\u03b1 \u03c3 \u03b1' });
    expect(mapUsername('\u03b1\u03c3')).toEqual({ mapped: '\u03b1\u03c3' });
  });

  it.each([
    ['leading', ' mario'],
    ['trailing', 'mario '],
    ['doubled', 'mario  rossi'],
    ['lonely', ' '],
    ['leading ideographic', '\u3000mario'],
    ['doubled, one of them ideographic', 'mario \u3000rossi'],
  ])('is refused with a %s space', (_, text) => {
    expect(mapUsername(text)).toEqual({ error: 'space' });
  });

  it.each([
    ['NUL', 'a\u0000b'],
    ['a tab', 'a\tb'],
    ['a line feed', 'a\nb'],
    ['a line feed at the end', 'mario\n'],
    ['DEL', 'a\u007fb'],
    ['a C1 control', 'a\u0085b'],
    ['a no-break space', 'a\u00a0b'],
    ['a ligature', '\ufb01n'],
    ['a digraph', '\u01c6'],
    ['a titlecase letter', '\u1f88'],
    ['a superscript', 'm\u00b2'],
    ['a Kelvin sign', '\u212a'],
    ['an Angstrom sign', '\u212b'],
    ['an emoji', '\u{1f600}'],
    ['a variation selector', 'a\ufe0f'],
    ['a soft hyphen', 'a\u00adb'],
    ['a byte order mark', '\ufeffa'],
    ['a right-to-left override', 'a\u202eb'],
    ['a tag character', 'a\u{e0061}'],
    ['a tatweel', '\u0628\u0640\u0628'],
    ['a single conjoining jamo', '\u1100'],
    ['an old conjoining jamo', '\u1113\u1161'],
    ['a halfwidth jamo', '\uffa1'],
    ['a halfwidth Hangul filler', '\uffa0'],
    ['a halfwidth full stop', 'a\uff61'],
    ['a fullwidth macron', '\uffe3'],
    ['a private use character', '\ue000'],
    ['a noncharacter', '\ufdd0'],
    ['a noncharacter beyond the first plane', '\u{10ffff}'],
    ['an unassigned code point', '\u0378'],
    ['an unassigned code point beyond the first plane', '\u{1ffff}'],
  ])('is refused with %s', (_, text) => {
    expect(mapUsername(text)).toEqual({ error: 'character' });
  });

  it('is refused if allowed characters compose to a disallowed one', () => {
    expect(mapUsername('a=\u0338b')).toEqual({ error: 'character' });
    expect(mapUsername('a<\u0338b')).toEqual({ error: 'character' });
  });

  it.each(['\ud800', 'a\udc00', '\udc00\ud800', '\ud800a', '\u{1f600}\ud83d'])(
    'is refused with a lone surrogate (%j)',
    (text) => {
      expect(mapUsername(text)).toEqual({ error: 'surrogate' });
    },
  );
});
