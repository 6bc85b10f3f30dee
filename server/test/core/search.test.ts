import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberTerms, searchTerms } from '../../src/core/fields/search.ts';
import { anyCharacter, runs } from '../setup/random.ts';

describe('the words under which a text is found', () => {
  it.each([
    ['Rossi & Figli S.r.l.', ['rossi', 'figli', 's', 'r', 'l']],
    ['Caffè PERÙ', ['caffe', 'peru']],
    ['Caffe\u0300', ['caffe']],
    ["D'Angelo", ['d', 'angelo']],
    ['info@rossi.example', ['info', 'rossi', 'example']],
    ['IT01234567890', ['it01234567890']],
    ['ＷＩＤＥ ﬁne', ['wide', 'fine']],
    ['İstanbul', ['istanbul']],
    ['東京 株式会社', ['東京', '株式会社']],
    ['한국', ['한국']],
    ['twice Twice TWICE', ['twice']],
    ["'\\:*&|!()%_<->", []],
    ['', []],
  ])('of "%s"', (text, words) => {
    expect(searchTerms([text])).toEqual(words);
  });

  it('are those of several texts, without what is missing', () => {
    expect(searchTerms(['Mario', null, 'Rossi', 'mario'])).toEqual(['mario', 'rossi']);
  });

  it('are cut off where they are very long', () => {
    expect(searchTerms(['x'.repeat(500)])).toEqual(['x'.repeat(64)]);
  });

  it('hold nothing that means something to a query, and are found again as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 80 }), (text) => {
        const words = searchTerms([text]);
        expect(words.filter((word) => !/^[\p{L}\p{N}]+$/u.test(word))).toEqual([]);
        expect(searchTerms(words)).toEqual(words);
      }),
      runs(200),
    );
  });
});

describe('a number of tax or VAT is found', () => {
  it.each([
    ['IT01234567890', ['it01234567890', '01234567890']],
    ['IT 0123 4567-890', ['it01234567890', '01234567890']],
    ['01234567890', ['01234567890']],
    ['RSSMRA80A01H501U', ['rssmra80a01h501u']],
    ['ＩＴ０１２３４５', ['it012345', '012345']],
    ['IT 1234', []],
    ['Rossi Srl', []],
    [null, []],
  ])('by "%s"', (text, terms) => {
    expect(numberTerms(text)).toEqual(terms);
  });
});
