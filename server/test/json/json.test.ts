import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate, setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonError, type JsonLimits, readJson } from '../../src/http/json/read.ts';

const LIMITS: JsonLimits = { maxDepth: 100 };

type Fields = Record<string, unknown>;

function read(text: string | Uint8Array, limits = LIMITS): Promise<unknown> {
  return readJson(typeof text === 'string' ? Buffer.from(text) : text, limits);
}

async function refusal(text: string | Uint8Array, limits = LIMITS): Promise<JsonError> {
  const outcome = await read(text, limits).then(
    () => 'accepted',
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(JsonError);
  return outcome as JsonError;
}

/** Makes objects such as `JSON.parse` gives, for a strict comparison that also sees `-0` and `__proto__`. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const [name, field] of Object.entries(value)) {
    Object.defineProperty(copy, name, {
      value: plain(field),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });

/** The text of a value with white space wherever it may stand, and with characters escaped at random. */
function spelling(value: unknown, pick: <T>(arbitrary: fc.Arbitrary<T>) => T): string {
  const around = (text: string) => pick(space) + text + pick(space);
  if (typeof value === 'string') {
    return around(`"${[...value].map((character) => spellCharacter(character, pick)).join('')}"`);
  }
  if (Array.isArray(value)) return around(`[${value.map((item) => spelling(item, pick)).join(',')}]`);
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(
      ([name, field]) => `${spelling(name, pick)}:${spelling(field, pick)}`,
    );
    return around(`{${fields.join(',')}}`);
  }
  return around(Object.is(value, -0) ? '-0' : JSON.stringify(value));
}

function spellCharacter(character: string, pick: <T>(arbitrary: fc.Arbitrary<T>) => T): string {
  if (pick(fc.nat(3)) > 0) return JSON.stringify(character).slice(1, -1);
  if (character === '/') return '\\/';
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  const escaped = units.map((unit) => `\\u${unit}`).join('');
  return pick(fc.boolean()) ? escaped : escaped.toUpperCase().replaceAll('\\U', '\\u');
}

const anyValue = fc.jsonValue({ depthSize: 'medium', stringUnit: 'binary' });

const wholeBody = (users: number) =>
  Buffer.from(
    JSON.stringify(
      Array.from({ length: users / 10 }, (_, record) => ({
        ID: record + 1,
        Users: Array.from({ length: 10 }, (_, user) => {
          const number = String(record * 10 + user).padStart(6, '0');
          return {
            Username: `user${number}`,
            Email: `user${number}@example.com`,
            Password: `correct horse ${number}`,
            ConfirmPassword: `correct horse ${number}`,
          };
        }),
      })),
    ),
  );

const BAR = 50;

/**
 * The longest time in milliseconds for which nothing else could run. It is measured again when it is above the bar,
 * since what the reader causes recurs in each run and what a busy machine causes does not.
 */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5 && least >= BAR; run++) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await setTimeout(10);
    delay.reset();
    await work();
    await setTimeout(10);
    delay.disable();
    least = Math.min(least, delay.max / 1e6);
  }
  return least;
}

/** How long the event loop takes for one turn in the middle case, in milliseconds. */
async function medianTurn(work: () => Promise<unknown>): Promise<number> {
  const turns: number[] = [];
  let working = true;
  const done = work().finally(() => {
    working = false;
  });
  while (working) {
    const started = performance.now();
    await setImmediate();
    turns.push(performance.now() - started);
  }
  await done;
  return turns.sort((a, b) => a - b)[turns.length >> 1] as number;
}

