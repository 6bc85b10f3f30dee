import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeDigest, codeIssuer, codeUrl, newCode } from '../../src/passwords/password-code.ts';

describe('the code with which a user sets its password', () => {
  it('has seven groups of four characters, and no two characters that look alike', () => {
    const codes = Array.from({ length: 500 }, newCode);
    for (const code of codes)
      expect(code).toMatch(/^(?:[0-9AC-HJKMNP-RTV-Y]{4}-){6}[0-9AC-HJKMNP-RTV-Y]{4}$/);
    expect(codes.join('')).not.toMatch(/[OILZSBU]/);
    expect(new Set(codes).size).toBe(500);
  });

  it('uses each of its 29 characters at every place', () => {
    const places = Array.from({ length: 28 }, () => new Set<string>());
    for (let count = 0; count < 2000; count++)
      for (const [at, character] of [...newCode().replaceAll('-', '')].entries()) places[at]?.add(character);
    expect(places.map(({ size }) => size)).toEqual(places.map(() => 29));
  });

  it('is read whatever its case, spaces, dashes and look-alikes are', () => {
    const separators = fc.array(fc.constantFrom('', ' ', '-', '\u2013', '\u00a0', '\n'), {
      minLength: 28,
      maxLength: 28,
    });
    const alike: Record<string, string[]> = {
      '0': ['0', 'O', 'o'],
      '1': ['1', 'I', 'l', 'L'],
      '2': ['2', 'Z', 'z'],
      '5': ['5', 'S', 's'],
      '8': ['8', 'B', 'b'],
      V: ['V', 'v', 'U', 'u'],
    };
    fc.assert(
      fc.property(separators, fc.nat(), (between, seed) => {
        const code = newCode();
        const typed = [...code.replaceAll('-', '')].map((character, at) => {
          const forms = alike[character] ?? [character, character.toLowerCase()];
          return `${between[at]}${forms[(seed + at) % forms.length]}`;
        });
        expect(codeDigest(typed.join(''))).toEqual(codeDigest(code));
      }),
    );
  });

  it.each(['', 'A', newCode().slice(1), `${newCode()}0`, `${newCode().slice(0, -1)}?`, 'x'.repeat(200)])(
    'is not read from %j',
    (text) => expect(codeDigest(text)).toBeNull(),
  );

  it('is in the fragment of the link, which servers do not receive', () => {
    expect(codeUrl('C-1', 'https://a.example/base/')).toBe('https://a.example/base/account/set-password#C-1');
    expect(codeUrl('C-1', null)).toBeNull();
  });

  it('expires after the days of the setting', () => {
    const { issuedAt, expiresAt } = codeIssuer({ days: 7, publicUrl: null })();
    expect(expiresAt.getTime() - issuedAt.getTime()).toBe(7 * 24 * 3600 * 1000);
  });
});
