import { describe, expect, it } from 'vitest';
import { type Code, codes, type Sentence } from '../../src/core/codes.ts';
import { languages, say } from '../../src/core/language/say.ts';

const names = Object.keys(codes) as Code[];
const { en, it: italian } = languages;

/** The sentences of a code by variant; one without variants stands under the empty name. */
function variants(sentence: Sentence): Record<string, string> {
  return typeof sentence === 'string' ? { '': sentence } : { ...sentence };
}

function figures(text: string): string[] {
  return [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
}

describe('the catalogue of codes', () => {
  it('has a sentence for every code in every language, and none for anything else', () => {
    for (const sentences of Object.values(languages)) {
      expect(Object.keys(sentences).sort()).toEqual([...names].sort());
    }
  });

  it.each(names)('%s has the same variants with the same figures in both languages', (code) => {
    const english = variants(en[code]);
    const other = variants(italian[code]);
    expect(Object.keys(other)).toEqual(Object.keys(english));
    for (const [variant, text] of Object.entries(english)) {
      expect(figures(other[variant] ?? '')).toEqual(figures(text));
      expect(other[variant]).not.toBe(text);
    }
  });

  it.each(names)('%s is said in whole sentences', (code) => {
    for (const text of [...Object.values(variants(en[code])), ...Object.values(variants(italian[code]))]) {
      expect(text).toMatch(/^["{A-Z].*([.?]|--name erp)$/s);
      expect(text).not.toMatch(/\s{2}|^\s|\s$|\{\s|\s\}/);
      expect(text.replaceAll(/\{\w+\}/g, '')).not.toMatch(/[{}]/);
    }
  });

  it('names its codes in one style', () => {
    for (const code of names) expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  });
});

describe('a fault', () => {
  it('is said with its figures, in the language asked for', () => {
    const fault = { code: 'PASSWORD_TOO_SHORT', figures: { min: 8 } } as const;
    expect(say(fault, 'en')).toBe('A password must have at least 8 characters.');
    expect(say(fault, 'it')).toBe('Una password deve avere almeno 8 caratteri.');
  });

  it('is said by its variant', () => {
    const fault = { code: 'WRONG_TYPE', variant: 'array' } as const;
    expect(say(fault, 'en')).toBe('This must be an array.');
  });

  it('takes a figure for text and nothing more, whatever it holds', () => {
    const field = '{known} $& $1 \\ "x"';
    const fault = { code: 'UNKNOWN_FIELD', variant: 'unknown', figures: { field } } as const;
    expect(say(fault, 'en')).toBe(`"${field}" is not a field of this object.`);
  });
});
