import {
  finished,
  holding,
  importedUser,
  jobOf,
  positionsOf,
  principalLock,
  sendJob,
} from '@anagrafe/testing/jobs';
import { codesOf, insertPrincipal, range, unique } from '@anagrafe/testing/records';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import {
  counts,
  countsOf,
  effectsOf,
  planOf,
  storedPrincipal,
  storedRows,
  upsert,
} from '@anagrafe/testing/upserts';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Inserts a principal with two users; `change` is a record that would change it and the first user. */
async function company() {
  const [username, other] = [unique('user'), unique('user')];
  const Users = [importedUser(username, { Email: 'a@example.com' }), importedUser(other)];
  const { id, key } = await insertPrincipal(service, { Denomination: 'Alfa Srl', Users });
  const change = {
    ExternalKey: key,
    Denomination: 'Beta Srl',
    Users: [{ Username: username, Email: 'b@example.com' }],
  };
  return { id, key, username, other, change };
}

/** Sends a dry run. */
const dryRun = (records: unknown, query = '', headers: Record<string, string> = {}) =>
  upsert(service, records, ['dryRun=true', query].filter(Boolean).join('&'), headers);

describe('a dry run of an upsert', () => {
  it('returns the stored and the new value of each field that would change, and writes nothing', async () => {
    const { id, key, username, other, change } = await company();
    const added = unique('user');
    const before = await storedRows(service);
    const answer = await dryRun(
      [
        { ...change, Users: [...change.Users, newUser(added)] },
        { ExternalKey: unique('C'), Name: 'New' },
      ],
      'missing=disable',
    );
    expect(await storedRows(service)).toEqual(before);
    expect(answer.status).toBe(200);
    expect(answer.body.result?.records.map(({ Item1 }) => Item1)).toEqual([id, null]);
    expect(effectsOf(answer)).toEqual([
      {
        Principal: 'updated',
        Changes: [{ Field: 'Denomination', From: 'Alfa Srl', To: 'Beta Srl' }],
        Users: [
          {
            ID: expect.any(Number),
            Username: username,
            Email: 'b@example.com',
            Operation: 'edit',
            Changed: ['Email'],
            Changes: [{ Field: 'Email', From: 'a@example.com', To: 'b@example.com' }],
          },
          { ID: null, Username: added, Email: null, Operation: 'register' },
          { ID: expect.any(Number), Username: other, Email: null, Operation: 'disable' },
        ],
      },
      { Principal: 'inserted', Changes: [], Users: [] },
    ]);
    expect(answer.body.result?.record).toEqual({
      ...counts({
        PrincipalsInserted: 1,
        PrincipalsUpdated: 1,
        UsersRegistered: 1,
        UsersUpdated: 1,
        UsersDisabled: 1,
      }),
      RecordsFailed: 0,
      EstimatedSeconds: expect.any(Number),
      Plan: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(answer.headers.get('etag')).toBe(`"${planOf(answer)}"`);
    expect(await storedPrincipal(service, key)).toMatchObject({ denomination: 'Alfa Srl' });
  });

  it('lists Password among the changed fields without its values', async () => {
    const { key, username } = await company();
    const Password = 'a secret of its own';
    const answer = await dryRun(
      [{ ExternalKey: key, Users: [{ Username: username, Password, ConfirmPassword: Password }] }],
      'passwords=overwrite',
    );
    expect(effectsOf(answer)[0]?.Users).toMatchObject([
      { Operation: 'edit', Changed: ['Password'], Changes: [] },
    ]);
    expect(answer.text).not.toContain(Password);
  });

  it('returns only the counts without Prefer: return=representation', async () => {
    const { change } = await company();
    const answer = await dryRun([change], '', { prefer: '' });
    expect(effectsOf(answer)).toEqual([{}]);
    expect(countsOf(answer)).toMatchObject({ PrincipalsUpdated: 1, UsersUpdated: 1 });
  });

  it('returns pages of the records that change or fail, with their positions', async () => {
    const companies = [];
    for (const _ of range(6)) companies.push(await company());
    const records = companies.map(({ key, change }, n) => (n % 2 === 0 ? change : { ExternalKey: key }));
    records.push({ ExternalKey: '' });
    const all = await dryRun(records);
    expect(all.body.result).toMatchObject({ totalCount: 7, totalPages: 1, page: 1, count: 7 });
    expect(positionsOf(all)).toBeUndefined();
    const changed = await dryRun(records, 'changed=true');
    expect(changed.body.result).toMatchObject({ totalCount: 4, totalPages: 1, page: 1, count: 4 });
    expect(positionsOf(changed)).toEqual([0, 2, 4, 6]);
    const second = await dryRun(records, 'changed=true&page=2&pageSize=3');
    expect(second.body.result).toMatchObject({ totalCount: 4, totalPages: 2, page: 2, count: 1 });
    expect(positionsOf(second)).toEqual([6]);
    expect(codesOf(second)).toEqual(['INVALID_RECORD']);
    const paged = await dryRun(records, 'page=3&pageSize=3');
    expect(paged.body.result).toMatchObject({ totalCount: 7, totalPages: 3, page: 3, count: 1 });
    const beyond = await dryRun(records, 'page=9');
    expect(beyond.body.result).toMatchObject({ totalCount: 7, totalPages: 1, page: 9, count: 0 });
    expect(positionsOf(beyond)).toEqual([]);
    for (const answer of [all, changed, second, paged, beyond]) {
      expect([answer.status, planOf(answer)]).toEqual([207, planOf(all)]);
      expect(countsOf(answer)).toMatchObject({ PrincipalsUpdated: 3, Unchanged: 3, RecordsFailed: 1 });
    }
  });

  it.each(['changed=true', 'page=1', 'pageSize=10'])('is required for the parameter %s', async (query) => {
    const { status, body } = await upsert(service, [{ ExternalKey: 'X' }], query);
    expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
  });
});

describe('an upsert with If-Match', () => {
  it('is applied once if the stored data has not changed since the dry run', async () => {
    const { key, change } = await company();
    const plan = planOf(await dryRun([change]));
    const answer = await upsert(service, [change], '', { 'if-match': `"${plan}"` });
    expect(countsOf(answer)).toEqual(counts({ PrincipalsUpdated: 1, UsersUpdated: 1 }));
    expect(await storedPrincipal(service, key)).toMatchObject({ denomination: 'Beta Srl' });
    const again = await upsert(service, [change], '', { 'if-match': `"${plan}"` });
    expect([again.status, again.body.errorCode]).toEqual([412, 'PLAN_OUTDATED']);
  });

  type Company = Awaited<ReturnType<typeof company>>;
  const update = (records: unknown) => async () =>
    expect((await service.call('irs/update', records)).status).toBe(200);
  const direct = (sql: string, values: unknown[]) => async () => {
    await service.database.query(sql, values);
  };

  it.each<[string, (company: Company) => Promise<unknown>]>([
    [
      'a field of the principal was changed',
      ({ key }) => upsert(service, [{ ExternalKey: key, Denomination: 'Gamma Srl' }]),
    ],
    [
      'a field of the principal that was not sent was changed',
      ({ key }) => upsert(service, [{ ExternalKey: key, Taxcode: 'X' }]),
    ],
    [
      'a field of a user was changed',
      ({ key, username }) =>
        upsert(service, [{ ExternalKey: key, Users: [{ Username: username, Email: 'c@example.com' }] }]),
    ],
    [
      'a user was registered under the principal',
      ({ id }) => update([{ ID: id, Users: [importedUser(unique('user'))] }])(),
    ],
    [
      'a user was deleted',
      ({ key, username }) =>
        upsert(service, [{ ExternalKey: key, Users: [{ Username: username }] }], 'missing=delete'),
    ],
    [
      'a user was disabled',
      ({ key, other }) =>
        upsert(service, [{ ExternalKey: key, Users: [{ Username: other, State: 'disabled' }] }]),
    ],
    ['the principal was disabled', ({ key }) => upsert(service, [{ ExternalKey: key, State: 'disabled' }])],
    [
      'the principal was renamed',
      ({ id }) =>
        direct('update anagrafe.principals set external_key = $2 where id = $1', [id, unique('K')])(),
    ],
  ])('gets 412 and applies nothing if %s after the dry run', async (_, meanwhile) => {
    const own = await company();
    const other = await company();
    const records = [other.change, own.change];
    const plan = planOf(await dryRun(records));
    await meanwhile(own);
    const before = await storedRows(service);
    const answer = await upsert(service, records, '', { 'if-match': `"${plan}"` });
    expect([answer.status, answer.body.errorCode]).toEqual([412, 'PLAN_OUTDATED']);
    expect(await storedRows(service)).toEqual(before);
  });

  it('gets 412 if another principal has taken one of its usernames after the dry run', async () => {
    const { key } = await company();
    const wanted = unique('user');
    const records = [{ ExternalKey: key, Users: [importedUser(wanted)] }];
    const plan = planOf(await dryRun(records));
    await upsert(service, [{ ExternalKey: unique('C'), Users: [importedUser(wanted)] }]);
    const answer = await upsert(service, records, '', { 'if-match': `"${plan}"` });
    expect([answer.status, answer.body.errorCode]).toEqual([412, 'PLAN_OUTDATED']);
  });

  it('gets 412 if a principal that it would insert was inserted after the dry run', async () => {
    const records = [{ ExternalKey: unique('C'), Denomination: 'New' }];
    const plan = planOf(await dryRun(records));
    await upsert(service, records);
    expect((await upsert(service, records, '', { 'if-match': `"${plan}"` })).status).toBe(412);
  });

  it('gets 412 if its records or options differ from those of the dry run', async () => {
    const { change } = await company();
    const plan = planOf(await dryRun([change], 'missing=disable'));
    const headers = { 'if-match': `"${plan}"` };
    expect((await upsert(service, [change], '', headers)).status).toBe(412);
    expect((await upsert(service, [change], 'missing=delete', headers)).status).toBe(412);
    const other = { ...change, Users: [{ ...change.Users[0], Password: 'ignored here' }] };
    expect((await upsert(service, [other], 'missing=disable', headers)).status).toBe(412);
    expect((await upsert(service, [change], 'missing=disable', headers)).status).toBe(200);
  });

  it('is applied if only a principal that it does not change has changed after the dry run', async () => {
    const [changed, equal] = [await company(), await company()];
    const records = [changed.change, { ExternalKey: equal.key, Denomination: 'Alfa Srl' }];
    const plan = planOf(await dryRun(records));
    await upsert(service, [{ ExternalKey: equal.key, Taxcode: 'X' }]);
    const answer = await upsert(service, records, '', { 'if-match': `"${plan}"` });
    expect(countsOf(answer)).toEqual(counts({ PrincipalsUpdated: 1, UsersUpdated: 1, Unchanged: 1 }));
  });

  it('applies the valid records of a plan in which other records fail', async () => {
    const { change } = await company();
    const records = [{ ExternalKey: '' }, change];
    const plan = planOf(await dryRun(records));
    const answer = await upsert(service, records, '', { 'if-match': `"${plan}"` });
    expect([answer.status, codesOf(answer)]).toEqual([207, ['INVALID_RECORD', null]]);
  });

  it.each(['*', 'W/"x"', '"short"', ''])(
    'gets 400 if the value is not the tag of a plan: %s',
    async (tag) => {
      const { status, body } = await upsert(service, [{ ExternalKey: 'X' }], '', { 'if-match': tag });
      expect([status, body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
    },
  );

  it('fails one record with PLAN_OUTDATED if its principal changes before it is written, and applies the others', async () => {
    const [blocked, free] = [await company(), await company()];
    const records = [blocked.change, free.change];
    const plan = planOf(await dryRun(records));
    const answer = await holding(service, principalLock(blocked.id), async (held) => {
      const answering = upsert(service, records, '', { 'if-match': `"${plan}"` });
      await held.blocked(1);
      await held.connection.query(
        `update anagrafe.principals set taxcode = 'X', updated_at = clock_timestamp() where id = $1`,
        [blocked.id],
      );
      return () => answering;
    }).then((answering) => answering());
    expect([answer.status, codesOf(answer)]).toEqual([207, ['PLAN_OUTDATED', null]]);
    expect(await storedPrincipal(service, blocked.key)).toMatchObject({ denomination: 'Alfa Srl' });
    expect(await storedPrincipal(service, free.key)).toMatchObject({ denomination: 'Beta Srl' });
  });

  it('gets 412 when it is submitted as a job after a change, and runs as a job with a new plan', async () => {
    const { key, change } = await company();
    const plan = planOf(await dryRun([change]));
    const headers = { 'if-match': `"${plan}"` };
    await upsert(service, [{ ExternalKey: key, Taxcode: 'X' }]);
    const refused = await sendJob(service, 'irs/upsert', [change], headers);
    expect([refused.status, refused.body.errorCode]).toEqual([412, 'PLAN_OUTDATED']);
    const renewed = { 'if-match': `"${planOf(await dryRun([change]))}"` };
    const submitted = await sendJob(service, 'irs/upsert', [change], renewed);
    const ended = await finished(service, jobOf(submitted).ID);
    expect(jobOf(ended)).toMatchObject({
      RecordsFailed: 0,
      Counts: counts({ PrincipalsUpdated: 1, UsersUpdated: 1 }),
    });
  });
});
