import { describe, expect, it } from 'vitest';
import { LargeList, largeListBytes, readLargeRecord } from '../../src/json/large-list.ts';
import { TimeSlice } from '../../src/lib/yield-to-event-loop.ts';

const longText = 'x'.repeat(largeListBytes);
const items = [
  { Username: 'a "quoted" \\ name', Email: null },
  ['],', { '}': '{[' }],
  'text with ] and } and , and \u20ac \ud83d\ude00',
  -1.5e3,
  true,
  longText,
];

async function valuesOf(list: unknown): Promise<unknown[]> {
  if (!(list instanceof LargeList)) throw new Error('not a large list');
  const values: unknown[] = [];
  for (const range of list.ranges()) {
    if (range === null) continue;
    values.push(
      list.isSmall(range)
        ? list.parseSmall(range.start, range.end)
        : await list.parseLarge(range, new TimeSlice()),
    );
  }
  return values;
}

describe('a large record', () => {
  it.each([0, 1, '\t'])(
    'has the users that JSON.parse reads, with an indentation of %j',
    async (indentation) => {
      const record = { Denomination: 'Rossi [Srl]', Users: items, Email: 'a@b.example' };
      const { Users, ...others } = await readLargeRecord(
        Buffer.from(JSON.stringify(record, null, indentation)),
      );
      expect(others).toEqual({ Denomination: 'Rossi [Srl]', Email: 'a@b.example' });
      expect(await valuesOf(Users)).toEqual(items);
    },
  );

  it('has its users if the name of the field is escaped', async () => {
    const { Users } = await readLargeRecord(
      Buffer.from(`{"\\u0055sers" : [${JSON.stringify(longText)}, 1 ]}`),
    );
    expect(await valuesOf(Users)).toEqual([longText, 1]);
  });

  it('has an array as users if the array is small, or contains only white space', async () => {
    const space = ' '.repeat(largeListBytes);
    for (const text of [
      `{"Users":[${space}]}`,
      `{"Users":[1],"Name":"${longText}"}`,
      `{"Users":"${longText}"}`,
    ])
      expect(await readLargeRecord(Buffer.from(text))).toEqual(JSON.parse(text));
  });
});
