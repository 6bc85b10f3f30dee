import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let strict: TestService;
let principal: number;

beforeAll(async () => {
  strict = await startTestService({
    ANAGRAFE_MAX_RECORDS: '3',
    ANAGRAFE_MAX_USERS: '5',
    ANAGRAFE_MAX_JOB_RECORDS: '6',
    ANAGRAFE_MAX_JOB_USERS: '10',
    ANAGRAFE_MAX_BODY_BYTES: '4096',
    ANAGRAFE_MAX_DEPTH: '5',
    ANAGRAFE_REQUIRE_EMAIL: 'true',
    ANAGRAFE_PASSWORD_MIN: '12',
  });
  [principal = 0] = await insertPrincipals(strict, 1);
});

let serial = 0;
const user = () => newUser(`limit.${++serial}`, { Email: 'limit@example.com' });
const record = (users: number) => ({ ID: principal, Users: Array.from({ length: users }, user) });

async function userCount(): Promise<number> {
  const [row] = await strict.database.query<{ count: number }>('select count(*) from anagrafe.users');
  return row?.count ?? 0;
}

describe('the limits of a call', () => {
  it('accept a call with exactly that number of records or users', async () => {
    expect((await strict.call('irs/update', [record(1), record(1), record(1)])).status).toBe(200);
    expect((await strict.call('irs/update', [record(5)])).status).toBe(200);
    expect((await strict.call('irs/update', [record(3), record(2)])).status).toBe(200);
  });

  it.each([
    ['records', [1, 1, 1, 1]],
    ['users in one record', [6]],
    ['users over all records', [3, 3]],
  ])('refuse a call with too many %s, of which nothing is stored', async (_, users) => {
    const before = await userCount();
    const { status, body } = await strict.call('irs/update', users.map(record));
    expect(status).toBe(413);
    expect(body).toEqual({
      statusCode: 413,
      errorCode: 'BATCH_TOO_LARGE',
      message:
        'The call contains more than 3 records or 5 users. Send it as a job with "Prefer: respond-async" (up to 10 users), or split it into several calls.',
      result: null,
      debug: null,
    });
    expect(await userCount()).toBe(before);
  });

  it('apply to irs/insert', async () => {
    const { status, body } = await strict.call(
      'irs/insert',
      Array.from({ length: 4 }, () => ({ Denomination: 'One too many' })),
    );
    expect(status).toBe(413);
    expect(body.errorCode).toBe('BATCH_TOO_LARGE');
  });

  it('refuse a body with too many bytes, with the limit in the message', async () => {
    const { status, body } = await strict.call('irs/update', [{ ID: principal, Users: 'x'.repeat(5000) }]);
    expect(status).toBe(413);
    expect(body.errorCode).toBe('BODY_TOO_LARGE');
    expect(body.message).toContain('4096 bytes');
    expect(body.result).toBeNull();
  });

  it('refuse a body that is nested too deeply, with the limit in the message', async () => {
    const deep = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    const { status, body } = await strict.call('irs/update', [{ ID: principal, Users: [deep(3)] }]);
    expect(status).toBe(413);
    expect(body.errorCode).toBe('BODY_TOO_LARGE');
    expect(body.message).toContain('5 levels');
    expect((await strict.call('irs/update', [{ ID: principal, Users: [deep(2)] }])).status).toBe(422);
  });

  it('refuse a body with too many JSON values, with the limit in the message', async () => {
    // The array, the record, its ID and its Users are four of the values.
    const values = 16 * (6 + 10);
    const bodyOf = (count: number) => {
      const more = Array.from({ length: count - 4 }, (_, n) => [`f${n}`, n]);
      return [{ ID: principal, Users: [], ...Object.fromEntries(more) }];
    };
    const { status, body } = await strict.call('irs/update', bodyOf(values + 1));
    expect(status).toBe(413);
    expect(body).toEqual({
      statusCode: 413,
      errorCode: 'BODY_TOO_LARGE',
      message: expect.stringContaining(` ${values} values`),
      result: null,
      debug: null,
    });
    expect((await strict.call('irs/update', bodyOf(values))).status).toBe(422);
    expect((await strict.call('irs/insert', bodyOf(values + 1))).status).toBe(413);
    expect((await strict.call('irs/list', bodyOf(201)[0])).status).toBe(400);
    expect((await strict.call('irs/list', bodyOf(202)[0])).status).toBe(413);
  });

  it('allow 200 records with 300 unknown fields each, of which the answer names 20 per record', async () => {
    const wide = await startTestService();
    const fields = Array.from({ length: 300 }, (_, n) => `Unknown${n}`);
    const record = Object.fromEntries(fields.map((field) => [field, 'x']));
    const body = Array.from({ length: 200 }, (_, n) => ({ ID: n + 1, ...record }));
    const answer = await wide.call('irs/update', body);
    await wide.stop();
    expect(answer.status).toBe(422);
    const tuples = answer.body.result?.records ?? [];
    expect(tuples.map((tuple) => tuple.Item1)).toEqual(body.map(({ ID }) => ID));
    const named = fields.slice(0, 20);
    for (const { Item5 } of tuples) {
      expect(Object.keys(Item5).toSorted()).toEqual([...named, 'ID', 'Record', 'Users'].toSorted());
      for (const field of named)
        expect(Item5[field]).toEqual([{ code: 'UNKNOWN_FIELD', message: `Unknown field "${field}".` }]);
      expect(Item5.Record).toEqual([
        { code: 'UNKNOWN_FIELD', message: 'This object has 280 more unknown fields.' },
      ]);
    }
  });
});

