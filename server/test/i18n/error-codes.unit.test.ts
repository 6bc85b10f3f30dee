import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { refined } from '../../src/http/schemas.ts';
import { type Code, codes, type ErrorDetail } from '../../src/lib/error-codes.ts';
import { ApiError, FieldErrors, wrongParameter } from '../../src/lib/field-errors.ts';
import { languages, translate } from '../../src/lib/translate.ts';

const names = Object.keys(codes) as Code[];
const { en, it: italian } = languages;

/** Returns the messages of a code by variant. A code without variants has one message with an empty name. */
function variants(sentence: string | Readonly<Record<string, string>>): Record<string, string> {
  return typeof sentence === 'string' ? { '': sentence } : { ...sentence };
}

function figures(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
}

describe('the catalogue of error codes', () => {
  it('has messages for exactly the existing codes in every language', () => {
    for (const sentences of Object.values(languages)) {
      expect(Object.keys(sentences).sort()).toEqual([...names].sort());
    }
  });

  it.each(names)('has the same variants and figures for %s in both languages', (code) => {
    const english = variants(en[code]);
    const other = variants(italian[code]);
    expect(Object.keys(other)).toEqual(Object.keys(english));
    for (const [variant, text] of Object.entries(english)) {
      expect(figures(other[variant] ?? '')).toEqual(figures(text));
      expect(other[variant]).not.toBe(text);
    }
  });

  it.each(names)('has complete sentences for %s', (code) => {
    for (const text of [...Object.values(variants(en[code])), ...Object.values(variants(italian[code]))]) {
      expect(text).toMatch(/^["{A-Z].*([.?]|--name erp)$/s);
      expect(text).not.toMatch(/\s{2}|^\s|\s$|\{\s|\s\}/);
      expect(text.replaceAll(/\{\w+\}/g, '')).not.toMatch(/[{}]/);
    }
  });

  it('has typed variants: an unknown, missing or superfluous one does not compile', () => {
    const errors = new FieldErrors();
    // @ts-expect-error
    errors.add('Users', 'WRONG_TYPE', { variant: 'number' });
    // @ts-expect-error
    errors.add('Users', 'WRONG_TYPE');
    // @ts-expect-error
    errors.add('Users', 'NO_USERS', { variant: 'array' });
    // @ts-expect-error
    new ApiError('FORBIDDEN', { variant: 'scopes' });
    // @ts-expect-error
    wrongParameter('page', 'numbers');
    // @ts-expect-error
    refined(Type.String(), () => true, 'numbers');
  });

  it('has codes in upper snake case only', () => {
    for (const code of names) expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  });
});

describe('the message of an error', () => {
  it('contains its figures, in the requested language', () => {
    const error = { code: 'PASSWORD_TOO_SHORT', figures: { min: 8 } } as const;
    expect(translate(error, 'en')).toBe('The password must have at least 8 characters.');
    expect(translate(error, 'it')).toBe('La password deve avere almeno 8 caratteri.');
  });

  it('depends on its variant', () => {
    const error = { code: 'WRONG_TYPE', variant: 'array' } as const;
    expect(translate(error, 'en')).toBe('Must be an array.');
  });

  it('is the code if a stored error has a variant that no longer exists', () => {
    const stored = JSON.parse('{"code":"WRONG_TYPE","variant":"tuple"}') as ErrorDetail;
    expect(translate(stored, 'en')).toBe('WRONG_TYPE');
  });

  it('contains a figure as plain text, even if it looks like a placeholder', () => {
    const field = '{known} $& $1 \\ "x"';
    const error = { code: 'UNKNOWN_FIELD', variant: 'unknown', figures: { field } } as const;
    expect(translate(error, 'en')).toBe(`Unknown field "${field}".`);
  });
});
