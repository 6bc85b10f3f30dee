import { finished, importedUser, jobOf, sendJob, submit } from '@anagrafe/testing/jobs';
import { login, signedIn } from '@anagrafe/testing/login';
import { codesOf, importedUsers, insertPrincipal, range, unique } from '@anagrafe/testing/records';
import { type Answer, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import {
  applyPlan,
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

/** Inserts a principal with this many users. */
const company = (users: number) => insertPrincipal(service, { Users: importedUsers(users) });

/** Returns a record that contains only these users of a principal. */
const sent = (key: string, usernames: readonly string[]) => ({
  ExternalKey: key,
  Users: usernames.map((Username) => ({ Username })),
});

const statesOf = async (key: string) => {
  const principal = await storedPrincipal(service, key);
  return principal?.users.map(({ username, state }) => `${username} ${state}`);
};

describe('users that are missing from the record of their principal', () => {
  it('are kept by default', async () => {
    const { key, usernames } = await company(3);
    const answer = await upsert(service, [sent(key, usernames.slice(0, 1))]);
    expect(countsOf(answer)).toEqual(counts({ Unchanged: 1 }));
    expect(await storedPrincipal(service, key)).toMatchObject({ users_count: 3 });
  });

  it('are disabled and signed out with missing=disable, and unchanged when the record is sent again', async () => {
    const { key, usernames } = await company(3);
    const [kept = '', gone = ''] = usernames;
    await signedIn(service, gone);
    const records = [sent(key, [kept])];
    const answer = await upsert(service, records, 'missing=disable');
    expect(effectsOf(answer)).toMatchObject([
      {
        Principal: 'unchanged',
        Users: [
          { Username: kept, Operation: 'none' },
          { Username: gone, Operation: 'disable' },
          { Operation: 'disable' },
        ],
      },
    ]);
    expect(countsOf(answer)).toEqual(counts({ UsersDisabled: 2 }));
    expect(await statesOf(key)).toEqual([
      `${kept} active`,
      ...usernames.slice(1).map((name) => `${name} disabled`),
    ]);
    expect((await login(service, gone)).status).toBe(401);
    const before = await storedRows(service);
    const again = await upsert(service, records, 'missing=disable');
    expect(countsOf(again)).toEqual(counts({ Unchanged: 1 }));
    expect(await storedRows(service)).toEqual(before);
  });

  it('are deleted with missing=delete, and can be registered again', async () => {
    const { key, usernames } = await company(3);
    const [kept = '', gone = ''] = usernames;
    const answer = await upsert(service, [sent(key, [kept])], 'missing=delete');
    expect(countsOf(answer)).toEqual(counts({ UsersDeleted: 2 }));
    expect(effectsOf(answer)[0]?.Users?.[1]).toMatchObject({ Username: gone, Operation: 'delete' });
    expect(await storedPrincipal(service, key)).toMatchObject({
      users_count: 1,
      users: [{ username: kept }],
    });
    const back = await upsert(service, [{ ExternalKey: key, Users: [newUser(gone)] }]);
    expect(countsOf(back)).toEqual(counts({ UsersRegistered: 1 }));
  });

  it('are all deleted with missing=delete if Users is empty', async () => {
    const { key } = await company(2);
    const answer = await upsert(service, [{ ExternalKey: key, Users: [] }], 'missing=delete');
    expect(countsOf(answer)).toEqual(counts({ UsersDeleted: 2 }));
  });

  it('are deleted by the same record that registers and edits other users', async () => {
    const { key, usernames } = await company(3);
    const [edited = '', kept = ''] = usernames;
    const added = unique('user');
    const Users = [{ Username: edited, Phone: '1' }, newUser(added), { Username: kept }];
    const answer = await upsert(
      service,
      [{ ExternalKey: key, Denomination: 'New', Users }],
      'missing=delete',
    );
    expect(effectsOf(answer)[0]?.Users?.map(({ Operation }) => Operation)).toEqual([
      'edit',
      'register',
      'none',
      'delete',
    ]);
    expect(countsOf(answer)).toEqual(
      counts({ PrincipalsUpdated: 1, UsersRegistered: 1, UsersUpdated: 1, UsersDeleted: 1 }),
    );
    expect(await storedPrincipal(service, key)).toMatchObject({ users_count: 3 });
  });

  it('are kept if the record is refused', async () => {
    const { key, usernames } = await company(2);
    const record = { ...sent(key, usernames.slice(0, 1)), Email: 'nowhere' };
    const answer = await upsert(service, [record], 'missing=delete');
    expect(codesOf(answer)).toEqual(['INVALID_RECORD']);
    expect(await storedPrincipal(service, key)).toMatchObject({ users_count: 2 });
  });

  it('are found among 2,700 users of one principal', async () => {
    const { key, usernames } = await company(900);
    for (const Users of [importedUsers(900), importedUsers(900)]) {
      usernames.push(...Users.map(({ Username }) => Username));
      expect((await upsert(service, [{ ExternalKey: key, Users }])).status).toBe(200);
    }
    const kept = usernames.filter((_, n) => n % 90 !== 7);
    const records = [sent(key, kept)];
    const id = await submit(service, 'irs/upsert?missing=delete', records);
    const { Counts } = jobOf(await finished(service, id)) as unknown as { Counts: unknown };
    expect(Counts).toEqual(counts({ UsersDeleted: usernames.length - kept.length }));
    expect(await storedPrincipal(service, key)).toMatchObject({ users_count: kept.length });
  });
});

describe('an upsert that would disable or delete users', () => {
  const refusal = ({ status, body }: Answer) => [status, body.errorCode, body.message];

  it('is applied if it removes 20 users', async () => {
    const { key, usernames } = await company(21);
    const answer = await upsert(service, [sent(key, usernames.slice(0, 1))], 'missing=delete');
    expect(countsOf(answer)).toEqual(counts({ UsersDeleted: 20 }));
  });

  it.each(['delete', 'disable'])(
    'is refused as a whole if it removes more than 20 users and more than 10 %% of them (missing=%s)',
    async (missing) => {
      const [large, small] = [await company(100), await company(1)];
      const added = unique('C');
      const before = await storedRows(service);
      const records = [
        { ExternalKey: added },
        sent(large.key, large.usernames.slice(0, 79)),
        sent(small.key, small.usernames),
      ];
      const answer = await upsert(service, records, `missing=${missing}`);
      expect(refusal(answer)).toEqual([
        422,
        'TOO_MANY_REMOVALS',
        'The call would disable or delete 21 of 101 users. Without a plan at most 20 are allowed, so nothing was applied. Send it with dryRun=true, check the plan, then send it with If-Match.',
      ]);
      expect(answer.body.result).toBeNull();
      expect(await storedRows(service)).toEqual(before);
    },
  );

  it('is refused if it removes too many users of the principals whose users it contains', async () => {
    const [emptied, large] = [await company(90), await company(900)];
    const before = await storedRows(service);
    const records = [{ ExternalKey: large.key }, { ExternalKey: emptied.key, Users: [] }];
    expect(refusal(await upsert(service, records, 'missing=delete'))).toEqual([
      422,
      'TOO_MANY_REMOVALS',
      'The call would disable or delete 90 of 90 users. Without a plan at most 20 are allowed, so nothing was applied. Send it with dryRun=true, check the plan, then send it with If-Match.',
    ]);
    expect(await storedRows(service)).toEqual(before);
  });

  it('is refused if it removes too many users of one principal, however many users others keep', async () => {
    const [emptied, large] = [await company(90), await company(900)];
    const before = await storedRows(service);
    const records = [sent(large.key, large.usernames), { ExternalKey: emptied.key, Users: [] }];
    expect(refusal(await upsert(service, records, 'missing=delete'))).toEqual([
      422,
      'TOO_MANY_REMOVALS',
      'The call would disable or delete 90 of the 90 users of the principal of record [1]. Without a plan at most 20 are allowed, so nothing was applied. Send the call with dryRun=true, check the plan, then send it with If-Match.',
    ]);
    expect(await storedRows(service)).toEqual(before);
  });

  it('is applied if it removes more than 20 users, but at most 10 % of them', async () => {
    const { key, usernames } = await company(300);
    const allowed = await upsert(service, [sent(key, usernames.slice(30))], 'missing=disable');
    expect(countsOf(allowed)).toEqual(counts({ UsersDisabled: 30 }));
    const refused = await upsert(service, [sent(key, usernames.slice(61))], 'missing=disable');
    expect(refused.body.errorCode).toBe('TOO_MANY_REMOVALS');
  });

  it('is refused at submission as a job that removes too many users, and no job is stored', async () => {
    const { key } = await company(30);
    const jobs = async () =>
      (await service.call('jobs', undefined, { method: 'GET' })).body.result?.totalCount;
    const before = [await jobs(), await storedRows(service)];
    const answer = await sendJob(service, 'irs/upsert?missing=delete', [{ ExternalKey: key, Users: [] }]);
    expect(refusal(answer).slice(0, 2)).toEqual([422, 'TOO_MANY_REMOVALS']);
    expect([await jobs(), await storedRows(service)]).toEqual(before);
  });

  it('can be sent again with its idempotency key and a plan after it was refused', async () => {
    const { key } = await company(30);
    const records = [{ ExternalKey: key, Users: [] }];
    const headers = { 'idempotency-key': unique('key') };
    expect((await upsert(service, records, 'missing=delete', headers)).status).toBe(422);
    const plan = planOf(await upsert(service, records, 'missing=delete&dryRun=true'));
    const answer = await upsert(service, records, 'missing=delete', { ...headers, 'if-match': `"${plan}"` });
    expect(countsOf(answer)).toEqual(counts({ UsersDeleted: 30 }));
    const replayed = await upsert(service, records, 'missing=delete', {
      ...headers,
      'if-match': `"${plan}"`,
    });
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    expect(countsOf(replayed)).toEqual(counts({ UsersDeleted: 30 }));
  });

  it('is applied with a plan, whatever number of users it removes', async () => {
    const { key } = await company(30);
    const answer = await applyPlan(service, [{ ExternalKey: key, Users: [] }], 'missing=delete');
    expect(countsOf(answer)).toEqual(counts({ UsersDeleted: 30 }));
  });

  it('is not limited by the users of records that are refused', async () => {
    const { key } = await company(30);
    const records = [{ ExternalKey: key, Users: [], Email: 'nowhere' }];
    expect(codesOf(await upsert(service, records, 'missing=delete'))).toEqual(['INVALID_RECORD']);
  });

  it('may remove the percentage of users that ANAGRAFE_MAX_REMOVALS allows', async () => {
    const own = await startTestService({ ANAGRAFE_MAX_REMOVALS: '50' });
    const usernames = range(60).map((n) => `user ${n}`);
    await upsert(own, [{ ExternalKey: 'C', Users: usernames.map((name) => importedUser(name)) }]);
    const refused = await upsert(own, [sent('C', usernames.slice(31))], 'missing=delete');
    expect(refused.body.errorCode).toBe('TOO_MANY_REMOVALS');
    const allowed = await upsert(own, [sent('C', usernames.slice(30))], 'missing=delete');
    expect(countsOf(allowed)).toEqual(counts({ UsersDeleted: 30 }));
    await own.stop();
  });

  it('is refused if it removes more users than a synchronous call or a job may have, even with a plan', async () => {
    const own = await startTestService({ ANAGRAFE_MAX_USERS: '30', ANAGRAFE_MAX_JOB_USERS: '40' });
    const insert = (from: number, to: number) =>
      upsert(own, [
        { ExternalKey: 'C', Users: range(to - from).map((n) => importedUser(`user ${from + n}`)) },
      ]);
    await insert(0, 30);
    await insert(30, 40);
    const records = [{ ExternalKey: 'C', Users: [] }];
    const tooMany = await applyPlan(own, records, 'missing=delete');
    expect([tooMany.status, tooMany.body.errorCode]).toEqual([413, 'BATCH_TOO_LARGE']);
    await insert(40, 41);
    const planned = await upsert(own, records, 'missing=delete&dryRun=true');
    expect([planned.status, planned.body.errorCode]).toEqual([413, 'BATCH_TOO_LARGE']);
    await own.stop();
  });
});
