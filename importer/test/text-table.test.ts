import { describe, expect, it } from 'vitest';
import { halfSipHash, IntegerList, TextStore, TextTable } from '../src/import/text-table.ts';

describe('halfSipHash', () => {
  it('returns the values of the reference implementation', () => {
    const bytes = Uint8Array.from({ length: 64 }, (_, at) => at);
    const hashes = Array.from({ length: 10 }, (_, length) =>
      halfSipHash(bytes, 0, length, [0x03020100, 0x07060504]),
    );
    expect(hashes).toEqual([
      1477757078, -404200246, -1135931856, 22255929, 2114297510, -1998333797, -1610085531, -1657218602,
      1467586993, -935736595,
    ]);
    const moved = new Uint8Array([9, ...bytes]);
    expect(halfSipHash(moved, 1, 8, [0x03020100, 0x07060504])).toBe(hashes[7]);
  });
});

describe('TextStore', () => {
  it('returns texts of any characters and lengths unchanged', () => {
    const store = new TextStore();
    const texts = [
      '',
      'a',
      '\0',
      'é',
      'ß\u07ff\u0800',
      '€',
      '😀',
      '\ud800',
      '\udfff',
      'x'.repeat(300_000),
      'b',
    ];
    const addresses = texts.map((text) => store.add(text));
    expect(addresses.map((address) => store.textAt(address))).toEqual(texts);
  });
});

describe('TextTable', () => {
  it('numbers texts in the order in which they were added', () => {
    const table = new TextTable(new TextStore());
    expect(['a', 'b', 'a', ''].map((text) => table.add(text))).toEqual([0, 1, 0, 2]);
    expect(['b', 'c', ''].map((text) => table.numberOf(text))).toEqual([1, -1, 2]);
    expect(table.size).toBe(3);
  });

  it('finds every text among many, and no other one', () => {
    const table = new TextTable(new TextStore());
    const texts = Array.from({ length: 20_000 }, (_, at) => `user-${at}${'é'.repeat(at % 50)}`);
    for (const text of texts) table.add(text);
    expect(texts.every((text, at) => table.numberOf(text) === at)).toBe(true);
    expect(
      texts.some((text) => table.numberOf(`${text}x`) >= 0 || table.numberOf(text.slice(0, 4)) >= 0),
    ).toBe(false);
  });

  it('does not confuse unpaired surrogates, which UTF-8 cannot represent', () => {
    const table = new TextTable(new TextStore());
    table.add('\ud800');
    expect(table.numberOf('\ud801')).toBe(-1);
    expect(table.numberOf('\ufffd')).toBe(-1);
  });
});

describe('IntegerList', () => {
  it('grows and keeps its values', () => {
    const list = new IntegerList();
    for (let value = 0; value < 40_000; value++) list.push(value);
    list.set(20_000, 2 ** 32 - 1);
    expect([list.length, list.get(0), list.get(20_000), list.get(39_999)]).toEqual([
      40_000,
      0,
      2 ** 32 - 1,
      39_999,
    ]);
  });
});