describe('a service with ANAGRAFE_REQUIRE_EMAIL', () => {
  it('refuses a registration without Email in irs/update and irs/insert', async () => {
    const errors = { 'Users[0].Email': [{ code: 'REQUIRED', message: 'This field is required.' }] };
    for (const missing of [{}, { Email: null }]) {
      const users = [newUser('no.email', missing)];
      const updated = await strict.call('irs/update', [{ ID: principal, Users: users }]);
      expect(updated.body.result?.records[0]).toMatchObject({ Item2: 'INVALID_USERS', Item5: errors });
      const inserted = await strict.call('irs/insert', [{ Denomination: 'D', Users: users }]);
      expect(inserted.body.result?.records[0]).toMatchObject({ Item2: 'INVALID_USERS', Item5: errors });
    }
  });

  it('accepts a registration with Email and a reset without', async () => {
    const { body } = await strict.call('irs/update', [{ ID: principal, Users: [user()] }], {
      headers: { Prefer: 'return=representation' },
    });
    const ID = body.result?.records[0]?.Item6.Users?.[0]?.ID;
    const reset = { ID, Password: 'a new long sentence', ConfirmPassword: 'a new long sentence' };
    expect((await strict.call('irs/update', [{ ID: principal, Users: [reset] }])).status).toBe(200);
  });
});

describe('a service with ANAGRAFE_PASSWORD_MIN', () => {
  it('refuses shorter passwords, with the minimum length in the message', async () => {
    const short = { Password: 'elevenchars', ConfirmPassword: 'elevenchars' };
    const { body } = await strict.call('irs/update', [{ ID: principal, Users: [{ ...user(), ...short }] }]);
    expect(body.result?.records[0]?.Item5).toEqual({
      'Users[0].Password': [
        { code: 'PASSWORD_TOO_SHORT', message: 'The password must have at least 12 characters.' },
      ],
    });
    const enough = { Password: 'twelve chars', ConfirmPassword: 'twelve chars' };
    const answer = await strict.call('irs/update', [{ ID: principal, Users: [{ ...user(), ...enough }] }]);
    expect(answer.status).toBe(200);
  });
});
