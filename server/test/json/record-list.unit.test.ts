import { describe, expect, it } from 'vitest';
import { JsonError } from '../../src/json/errors.ts';
import { validateJson } from '../../src/json/read-json.ts';
import { RecordList, RecordTooLarge } from '../../src/json/record-list.ts';

const limits = { maxDepth: 8 };
const read = (text: string | Buffer, maxRecords = Number.POSITIVE_INFINITY) =>
  RecordList.read(Buffer.from(text), { ...limits, maxRecords });

describe('a list of records', () => {
  it('returns each record as JSON.parse does, in any order and repeatedly', async () => {
    const records = [
      { ID: 1 },
      { ID: 2, Users: [{ Username: 'è "quoted" \n' }, {}] },
      {},
      { ID: 4, Users: 'none' },
    ];
    for (const text of [JSON.stringify(records), ` \n${JSON.stringify(records, null, 3)} `]) {
      const list = await read(text);
      expect(list?.count).toBe(4);
      expect([0, 1, 2, 3].map((position) => list?.usersOf(position))).toEqual([0, 2, 0, 0]);
      expect(list?.users).toBe(2);
      for (const position of [3, 1, 0, 1, 2]) expect(await list?.fields(position)).toEqual(records[position]);
    }
  });

  it('returns the exact bytes of a record', async () => {
    const list = await read('[ {"ID" : 1} ,{"Username":"caffè"}\n]');
    expect(list?.text(0).toString()).toBe('{"ID" : 1}');
    expect(list?.text(1).toString()).toBe('{"Username":"caffè"}');
  });

  it('skips a byte order mark', async () => {
    const list = await read('\ufeff[{"ID":1},{"ID":2}]');
    expect(await list?.fields(1)).toEqual({ ID: 2 });
  });

  it('reads a record with 10,000 users, and none with more', async () => {
    const users = Array.from({ length: 10_000 }, (_, n) => ({ Username: `user ${n}` }));
    const list = await read(JSON.stringify([{ ID: 1 }, { ID: 2, Users: users }]));
    expect(list?.users).toBe(10_000);
    expect(await list?.fields(1)).toEqual({ ID: 2, Users: users });
    expect(await list?.fields(0)).toEqual({ ID: 1 });
    const larger = await read(JSON.stringify([{ ID: 2, Users: [...users, {}] }]));
    expect(await larger?.fields(0)).toBeInstanceOf(RecordTooLarge);
    const longer = await read(JSON.stringify([{ Denomination: 'x'.repeat(4 * 1024 * 1024) }]));
    expect(await longer?.fields(0)).toBeInstanceOf(RecordTooLarge);
  });

  it('returns each of 20,000 records without building an array of them', async () => {
    const count = 20_000;
    const bytes = Buffer.from(`[${Array.from({ length: count }, (_, n) => `{"ID":${n}}`).join(',')}]`);
    const list = await read(bytes);
    expect(list?.count).toBe(count);
    for (const n of [0, 7, 8, 9, 4095, 4096, 12_287, 12_288, count - 1])
      expect(await list?.fields(n)).toEqual({ ID: n });
    let taken = 0;
    expect(await validateJson(bytes, limits, () => void taken++)).toBe(true);
    expect(taken).toBe(count);
  });

  it('counts the records above the limit without keeping them', async () => {
    const list = await read('[{"ID":1},{"ID":2},3,{"ID":4}]', 2);
    expect(list).toMatchObject({ count: 4, firstNonObject: 2 });
    expect(await list?.fields(1)).toEqual({ ID: 2 });
    expect(list?.text(3).length).toBe(0);
  });

  it('counts the passwords of users, which are at least as many as are hashed', async () => {
    const list = await read(`[
      {"ID":1,"Password":"of no user","Users":[{"Password":"a"},{"Passwor\\u0064":"b"},{"Password":null}]},
      {"Users":[{"PasswordHash":"c","Attributes":{"Password":"d"}},{"Password":"${'e'.repeat(20_000)}"}]}
    ]`);
    expect(list?.passwordsExcept(new Set())).toBe(3);
    expect(list?.passwordsExcept(new Set([0]))).toBe(1);
  });

  it('reports the index of the first element that is not an object', async () => {
    expect((await read('[{},{}]'))?.firstNonObject).toBe(-1);
    expect((await read('[{},[{}],"x"]'))?.firstNonObject).toBe(1);
    expect((await read('[null]'))?.firstNonObject).toBe(0);
    expect((await read('[{},true]'))?.firstNonObject).toBe(1);
    expect((await read('[{},"text"]'))?.firstNonObject).toBe(1);
  });

  it.each(['{"ID":1}', '"text"', 'null', '7'])('is null if the body is not an array: %s', async (text) => {
    expect(await read(text)).toBeNull();
  });

  it.each([
    ['[{"ID":1},{"ID":2,"ID":3}]', 'duplicate', '[1].ID'],
    ['[{"ID":1},{"ID":2}', 'syntax', '[1]'],
    ['[{},{"Users":[{},{"a":1e999}]}]', 'number', '[1].Users[1].a'],
  ])('reports an error with its path in the whole body: %s', async (text, problem, at) => {
    const error = await read(text).catch((reason) => reason);
    expect(error).toBeInstanceOf(JsonError);
    expect(error).toMatchObject({ problem, at });
  });
});
