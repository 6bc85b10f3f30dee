import { describe, expect, it } from 'vitest';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import { readPassword, refuseOwnNames } from '../../src/passwords/policy.ts';

const policy = { minLength: 8, isCommon: (password: string) => password === 'common password' };

function read(Password: unknown, ConfirmPassword: unknown = Password, rules = policy) {
  const errors = new FieldErrors();
  const password = readPassword({ Password, ConfirmPassword }, rules, 'Users[0]', errors);
  const found = [...errors.byPlace].map(([place, list]) => [place, list.map((error) => error.code)]);
  return { password, errors: Object.fromEntries(found) as Record<string, string[]> };
}

describe('a password', () => {
  it.each([
    ['several words', 'four words of text', 'four words of text'],
    ['outer spaces, which are kept', '  eight 8 ', '  eight 8 '],
    ['wide and capital letters, which are kept', 'ＷｉｄｅＬｅｔｔｅｒｓ', 'ＷｉｄｅＬｅｔｔｅｒｓ'],
    ['other spaces, which are mapped to ASCII spaces', 'a\u00a0b\u3000c\u2003d e', 'a b c d e'],
    ['decomposed letters, which are composed', 'e\u0301a'.repeat(4), '\u00e9a'.repeat(4)],
    ['emoji', '🦊🐻🐼🐨🐯🦁🐮🐷', '🦊🐻🐼🐨🐯🦁🐮🐷'],
    ['128 characters after composition', 'e\u0301a'.repeat(64), '\u00e9a'.repeat(64)],
    ['digits and spaces only', '1 2 3 4 5', '1 2 3 4 5'],
    [
      'decomposed Korean syllables, which are composed',
      '한국어 비밀번호'.normalize('NFD'),
      '한국어 비밀번호',
    ],
  ])('may have %s', (_, sent, mapped) => {
    expect(read(sent)).toEqual({ password: mapped, errors: {} });
  });

  it.each([
    ['no characters', '', 'PASSWORD_TOO_SHORT'],
    ['7 characters', '1234567', 'PASSWORD_TOO_SHORT'],
    ['7 characters after composition', `${'e\u0301'.repeat(7)}`, 'PASSWORD_TOO_SHORT'],
    ['129 characters', 'x'.repeat(129), 'PASSWORD_TOO_LONG'],
    ['a million characters', 'x'.repeat(1_000_000), 'PASSWORD_TOO_LONG'],
    ['a control character', 'long enough\u0007', 'PASSWORD_CHARACTERS'],
    ['a zero', 'long enough\0', 'PASSWORD_CHARACTERS'],
    ['half a character', 'long enough\udc00', 'PASSWORD_CHARACTERS'],
    ['a place among the most used, in any case', 'Common PASSWORD', 'PASSWORD_COMMON'],
    ['a place among the most used, in full width', 'ｃｏｍｍｏｎ ｐａｓｓｗｏｒｄ', 'PASSWORD_COMMON'],
    ['a place among the most used, with spaces around it', ' common password  ', 'PASSWORD_COMMON'],
    ['one letter repeated', 'aAaAaAaAa', 'PASSWORD_COMMON'],
    ['spaces alone', '        ', 'PASSWORD_COMMON'],
    ['a place among the most used, with another space', 'common\u00a0password', 'PASSWORD_COMMON'],
  ])('is refused with %s', (_, sent, code) => {
    expect(read(sent).errors).toEqual({ 'Users[0].Password': [code] });
  });

  it('must have the minimum length of the policy', () => {
    expect(read('eleven char', 'eleven char', { ...policy, minLength: 12 }).errors).toEqual({
      'Users[0].Password': ['PASSWORD_TOO_SHORT'],
    });
  });

  it('must be a string', () => {
    expect(read(12345678).errors).toEqual({
      'Users[0].Password': ['WRONG_TYPE'],
      'Users[0].ConfirmPassword': ['WRONG_TYPE'],
    });
  });
});

describe('ConfirmPassword', () => {
  it('is required, as is Password', () => {
    expect(read(null).errors).toEqual({
      'Users[0].Password': ['REQUIRED'],
      'Users[0].ConfirmPassword': ['REQUIRED'],
    });
    expect(read('long enough', null).errors).toEqual({ 'Users[0].ConfirmPassword': ['REQUIRED'] });
    expect(read(null, 'long enough').errors).toEqual({ 'Users[0].Password': ['REQUIRED'] });
  });

  it('must equal Password exactly', () => {
    for (const other of ['Long enough', 'long enough ', '', 'long\u00a0enough']) {
      expect(read('long enough', other).errors).toEqual({
        'Users[0].ConfirmPassword': ['PASSWORD_MISMATCH'],
      });
    }
  });
});

describe('the username and email of the user', () => {
  function refused(password: string, usernameKey: string | null, email: string | null) {
    const errors = new FieldErrors();
    refuseOwnNames(password, { usernameKey, email }, 'Password', errors);
    return (errors.byPlace.get('Password') ?? []).map((error) => error.code);
  }

  it.each([
    ['mario.rossi', 'mario.rossi', null, ['PASSWORD_IS_USERNAME']],
    ['Mario.ROSSI', 'mario.rossi', null, ['PASSWORD_IS_USERNAME']],
    ['ｍａｒｉｏ.ｒｏｓｓｉ', 'mario.rossi', null, ['PASSWORD_IS_USERNAME']],
    ['nicolò.bini', 'nicolò.bini', null, ['PASSWORD_IS_USERNAME']],
    ['mario.rossi', null, 'Mario.Rossi@example.com', ['PASSWORD_IS_EMAIL']],
    ['MARIO@EXAMPLE.COM', 'm', 'mario@example.com', ['PASSWORD_IS_EMAIL']],
    ['mario.rossi', 'mario.rossi', 'mario.rossi@example.com', ['PASSWORD_IS_USERNAME', 'PASSWORD_IS_EMAIL']],
    ['mario@example.com', 'mario@example.com', null, ['PASSWORD_IS_USERNAME']],
  ])('are refused as a password: %s for %s, %s', (password, usernameKey, email, codes) => {
    expect(refused(password, usernameKey, email)).toEqual(codes);
  });

  it('may be a part of the password', () => {
    expect(refused('mario.rossi 1980', 'mario.rossi', 'mario.rossi@example.com')).toEqual([]);
    expect(refused('example.com', null, 'mario@example.com')).toEqual([]);
    expect(refused('anything', null, null)).toEqual([]);
  });
});
