import { anyCharacter, runs } from '@anagrafe/testing/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberTerms, searchTerms } from '../../src/usernames/username.ts';

describe('the search terms', () => {
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
  ])('of "%s" are its normalised words', (text, terms) => {
    expect(searchTerms([text])).toEqual(terms);
  });

  it('of several texts are combined without duplicates, and null is ignored', () => {
    expect(searchTerms(['Mario', null, 'Rossi', 'mario'])).toEqual(['mario', 'rossi']);
  });

  it('are truncated to 64 characters', () => {
    expect(searchTerms(['x'.repeat(500)])).toEqual(['x'.repeat(64)]);
    // Deseret letters have two UTF-16 code units each: the last one does not fit and is omitted whole.
    expect(searchTerms([`x${'𐐨'.repeat(40)}`])).toEqual([`x${'𐐨'.repeat(31)}`]);
    expect(numberTerms(`12345${'𐐨'.repeat(40)}`)).toEqual([`12345${'𐐨'.repeat(29)}`]);
  });

  it('contain no query operator, and are the search terms of themselves', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 80 }), (text) => {
        const terms = searchTerms([text]);
        expect(terms.filter((term) => !/^[\p{L}\p{N}]+$/u.test(term))).toEqual([]);
        expect(searchTerms(terms)).toEqual(terms);
      }),
      runs(200),
    );
  });
});

describe('the search terms of a tax or VAT number', () => {
  it.each([
    ['IT01234567890', ['it01234567890', '01234567890']],
    ['IT 0123 4567-890', ['it01234567890', '01234567890']],
    ['01234567890', ['01234567890']],
    ['RSSMRA80A01H501U', ['rssmra80a01h501u']],
    ['ＩＴ０１２３４５', ['it012345', '012345']],
    ['IT 1234', []],
    ['Rossi Srl', []],
    [null, []],
  ])('are extracted from "%s"', (text, terms) => {
    expect(numberTerms(text)).toEqual(terms);
  });
});
