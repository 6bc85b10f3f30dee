import { runs } from '@anagrafe/testing/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonError } from '../../src/json/errors.ts';
import { anyValue, plain, read, refusal, spelling } from './reading.ts';

describe('the JSON reader', () => {
  it('reads every valid text as JSON.parse does, with any white space and escapes', async () => {
    await fc.assert(
      fc.asyncProperty(anyValue, fc.gen(), async (value, gen) => {
        const text = spelling(value, (arbitrary) => gen(() => arbitrary));
        expect(plain(await read(text))).toStrictEqual(JSON.parse(text));
      }),
      runs(100),
    );
  });

  it('accepts and refuses damaged texts as JSON.parse does, apart from its stricter rules', async () => {
    const piece = fc.constantFrom(
      ...'{}[],:"\\ \n\t\u0000\u000b\u00a0+-.0123eEutfn/aé',
      'null',
      'true',
      '\\u00',
      '\ufeff',
    );
    const change = fc.record({ at: fc.nat(), gone: fc.nat(2), put: fc.oneof(piece, fc.constant('')) });
    await fc.assert(
      fc.asyncProperty(anyValue, fc.array(change, { minLength: 1, maxLength: 3 }), async (value, changes) => {
        let text = JSON.stringify(value);
        for (const { at, gone, put } of changes) {
          const start = at % (text.length + 1);
          text = Buffer.from(text.slice(0, start) + put + text.slice(start + gone)).toString();
        }
        if (text.startsWith('\ufeff')) return;
        const [mine, theirs] = await Promise.all([
          read(text).then(plain, (error: JsonError) => error),
          (async () => JSON.parse(text))().catch((error: SyntaxError) => error),
        ]);
        if (theirs instanceof SyntaxError) expect(mine).toBeInstanceOf(JsonError);
        else if (mine instanceof JsonError)
          expect(['duplicate', 'surrogate', 'number']).toContain(mine.problem);
        else expect(mine).toStrictEqual(theirs);
      }),
      runs(500),
    );
  });

  it.each([
    '0',
    '-0',
    '-1',
    '0.5',
    '1e5',
    '1E+5',
    '1e-5',
    '-1.5e-7',
    '1e-400',
    '123456789012345',
    '1234567890123456789',
    '0.1e1',
    '5e-324',
    '1.7976931348623157e308',
    '[]',
    '{}',
    '""',
    '"\\u0000"',
    '"\\/\\b\\f\\n\\r\\t\\"\\\\"',
    '"\\ud83d\\ude00"',
    '"\u2028\u007f"',
    ' [ ] ',
    '[[],{}]',
    '{"":1}',
    '{"a":{"a":1}}',
  ])('reads %s as JSON.parse does', async (text) => {
    expect(plain(await read(text))).toStrictEqual(JSON.parse(text));
  });

  it.each([
    '01',
    '-',
    '+1',
    '.5',
    '1.',
    '1e',
    '1e+',
    '-01',
    '00',
    '0x1',
    '1_000',
    'NaN',
    'Infinity',
    'nul',
    'nulll',
    'True',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[',
    ']',
    '{',
    '}',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '{"a" 1}',
    '{1:1}',
    '"',
    '"\\',
    '"\\x"',
    '"\\u12"',
    '"\\u12g4"',
    '"\t"',
    '"\n"',
    '[1}',
    '{"a":1]',
    '1 2',
    '[]]',
    '//',
    '/**/1',
    '"a',
    '\u00a01',
    '\u000b1',
    '"\\u',
    '"\\ud83d\\u12',
    '{"a":1 "b":2}',
    '{"a":1,,"b":2}',
    '{,}',
  ])('refuses %j, which is not JSON', async (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(await refusal(text)).toMatchObject({ name: 'JsonError' });
  });

  it('skips one byte order mark at the start, and does not count it in offsets', async () => {
    expect(await read('\ufeff[1]')).toEqual([1]);
    expect(await read('"\ufeff"')).toBe('\ufeff');
    expect(await refusal('\ufeff[1,]')).toMatchObject({ problem: 'syntax', offset: 3 });
    expect(await refusal('\ufeff\ufeff[1]')).toMatchObject({ problem: 'syntax', offset: 0 });
  });

  it('reads a view into a larger buffer', async () => {
    const bytes = new Uint8Array(Buffer.from('###{"a":1}###'));
    expect(await read(bytes.subarray(3, 10))).toEqual({ a: 1 });
  });

  it.each(['a', 'é', '€', '😀', '\n', '\u0001'])(
    'reads a long string of %j completely',
    async (character) => {
      for (const length of [8_180, 8_192, 8_193, 16_400, 300_000]) {
        for (const shift of ['', 'x', 'xx', 'xxx']) {
          const value = shift + character.repeat(length);
          expect((await read(JSON.stringify([value, 1]))) as unknown[]).toEqual([value, 1]);
        }
      }
    },
  );

  it('reads a long string of escapes completely', async () => {
    for (const escaped of ['\\u0041', '\\u00e9', '\\u20ac', '\\ud83d\\ude00', '\\/']) {
      const text = `["${escaped.repeat(20_000)}"]`;
      expect(await read(text)).toEqual(JSON.parse(text));
    }
  });

  it('reads a large text in pieces as JSON.parse does', async () => {
    const long = JSON.stringify('é\n"\\😀'.repeat(9_000));
    const wide = ' \n'.repeat(3_000);
    const part = fc.oneof(
      { weight: 6, arbitrary: anyValue.map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: fc.constantFrom('LONG', '[WIDE[WIDE1WIDE,LONG]WIDE]', '{"a"WIDE:WIDELONG}') },
    );
    const around = fc.constantFrom(
      '[PARTS,[PARTS],LONG]',
      '{"__proto__":[PARTS,LONG],"1":{"constructor":{"b":[PARTS]},"0":LONG}}',
      '[{},{"Users":[PARTS],"a":{"b":LONG,"c":[PARTS]}},[[]]]',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 40 }), around, async (parts, outer) => {
        const short = outer.replaceAll('PARTS', () => parts.join(','));
        const text = short.replaceAll('WIDE', wide).replaceAll('LONG', () => long);
        // The texts are compared as a boolean, because a difference would be printed with all of both.
        expect(JSON.stringify(await read(text)) === JSON.stringify(JSON.parse(text))).toBe(true);
      }),
      runs(20),
    );
  });

  it('reads values after long white space', async () => {
    expect(await read(`[1,${' '.repeat(8_192)}2${'\n'.repeat(200_000)}]${' '.repeat(16_384)}`)).toEqual([
      1, 2,
    ]);
  });
});
