import { describe, expect, it } from 'vitest';
import { english } from '../account/i18n/en.ts';
import { italian } from '../account/i18n/it.ts';

const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

describe('the texts of the account pages', () => {
  it('are complete in both languages, with the same values', () => {
    expect(Object.keys(italian)).toEqual(Object.keys(english));
    for (const key of Object.keys(english) as (keyof typeof english)[]) {
      expect(italian[key].trim()).not.toBe('');
      expect([key, namesIn(italian[key])]).toEqual([key, namesIn(english[key])]);
    }
  });
});
