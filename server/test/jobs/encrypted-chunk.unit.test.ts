import { randomBytes } from 'node:crypto';
import { range } from '@anagrafe/testing/records';
import { describe, expect, it } from 'vitest';
import { decryptRecords, encryptRecords, type ValidRecord } from '../../src/jobs/encrypted-chunk.ts';
import { type Fields, usersOf } from '../../src/lib/request-fields.ts';
import { required } from '../../src/lib/required.ts';
import type { Approval } from '../../src/records/check/plan.ts';
import type { ReservedIds } from '../../src/records/write/writable-change.ts';

const key = randomBytes(32);
const none = { principal: null, users: [] };

const user = (n: number) => ({
  Username: `user ${n}`,
  Password: `password ${n}`,
  ConfirmPassword: `password ${n}`,
});

interface Example {
  readonly position: number;
  readonly fields: Fields;
  readonly ids: ReservedIds;
  readonly approval?: Approval;
  readonly namedElsewhere?: readonly string[];
}

const valid = ({ position, fields, ids, approval, namedElsewhere = [] }: Example): ValidRecord => ({
  position,
  users: usersOf(fields).length,
  weight: position + 1,
  approval: approval ?? null,
  namedElsewhere,
  ids,
});

function encrypted(examples: readonly Example[]): Promise<Buffer> {
  const texts = new Map(
    examples.map(({ position, fields }) => [position, Buffer.from(JSON.stringify(fields))]),
  );
  return encryptRecords(examples.map(valid), (position) => required(texts.get(position)), {
    key,
    name: 'job 1 0',
  });
}

async function roundTrip(examples: readonly Example[]): Promise<Example[]> {
  const records = await decryptRecords(await encrypted(examples), { key, name: 'job 1 0' });
  expect(records.map(({ users }) => users)).toEqual(examples.map(({ fields }) => usersOf(fields).length));
  expect(records.map(({ weight }) => weight)).toEqual(examples.map(({ position }) => position + 1));
  return Promise.all(
    records.map(async ({ position, ids, approval, namedElsewhere, fields }) => ({
      position,
      ids,
      fields: await fields(),
      ...(approval !== null && { approval }),
      ...(namedElsewhere.length > 0 && { namedElsewhere }),
    })),
  );
}

describe('encrypted records', () => {
  it('are decrypted unchanged, with their positions, reserved IDs and tags, in their order', async () => {
    const records = [
      { position: 4, fields: { ID: 7, Users: [user(1)] }, ids: { principal: null, users: [11] } },
      {
        position: 9,
        fields: { Denomination: 'Rossi' },
        ids: { principal: 3, users: [] },
        approval: { kind: 'effect', tag: 'a tag' } as const,
        namedElsewhere: ['mario.rossi'],
      },
      {
        position: 2,
        fields: { Name: 'Mario', Users: [user(2), { ID: 5, Password: 'x' }, user(3)] },
        ids: { principal: 4, users: [12, 13] },
      },
    ];
    expect(await roundTrip(records)).toEqual(records);
  });

  it.each([0, 1, 499, 500, 501, 1000, 2000])(
    'are decrypted with %d users, none missing and none repeated',
    async (count) => {
      const records = [
        {
          position: 0,
          fields: { ID: 1, Users: range(count).map(user) },
          ids: { principal: null, users: range(count).map((n) => n * 2) },
        },
        { position: 1, fields: { ID: 2, Users: [user(0)] }, ids: { principal: null, users: [9] } },
      ];
      expect(await roundTrip(records)).toEqual(records);
    },
  );

  it('are decrypted if only the last of many users has a reserved ID', async () => {
    const resets = range(1200).map((ID) => ({ ID, Password: 'x', ConfirmPassword: 'x' }));
    const fields = { ID: 1, Users: [...resets, user(0)] };
    const records = [{ position: 0, fields, ids: { principal: null, users: [5] } }];
    expect(await roundTrip(records)).toEqual(records);
  });

  it('are decrypted with any characters in their texts', async () => {
    const texts = ['line\nbreak', '\r\n\u2028', '"quoted"', '\\', '\u00e8\u{1f98a}', '\0', '', '[1,null,[]]'];
    const records = texts.map((text, position) => ({
      position,
      fields: { Denomination: text, Users: [{ Username: text, Password: text }] },
      ids: none,
    }));
    expect(await roundTrip(records)).toEqual(records);
  });

  it('are decrypted if Users is absent, null or empty', async () => {
    const records = [{}, { Users: null }, { Users: [] }].map((fields, position) => ({
      position,
      fields,
      ids: none,
    }));
    expect(await roundTrip(records)).toEqual(records);
    expect(await roundTrip([])).toEqual([]);
  });

  it('are decrypted only with their key and their own context', async () => {
    const chunk = await encrypted([{ position: 0, fields: { Users: [user(1)] }, ids: none }]);
    expect(chunk.includes('password')).toBe(false);
    expect(chunk.includes('Username')).toBe(false);
    const refused = [
      { key, name: 'job 1 1' },
      { key, name: 'job 2 0' },
      { key: randomBytes(32), name: 'job 1 0' },
    ];
    for (const other of refused) await expect(decryptRecords(chunk, other)).rejects.toThrow('authenticate');
  });
});

describe('the users of a record', () => {
  it('are empty if Users is not an array', () => {
    for (const fields of [{}, { Users: null }, { Users: 'x' }, { Users: { length: 3 } }])
      expect(usersOf(fields)).toEqual([]);
    expect(usersOf({ Users: [1, null] })).toEqual([1, null]);
  });
});
