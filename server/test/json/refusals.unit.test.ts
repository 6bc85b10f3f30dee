import { describe, expect, it } from 'vitest';
import { Scanner } from '../../src/json/scanner.ts';
import { Validator } from '../../src/json/validator.ts';
import { read, refusal } from './reading.ts';

describe('the JSON reader, which is stricter than JSON.parse,', () => {
  it.each(['', ' ', '\n\t\r ', '\ufeff', '\ufeff  '])('refuses the blank body %j', async (text) => {
    expect(await refusal(text)).toMatchObject({ problem: 'empty', at: '' });
  });

  it.each([
    ['a byte that never occurs', [0xff], 3],
    ['a truncated character', [0xe2, 0x82], 3],
    ['an overlong form', [0xc0, 0xaf], 3],
    ['an encoded surrogate', [0xed, 0xa0, 0x80], 3],
    ['a continuation byte without a first byte', [0x41, 0x80], 3],
    ['a character beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80], 3],
  ])('refuses %s as not UTF-8', async (_, wrong, offset) => {
    const bytes = Buffer.concat([Buffer.from('["é'), Buffer.from(wrong), Buffer.from('"]')]);
    expect(await refusal(bytes)).toMatchObject({ problem: 'utf8', offset });
  });

  it('finds the first byte that is not UTF-8 in a large body', async () => {
    for (const before of [70_000, 262_142, 262_143, 262_144, 262_145, 800_001]) {
      const bytes = Buffer.concat([
        Buffer.from(`"${'é😀'.repeat(before)}`),
        Buffer.from([0xf0, 0x9f, 0x98, 0x22]),
      ]);
      expect(await refusal(bytes)).toMatchObject({ problem: 'utf8', offset: 1 + 3 * before });
    }
  });

  it('refuses a duplicate name in one object, even if it is escaped differently', async () => {
    expect(await refusal('[{"ID":1,"ID":1}]')).toMatchObject({
      problem: 'duplicate',
      at: '[0].ID',
      offset: 9,
    });
    expect(await refusal('{"ID":null,"\\u0049D":2}')).toMatchObject({ problem: 'duplicate', at: 'ID' });
    expect(await refusal('{"1":1,"1":2}')).toMatchObject({ problem: 'duplicate', at: '["1"]' });
    expect(await refusal('{"__proto__":1,"__proto__":2}')).toMatchObject({ problem: 'duplicate' });
    expect(await read('[{"ID":1},{"ID":1,"Users":[{"ID":1}]}]')).toBeInstanceOf(Array);
  });

  it('reports a duplicate field with at most 60 characters, without splitting a surrogate pair', async () => {
    const long = 'n'.repeat(100);
    expect((await refusal(`{"${long}":1,"${long}":1}`)).at).toBe('n'.repeat(60));
    const smiling = `${'n'.repeat(59)}😀`;
    expect((await refusal(`{"${smiling}":1,"${smiling}":1}`)).at).toBe(`["${'n'.repeat(59)}"]`);
  });

  it('refuses nesting above the maximum depth before it reads further', async () => {
    expect(await read('[{"a":[]}]', { maxDepth: 3 })).toEqual([{ a: [] }]);
    expect(await refusal('[{"a":[[}}}', { maxDepth: 3 })).toMatchObject({
      problem: 'deep',
      at: '[0].a[0]',
      offset: 7,
    });
    expect(await read('1', { maxDepth: 0 })).toBe(1);
    expect(await refusal('[]', { maxDepth: 0 })).toMatchObject({ problem: 'deep', offset: 0 });
  });

  it('refuses a large body of opening brackets in its first step', async () => {
    const bytes = Buffer.alloc(1_000_000, '[');
    expect(await refusal(bytes, { maxDepth: 32 })).toMatchObject({ problem: 'deep', offset: 32 });
    const steps = new Validator(new Scanner(bytes, 0, 1), 32, 1_000_000).steps();
    expect(() => steps.next()).toThrow(expect.objectContaining({ problem: 'deep', byte: 32 }));
  });

  it('reads more depth than a setting allows without a stack overflow', async () => {
    const depth = 1_000;
    let value = await read('['.repeat(depth) + ']'.repeat(depth), { maxDepth: depth });
    for (let level = 1; level < depth; level++) value = (value as unknown[])[0];
    expect(value).toEqual([]);
  });

  it.each([
    '\\ud83d',
    '\\ude00',
    '\\ud83dx',
    '\\ud83d\\n',
    '\\ud83d\\ud83d\\ude00',
    '\\uDFFF\\uD800',
    '\\ud83d\\u0041',
  ])('refuses the lone surrogate in %s, in values and in names', async (half) => {
    expect(await refusal(`["ab${half}"]`)).toMatchObject({ problem: 'surrogate', at: '[0]', offset: 4 });
    expect(await refusal(`{"${half}":1}`)).toMatchObject({ problem: 'surrogate', at: '', offset: 2 });
  });

  it('refuses a number out of the range of a double or with more than 1,000 characters', async () => {
    expect(await refusal('{"ID":1e400}')).toMatchObject({ problem: 'number', at: 'ID', offset: 6 });
    expect(await refusal('-1e400')).toMatchObject({ problem: 'number' });
    expect(await refusal('9'.repeat(400))).toMatchObject({ problem: 'number' });
    expect(await refusal(`1${'0'.repeat(1_000)}`)).toMatchObject({ problem: 'number' });
    expect(await refusal(`0.${'0'.repeat(999)}`)).toMatchObject({ problem: 'number' });
    expect(await read(`0.${'0'.repeat(997)}1`)).toBe(0);
  });

  it('refuses more values or more different names than the limits allow', async () => {
    const limits = { maxDepth: 9, maxValues: 4, maxNames: 2 };
    expect(await read('[{"a":1},1]', limits)).toEqual([{ a: 1 }, 1]);
    expect(await refusal('[{"a":1},1,1]', limits)).toMatchObject({ problem: 'values', at: '[2]' });
    expect(await read('[{"a":1,"b":1}]', limits)).toEqual([{ a: 1, b: 1 }]);
    expect(await refusal('[{"a":1,"b":{"c":1}}]', limits)).toMatchObject({ problem: 'names', at: '[0].b' });
    expect(await refusal(`{"${'n'.repeat(20_000)}":1}`)).toMatchObject({ problem: 'names', at: '' });
  });
});
