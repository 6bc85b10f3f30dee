import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FieldErrors } from '../../src/lib/field-errors.ts';
import {
  isAbsent,
  isId,
  readEmail,
  readText,
  refuseUnknownFields,
  within,
} from '../../src/lib/request-fields.ts';

type Read<Value> = (errors: FieldErrors) => Value;

function withApiErrors<Value>(read: Read<Value>): { value: Value; codes: string[] } {
  const errors = new FieldErrors();
  const value = read(errors);
  return { value, codes: [...errors.byPlace.values()].flat().map((error) => error.code) };
}

describe('an ID', () => {
  it.each([1, 7, 2 ** 31, 2 ** 53 - 1])('may be %d', (value) => expect(isId(value)).toBe(true));

  it.each([
    0,
    -1,
    1.5,
    2 ** 53,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '1',
    null,
    undefined,
    true,
    [1],
    {},
    1n,
  ])('may not be %o', (value) => expect(isId(value)).toBe(false));
});

describe('an absent value', () => {
  it('is null or undefined, and nothing else', () => {
    expect([null, undefined].every(isAbsent)).toBe(true);
    expect([0, '', false, [], {}, Number.NaN].some(isAbsent)).toBe(false);
  });
});

describe('the place of a field error', () => {
  it('is written with dots', () => {
    expect(within('', 'ID')).toBe('ID');
    expect(within('Users[0]', 'Password')).toBe('Users[0].Password');
  });
});

describe('an email address', () => {
  const read = (value: unknown) => withApiErrors((errors) => readEmail(value, 'Email', errors));
  const longest = `${'l'.repeat(242)}@example.com`;

  it.each([
    'a@b',
    'mario.rossi@example.com',
    'Mario+tag@Example.COM',
    "o'neil@example.com",
    '!#$%&*/=?^_`{|}~-@x-y.example',
    '.dots..anywhere.@example.com',
    'a@1.2.3.4',
    `${'l'.repeat(64)}@${'d'.repeat(63)}.example`,
    longest,
  ])('may be %s, and is kept as sent', (text) => {
    expect(read(text)).toEqual({ value: text, codes: [] });
  });

  it.each([
    'mario',
    '@example.com',
    'mario@',
    'a@b@c',
    'a b@example.com',
    ' a@example.com',
    'a@example.com ',
    'a@example.com\n',
    'a@-example.com',
    'a@example-.com',
    'a@example..com',
    'a@example.com.',
    'a@exa_mple.com',
    'è@example.com',
    'a@exämple.com',
    '"a"@example.com',
    'a@[127.0.0.1]',
    `a@${'d'.repeat(64)}.example`,
    'a@example.com\0',
  ])('may not be %o', (text) => {
    expect(read(text)).toEqual({ value: null, codes: ['EMAIL_INVALID'] });
  });

  it('may not be empty', () => {
    expect(read('')).toEqual({ value: null, codes: ['TEXT_EMPTY'] });
  });

  it('may have at most 254 characters', () => {
    expect(longest).toHaveLength(254);
    expect(read(`l${longest}`)).toEqual({ value: null, codes: ['EMAIL_TOO_LONG'] });
  });

  it('may be absent, but not a number', () => {
    expect(read(null)).toEqual({ value: null, codes: [] });
    expect(read(7)).toEqual({ value: null, codes: ['WRONG_TYPE'] });
  });

  it('is refused for its length before its syntax is tested', () => {
    const test = vi.spyOn(RegExp.prototype, 'test');
    const long = `a@${'a-'.repeat(100_000)}`;
    const { codes } = read(long);
    const tested = test.mock.calls.some(([text]) => text === long);
    test.mockRestore();
    expect(codes).toEqual(['EMAIL_TOO_LONG']);
    expect(tested).toBe(false);
  });

  // A regular expression with exponential backtracking would not terminate on any of these.
  it.each([
    `${'a.'.repeat(120)}@${'a.'.repeat(5)}`,
    `a@${'a-'.repeat(126)}`,
    `a@${'a'.repeat(252)}`,
    `a@${'a.'.repeat(126)}`,
    `a@${`${'a'.repeat(62)}.`.repeat(4)}`,
    `a@${`${'a-'.repeat(31)}a.`.repeat(3)}${'a'.repeat(58)}_`,
  ])('is refused at full length when it almost matches: %s', (text) => {
    expect(text.length).toBeLessThanOrEqual(254);
    expect(read(text).codes).toEqual(['EMAIL_INVALID']);
  });
});

describe('a text', () => {
  const read = (value: unknown, max = 5) => withApiErrors((errors) => readText(value, max, 'Name', errors));

  it('is kept as sent, its length counted in characters', () => {
    expect(read(' è a ')).toEqual({ value: ' è a ', codes: [] });
    expect(read('🦊🦊🦊🦊🦊')).toEqual({ value: '🦊🦊🦊🦊🦊', codes: [] });
    expect(read('🦊🦊🦊🦊🦊🦊').codes).toEqual(['TEXT_TOO_LONG']);
    expect(read('x'.repeat(1_000_000)).codes).toEqual(['TEXT_TOO_LONG']);
  });

  it('may not be empty or contain a control character', () => {
    for (const text of ['', ' ', '\t', '\u3000']) expect(read(text).codes).toEqual(['TEXT_EMPTY']);
    for (const text of ['a\0', 'a\nb', 'a\u0085', '\u001ba'])
      expect(read(text).codes).toEqual(['TEXT_CHARACTERS']);
  });

  it('may have joiners and variation selectors, which some scripts and emoji need', () => {
    for (const text of ['می\u200cخو', '👩\u200d💻', '☎\ufe0f', '葛\u{e0100}'])
      expect(read(text).value).toBe(text);
  });

  it('is refused or kept as sent, and never changed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), (text) => {
        const { value, codes } = read(text, 8);
        expect(value).toBe(codes.length === 0 ? text : null);
      }),
    );
  });
});

describe('unknown fields', () => {
  function refused(fields: Record<string, unknown>, known = ['ID', 'Username']) {
    const errors = new FieldErrors();
    refuseUnknownFields(fields, known, 'Users[0]', errors);
    return Object.fromEntries(errors.byPlace);
  }

  it('are refused by name unless they are null', () => {
    expect(refused({ ID: 1, Username: 'a', Nickname: null })).toEqual({});
    expect(refused({ Nickname: false })).toEqual({
      'Users[0].Nickname': [{ code: 'UNKNOWN_FIELD', variant: 'unknown', figures: { field: 'Nickname' } }],
    });
  });

  it('are answered with the known field name if only the case differs', () => {
    expect(refused({ userName: 'a' })).toEqual({
      'Users[0].userName': [
        { code: 'UNKNOWN_FIELD', variant: 'spelling', figures: { field: 'userName', known: 'Username' } },
      ],
    });
  });

  it('are truncated between two characters if they are long', () => {
    const [place = ''] = Object.keys(refused({ [`${'x'.repeat(59)}🦊${'y'.repeat(500)}`]: 1 }));
    expect(place.length).toBeLessThan(80);
    expect(place).toMatch(/…$/);
    expect(place).not.toMatch(/\p{Surrogate}/u);
  });
});
