import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import { readUsername } from '../../src/usernames/username.ts';

function read(value: unknown) {
  const errors = new FieldErrors();
  const username = readUsername(value, 'Username', errors);
  return { username, codes: [...errors.byPlace.values()].flat().map((error) => error.code) };
}

describe('a username', () => {
  it.each([
    ['Mario.Rossi', 'mario.rossi'],
    ['mario@example.com', 'mario@example.com'],
    ['Mario Rossi', 'mario rossi'],
    ['ＭＡＲＩＯ', 'mario'],
    ['NICOLO\u0300', 'nicol\u00f2'],
    ['a', 'a'],
    ['7', '7'],
    ["o'neil", "o'neil"],
  ])('is kept as sent and identified by its mapped form: %s', (asSent, key) => {
    expect(read(asSent)).toEqual({ username: { asSent, key }, codes: [] });
  });

  it.each([
    ['no characters', '', 'TEXT_EMPTY'],
    ['a leading space', ' mario', 'USERNAME_SPACES'],
    ['a space behind', 'mario ', 'USERNAME_SPACES'],
    ['two spaces in a row', 'mario  rossi', 'USERNAME_SPACES'],
    ['a space alone', ' ', 'USERNAME_SPACES'],
    ['a tab', 'mario\trossi', 'USERNAME_CHARACTERS'],
    ['a line break', 'mario\n', 'USERNAME_CHARACTERS'],
    ['a zero', 'mario\0', 'USERNAME_CHARACTERS'],
    ['an invisible character', 'ma\u200brio', 'USERNAME_CHARACTERS'],
    ['a direction mark', 'mario\u202e', 'USERNAME_CHARACTERS'],
    ['a symbol', '♚', 'USERNAME_CHARACTERS'],
    ['an emoji', '🦊', 'USERNAME_CHARACTERS'],
    ['half a character', 'mario\ud83d', 'USERNAME_CHARACTERS'],
    ['mixed directions', 'mario\u05d0', 'USERNAME_DIRECTION'],
    ['129 characters', 'm'.repeat(129), 'USERNAME_TOO_LONG'],
    ['a million characters', 'm'.repeat(1_000_000), 'USERNAME_TOO_LONG'],
  ])('is refused with %s', (_, text, code) => {
    expect(read(text)).toEqual({ username: null, codes: [code] });
  });

  it('may have 128 characters, counted after mapping', () => {
    expect(read('m'.repeat(128)).codes).toEqual([]);
    expect(read('e\u0301'.repeat(128)).username?.key).toBe('\u00e9'.repeat(128));
    expect(read('𐐀'.repeat(128)).username?.key).toBe('𐐨'.repeat(128));
    expect(read('e\u0301'.repeat(129)).codes).toEqual(['USERNAME_TOO_LONG']);
  });

  it('may be absent, and is otherwise a string', () => {
    expect(read(null)).toEqual({ username: null, codes: [] });
    for (const value of [7, true, [], {}]) expect(read(value).codes).toEqual(['WRONG_TYPE']);
  });

  it('has a mapped form that is a valid username and maps to itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), (text) => {
        const { username, codes } = read(text);
        if (username === null) expect(codes).toHaveLength(1);
        else expect(read(username.key).username?.key).toBe(username.key);
      }),
      { numRuns: 500 },
    );
  });
});