describe('what it reads', () => {
  it('reads every valid text as JSON.parse does, however it is spelt', async () => {
    await fc.assert(
      fc.asyncProperty(anyValue, fc.gen(), async (value, gen) => {
        const text = spelling(value, (arbitrary) => gen(() => arbitrary));
        expect(plain(await read(text))).toStrictEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('accepts and refuses broken texts as JSON.parse does, its own stricter rules aside', async () => {
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
      { numRuns: 3000 },
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

  it('passes over one byte order mark at the start, and does not count it', async () => {
    expect(await read('\ufeff[1]')).toEqual([1]);
    expect(await read('"\ufeff"')).toBe('\ufeff');
    expect(await refusal('\ufeff[1,]')).toMatchObject({ problem: 'syntax', offset: 3 });
    expect(await refusal('\ufeff\ufeff[1]')).toMatchObject({ problem: 'syntax', offset: 0 });
  });

  it('reads a view into a larger buffer', async () => {
    const bytes = new Uint8Array(Buffer.from('###{"a":1}###'));
    expect(await read(bytes.subarray(3, 10))).toEqual({ a: 1 });
  });

  it.each(['a', 'é', '€', '😀', '\n', '\u0001'])('reads a long string of %j whole', async (character) => {
    for (const length of [8_180, 8_192, 8_193, 16_400, 300_000]) {
      for (const shift of ['', 'x', 'xx', 'xxx']) {
        const value = shift + character.repeat(length);
        expect((await read(JSON.stringify([value, 1]))) as unknown[]).toEqual([value, 1]);
      }
    }
  });

  it('reads a string of nothing but escapes whole', async () => {
    for (const escaped of ['\\u0041', '\\u00e9', '\\u20ac', '\\ud83d\\ude00', '\\/']) {
      const text = `["${escaped.repeat(20_000)}"]`;
      expect(await read(text)).toEqual(JSON.parse(text));
    }
  });

  it('reads on after long white space', async () => {
    expect(await read(`[1,${' '.repeat(8_192)}2${'\n'.repeat(200_000)}]${' '.repeat(16_384)}`)).toEqual([
      1, 2,
    ]);
  });
});

describe('what it refuses beyond JSON.parse', () => {
  it.each(['', ' ', '\n\t\r ', '\ufeff', '\ufeff  '])('refuses the blank body %j', async (text) => {
    expect(await refusal(text)).toMatchObject({ problem: 'empty', at: '' });
  });

  it.each([
    ['a byte that never occurs', [0xff], 3],
    ['a character cut short', [0xe2, 0x82], 3],
    ['an overlong form', [0xc0, 0xaf], 3],
    ['an encoded surrogate', [0xed, 0xa0, 0x80], 3],
    ['a continuation of nothing', [0x41, 0x80], 3],
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

  it('refuses a name twice in one object, also when it is spelt in two ways', async () => {
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

  it('names a duplicate field with 60 characters at most, and cuts none in two', async () => {
    const long = 'n'.repeat(100);
    expect((await refusal(`{"${long}":1,"${long}":1}`)).at).toBe('n'.repeat(60));
    const smiling = `${'n'.repeat(59)}😀`;
    expect((await refusal(`{"${smiling}":1,"${smiling}":1}`)).at).toBe(`["${'n'.repeat(59)}"]`);
  });

  it('refuses nesting beyond the depth, as soon as it is met', async () => {
    expect(await read('[{"a":[]}]', { maxDepth: 3 })).toEqual([{ a: [] }]);
    expect(await refusal('[{"a":[[}}}', { maxDepth: 3 })).toMatchObject({
      problem: 'deep',
      at: '[0].a[0]',
      offset: 7,
    });
    expect(await read('1', { maxDepth: 0 })).toBe(1);
    expect(await refusal('[]', { maxDepth: 0 })).toMatchObject({ problem: 'deep', offset: 0 });
  });

  it('refuses 32 MB of opening brackets at once', async () => {
    const bytes = Buffer.alloc(32_000_000, '[');
    const started = performance.now();
    expect(await refusal(bytes, { maxDepth: 32 })).toMatchObject({ problem: 'deep', offset: 32 });
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('reads any depth that is allowed without running out of stack', async () => {
    const depth = 200_000;
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
  ])('refuses half a surrogate pair in %s, in values and in names', async (half) => {
    expect(await refusal(`["ab${half}"]`)).toMatchObject({ problem: 'surrogate', at: '[0]', offset: 4 });
    expect(await refusal(`{"${half}":1}`)).toMatchObject({ problem: 'surrogate', at: '', offset: 2 });
  });

  it('refuses a number beyond a double, or longer than 1,000 characters, as such', async () => {
    expect(await refusal('{"ID":1e400}')).toMatchObject({ problem: 'number', at: 'ID', offset: 6 });
    expect(await refusal('-1e400')).toMatchObject({ problem: 'number' });
    expect(await refusal('9'.repeat(400))).toMatchObject({ problem: 'number' });
    expect(await refusal(`1${'0'.repeat(1_000)}`)).toMatchObject({ problem: 'number' });
    expect(await refusal(`0.${'0'.repeat(999)}`)).toMatchObject({ problem: 'number' });
    expect(await read(`0.${'0'.repeat(997)}1`)).toBe(0);
  });

  it('refuses more values or more different names than are allowed', async () => {
    const limits = { maxDepth: 9, maxValues: 4, maxNames: 2 };
    expect(await read('[{"a":1},1]', limits)).toEqual([{ a: 1 }, 1]);
    expect(await refusal('[{"a":1},1,1]', limits)).toMatchObject({ problem: 'values', at: '[2]' });
    expect(await read('[{"a":1,"b":1}]', limits)).toEqual([{ a: 1, b: 1 }]);
    expect(await refusal('[{"a":1,"b":{"c":1}}]', limits)).toMatchObject({ problem: 'names', at: '[0].b' });
    expect(await refusal(`{"${'n'.repeat(20_000)}":1}`)).toMatchObject({ problem: 'names', at: '' });
  });
});

describe('what an error tells', () => {
  it.each([
    ['[{"ID":1},{"Users":[{"ID":x}]}]', '[1].Users[0].ID'],
    ['[{"ID":1,"Users":[{"ID":2 "Name":1}]}]', '[0].Users[0].ID'],
    ['{"Users":[{"ID":1},{,}]}', 'Users[1]'],
    ['{"Users":[1,2', 'Users[1]'],
    ['{"Users":[1,2,', 'Users[2]'],
    ['{"Users":[],x', ''],
    ['{"Users":[{}]}}', ''],
    ['{"a b":{"":[tru]}}', '["a b"][""][0]'],
    ['{"a":{"b":{}},"c":"', 'c'],
    [`{"a":["${'x'.repeat(100_000)}`, 'a[0]'],
    ['x', ''],
  ])('names the place in body %#', async (text, at) => {
    expect(await refusal(text)).toMatchObject({ problem: 'syntax', at });
  });

  it('counts characters as JavaScript does, not bytes', async () => {
    const text = '["é","€","😀",x]';
    expect(await refusal(text)).toMatchObject({ offset: text.indexOf('x') });
    const large = `["${'é😀'.repeat(400_000)}",x]`;
    expect(await refusal(large)).toMatchObject({ offset: large.indexOf('x') });
  });

  it('says in its message what is wrong, where, and in which field', async () => {
    const error = await refusal('[{"ID":1,"ID":2}]');
    expect(error.message).toBe('A field occurs twice in one object, at character 9 in [0].ID');
  });

  it('never carries a part of a value, however the body is broken', async () => {
    const secret = 'CaNaRy';
    const body = (password: string, after = '') =>
      `[{"ID":1,"Users":[{"Username":"u","Password":${password},"ConfirmPassword":"${secret}"}]${after}}]`;
    const broken = [
      body(secret),
      body(`"${secret}`),
      body(`"${secret}"${secret}"`),
      body(`"${secret}" "${secret}"`),
      body(`'${secret}'`),
      body(`"${secret}\\x${secret}"`),
      body(`"${secret}\\ud800${secret}"`),
      body(`"${secret}\\u0${secret}"`),
      body(`"${secret}\n${secret}"`),
      body(`"${secret}","${secret}"`),
      body(`"${secret}","Password":"${secret}"`),
      body(`["${secret}",["${secret}",[["${secret}"]]]]`),
      body(`"${secret}"`, ']'),
      body(`"${secret}"`, `"${secret}"`),
      body(`"${secret}",${secret}`),
      body(`12345${secret}`),
      body(`1e999,"x":"${secret}"`),
      body(`"${secret}"`).replace(`"ConfirmPassword":`, ''),
      body(`"${secret.repeat(20_000)}`),
      body(`"${secret.repeat(20_000)}\\ud800"`),
      Buffer.concat([Buffer.from(`["${secret}`), Buffer.from([0xff]), Buffer.from(`${secret}"]`)]),
      ...Array.from({ length: 60 }, (_, cut) => body(`"${secret}"`).slice(0, 20 + cut)),
    ];
    for (const text of broken) {
      const error = await refusal(text, { maxDepth: 7 });
      const told = [error.message, error.stack, String(error.cause), JSON.stringify(error), error.at].join();
      expect(told.toLowerCase()).not.toContain(secret.toLowerCase().slice(0, 4));
    }
  });
});

describe('the objects it gives', () => {
  const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__'];

  it.each(names)('keeps %s as a field of its own and pollutes nothing', async (name) => {
    const value = (await read(`{"a":{"${name}":{"polluted":true}}}`)) as { a: Fields };
    expect(Object.keys(value.a)).toEqual([name]);
    expect(Object.hasOwn(value.a, name)).toBe(true);
    expect(value.a[name]).toEqual({ polluted: true });
    expect(value.a.polluted).toBeUndefined();
    expect(({} as Fields).polluted).toBeUndefined();
    expect(JSON.stringify(value)).toBe(`{"a":{"${name}":{"polluted":true}}}`);
  });

  it.each(names)('does not know %s when it was not sent', async (name) => {
    const value = (await read('{"a":1}')) as Fields;
    expect(value[name]).toBeUndefined();
    expect(name in value).toBe(false);
  });

  it('gives objects whose prototype nobody can change', async () => {
    const value = (await read('{"a":1}')) as object;
    expect(Object.isFrozen(Object.getPrototypeOf(value))).toBe(true);
    expect(Object.getPrototypeOf(Object.getPrototypeOf(value))).toBeNull();
  });

  it('gives objects that can be spread, assigned to, listed and written as JSON', async () => {
    const value = (await read('{"b":1,"a":[2],"1":3}')) as Fields;
    expect({ ...value }).toStrictEqual({ b: 1, a: [2], 1: 3 });
    expect(Object.keys(value)).toEqual(['1', 'b', 'a']);
    expect(JSON.stringify(value)).toBe('{"1":3,"b":1,"a":[2]}');
    value.c = 4;
    expect(value).toEqual({ b: 1, a: [2], c: 4, 1: 3 });
  });
});

describe('the event loop', () => {
  it('reads a small body without a turn of the event loop', async () => {
    let turned = false;
    const turn = setImmediate().then(() => {
      turned = true;
    });
    await read(wholeBody(400));
    expect(turned).toBe(false);
    await turn;
  });

  it('lets others work while it reads a body of 15 MB', async () => {
    const body = wholeBody(110_000);
    expect(body.length).toBeGreaterThan(14_900_000);
    let value: unknown;
    const stall = await longestStall(async () => {
      value = await read(body);
    });
    expect(JSON.stringify(value) === body.toString()).toBe(true);
    expect(stall).toBeLessThan(BAR);
  });

  it('gives one slice of each turn to several large bodies together, not to each', async () => {
    const body = wholeBody(20_000);
    const median = await medianTurn(() => Promise.all(Array.from({ length: 8 }, () => read(body))));
    expect(median).toBeLessThan(20);
  });

  it.each([
    ['one password of 30 MB', '"', 'x', '"'],
    ['30 MB of letters that take two bytes', '"', 'é', '"'],
    ['30 MB of escapes', '"', '\\u00e9', '"'],
    ['30 MB of white space', '[', ' ', ']'],
  ])('lets others work while it reads %s', async (_, head, filling, tail) => {
    const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(30_000_000, filling), Buffer.from(tail)]);
    expect(await longestStall(() => read(bytes))).toBeLessThan(BAR);
  });
});
