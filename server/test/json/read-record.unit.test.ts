import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRecord } from '../../src/json/read-record.ts';

const filler = 'x'.repeat(70_000);

describe('readRecord', () => {
  it('parses a large record like JSON.parse', async () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    const field = fc.constantFrom('"Users"', '"A"', '"U\\u0073ers"', '"Users "', '"\\\\"', '"\\""');
    const space = fc.constantFrom('', ' ', '\n\t');
    const list = fc.array(value, { maxLength: 5 }).map((items) => JSON.stringify(items, null, 1));
    const item = fc.oneof(
      value.map((any) => JSON.stringify(any)),
      list,
      fc.constantFrom('[]', '[ ]', '{}', '"Users"', '[[]]'),
    );
    const entry = fc.tuple(field, space, item, space);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(entry, { selector: ([name]) => JSON.parse(name), maxLength: 5 }),
        async (entries) => {
          const fields = entries.map(
            ([name, before, text, after]) => `${name}${before}:${before}${text}${after}`,
          );
          const text = `{${[`"Filler":"${filler}"`, ...fields].join(',')}}`;
          expect(await readRecord(Buffer.from(text))).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('lets other work run while it parses the users of a large record', async () => {
    const users = Array.from({ length: 10_000 }, (_, n) => ({
      Username: `user ${n}`,
      Attributes: { [`a${n}`]: '' },
    }));
    const text = Buffer.from(JSON.stringify({ Denomination: 'Rossi Srl', Users: users }));
    let turns = 0;
    const count = setInterval(() => turns++);
    expect(await readRecord(text)).toEqual({ Denomination: 'Rossi Srl', Users: users });
    clearInterval(count);
    expect(turns).toBeGreaterThan(0);
  });
});
