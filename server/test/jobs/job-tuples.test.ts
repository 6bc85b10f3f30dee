import {
  finished,
  holding,
  importedUser,
  jobOf,
  positionsOf,
  principalLock,
  readJob,
  sendJob,
  submit,
} from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Tuple } from '../../src/records/read/tuple.ts';

let service: TestService;
let principals: number[];
/** The ID of a completed job with 25 records, of which every fifth was refused. */
let id: string;

const refusedAt = [0, 5, 10, 15, 20];

beforeAll(async () => {
  service = await startTestService();
  principals = await insertPrincipals(service, 25);
  const records = principals.map((ID, n) => ({
    ID,
    Users: [
      importedUser(`first of ${n}`),
      importedUser(refusedAt.includes(n) ? ' spaced ' : `second of ${n}`),
    ],
  }));
  id = await submit(service, 'irs/update', records);
  await finished(service, id);
});

const idsOf = (tuples: readonly Tuple[] | undefined) => tuples?.map((tuple) => tuple.Item1);

describe('the tuples of a job', () => {
  it('are in the order sent, including those of records refused at submission', async () => {
    const { status, body } = await readJob(service, id);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ totalCount: 25, totalPages: 1, page: 1, count: 25 });
    expect(idsOf(body.result?.records)).toEqual(principals);
    const refused = (body.result?.records ?? []).flatMap((tuple, n) => (tuple.Item3 ? [] : [n]));
    expect(refused).toEqual(refusedAt);
    expect(body.result?.records[5]).toEqual({
      Item1: principals[5],
      Item2: 'INVALID_USERS',
      Item3: false,
      Item4: 'The users of the record have field errors. The record was not applied.',
      Item5: {
        'Users[1].Username': [
          {
            code: 'USERNAME_SPACES',
            message: 'The username must not begin or end with a space, or contain two spaces in a row.',
          },
        ],
      },
      Item6: { Username: expect.any(String) },
    });
  });

  it('are paged by pageSize, each exactly once', async () => {
    const seen: (number | null)[] = [];
    for (const [page, count] of [10, 10, 5, 0].entries()) {
      const answer = await readJob(service, `${id}?page=${page + 1}&pageSize=10`);
      const { body } = answer;
      expect(body.result).toMatchObject({ totalCount: 25, totalPages: 3, page: page + 1, count });
      expect(body.result?.records).toHaveLength(count);
      expect(jobOf(answer).ID).toBe(id);
      seen.push(...(idsOf(body.result?.records) ?? []));
    }
    expect(seen).toEqual(principals);
    expect(positionsOf(await readJob(service, `${id}?page=3&pageSize=10`))).toEqual([20, 21, 22, 23, 24]);
  });

  it('are complete and in order in a page that is read in several groups', async () => {
    const records = Array.from({ length: 450 }, (_, n) => ({ ID: 900_001 + n }));
    const refused = await submit(service, 'irs/update', records);
    await finished(service, refused);
    const answer = await readJob(service, `${refused}?pageSize=1000`);
    expect(answer.body.result).toMatchObject({ totalCount: 450, count: 450 });
    expect(idsOf(answer.body.result?.records)).toEqual(records.map(({ ID }) => ID));
    expect(positionsOf(answer)).toEqual(records.map((_, n) => n));
  });

  it('are filtered to failed records by failed=true, with correct totals', async () => {
    const failed = refusedAt.map((n) => principals[n]);
    const { body } = await readJob(service, `${id}?failed=true`);
    expect(body.result).toMatchObject({ totalCount: 5, totalPages: 1, page: 1, count: 5 });
    expect(idsOf(body.result?.records)).toEqual(failed);
    const last = await readJob(service, `${id}?failed=true&pageSize=2&page=3`);
    expect(last.body.result).toMatchObject({ totalCount: 5, totalPages: 3, page: 3, count: 1 });
    expect(idsOf(last.body.result?.records)).toEqual(failed.slice(4));
    expect(jobOf(last)).toMatchObject({ Records: 25, RecordsDone: 25, RecordsFailed: 5 });
    expect(positionsOf(last)).toEqual(refusedAt.slice(4));
    const all = await readJob(service, `${id}?failed=false`);
    expect(all.body.result?.totalCount).toBe(25);
  });

  it('have the positions of their records in the call while other records are pending', async () => {
    const [held = 0] = await insertPrincipals(service, 1);
    await holding(service, principalLock(held), async ({ blocked }) => {
      const records = [
        { ID: held, Users: [importedUser('is held up')] },
        { ID: 999_999, Users: [importedUser('is refused')] },
      ];
      const job = await submit(service, 'irs/update', records);
      await blocked(1);
      const answer = await readJob(service, job);
      expect([idsOf(answer.body.result?.records), positionsOf(answer)]).toEqual([[999_999], [1]]);
    });
  });

  it('contain the users if the request has Prefer: return=representation', async () => {
    const answer = await readJob(service, id, { prefer: 'return=representation' });
    expect(answer.headers.get('preference-applied')).toBe('return=representation');
    const [refused, applied] = answer.body.result?.records ?? [];
    expect(refused?.Item6).toEqual({ Username: expect.any(String) });
    const row = { Email: null, Operation: 'register', ID: expect.any(Number) };
    expect(applied?.Item6).toEqual({
      Users: [
        { ...row, Username: 'first of 1' },
        { ...row, Username: 'second of 1' },
      ],
    });
    const [first = 0, second = 0] = applied?.Item6.Users?.map((user) => user.ID) ?? [];
    const stored = await service.database.query(
      'select username from anagrafe.users where id = any($1) order by id',
      [[first, second]],
    );
    expect(stored).toEqual([{ username: 'first of 1' }, { username: 'second of 1' }]);
    const plain = await readJob(service, id);
    expect(plain.headers.get('preference-applied')).toBeNull();
    expect(plain.body.result?.records[1]?.Item6).toEqual({});
  });

  it('are translated according to Accept-Language', async () => {
    const { headers, body } = await readJob(service, `${id}?failed=true`, { 'accept-language': 'it-IT' });
    expect(headers.get('content-language')).toBe('it');
    const { Item4, Item5 } = body.result?.records[0] ?? {};
    expect(Item4).toMatch(/^Gli utenti del record/);
    expect(Item5?.['Users[1].Username']?.[0]).toEqual({
      code: 'USERNAME_SPACES',
      message: expect.stringMatching(/^Il nome utente/),
    });
  });

  it('agree with the counters of the job at every moment', async () => {
    const records = Array.from({ length: 400 }, (_, n) =>
      n % 4 === 0 ? { Denomination: '' } : { Denomination: `Counted ${n}` },
    );
    const job = await submit(service, 'irs/insert', records);
    for (let ended = false; !ended; ) {
      const all = await readJob(service, `${job}?pageSize=1000`);
      const failed = await readJob(service, `${job}?pageSize=1000&failed=true`);
      const { totalCount, count, records: tuples } = all.body.result ?? {};
      expect([totalCount, count, tuples?.length]).toEqual(Array(3).fill(jobOf(all).RecordsDone));
      expect(jobOf(all).RecordsFailed).toBe(tuples?.filter((tuple) => !tuple.Item3).length);
      expect(failed.body.result?.count).toBe(jobOf(failed).RecordsFailed);
      ended = jobOf(all).EndedAt !== null;
    }
    expect(jobOf(await readJob(service, job))).toMatchObject({ RecordsDone: 400, RecordsFailed: 100 });
  });
});

describe('a request for a job', () => {
  it.each([
    ['page=0', 'page'],
    ['page=1.5', 'page'],
    ['page=-1', 'page'],
    ['page=1000001', 'page'],
    ['page=', 'page'],
    ['page=1&page=2', 'page'],
    ['pageSize=1001', 'pageSize'],
    ['pageSize=ten', 'pageSize'],
    ['failed=1', 'failed'],
    ['failed=TRUE', 'failed'],
    ['PageSize=10', 'PageSize'],
    ['dryRun=true', 'dryRun'],
  ])('is refused with an invalid parameter: %s', async (query, name) => {
    const { status, body } = await readJob(service, `${id}?${query}`);
    expect([status, body.errorCode, body.result]).toEqual([400, 'INVALID_PARAMETER', null]);
    expect(body.message).toContain(`"${name}"`);
  });

  it('gets an empty page if the page number is beyond the last', async () => {
    const { status, body } = await readJob(service, `${id}?page=1000000&pageSize=1000`);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      totalCount: 25,
      totalPages: 1,
      page: 1_000_000,
      count: 0,
      records: [],
    });
  });

  it.each([
    '00000000-0000-4000-8000-000000000000',
    'not-a-uuid',
    '1',
    '%00',
    "';--",
    `${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(13)}`,
  ])('gets 404 if the job does not exist: %s', async (unknown) => {
    for (const [path, method] of [
      [unknown, 'GET'],
      [`${unknown}?failed=true`, 'GET'],
      [`${unknown}/failed`, 'GET'],
      [unknown, 'DELETE'],
    ] as const) {
      const { status, body } = await service.call(`jobs/${path}`, undefined, { method });
      expect(status).toBe(404);
      expect(body).toEqual({
        statusCode: 404,
        errorCode: 'JOB_NOT_FOUND',
        message: 'There is no job with this ID. It may belong to another client, or may have been deleted.',
        result: null,
        debug: null,
      });
    }
  });

  it('accepts the job ID in capital letters', async () => {
    expect((await readJob(service, id.toUpperCase())).text).toBe((await readJob(service, id)).text);
  });

  it('gets 404 for the ID of a synchronous call', async () => {
    const records = [{ ID: principals[0], Users: [importedUser('answered at once')] }];
    const headers = { 'idempotency-key': 'answered at once'.replaceAll(' ', '-') };
    expect((await service.call('irs/update', records, { headers })).status).toBe(200);
    const [call] = await service.database.query<{ id: string }>(
      'select id from anagrafe.calls where not is_job',
    );
    expect((await readJob(service, call?.id ?? '')).status).toBe(404);
  });

  it.each([
    ['jobs', 'POST', 'GET'],
    ['jobs', 'DELETE', 'GET'],
    ['jobs/{id}', 'POST', 'GET, DELETE'],
    ['jobs/{id}', 'PATCH', 'GET, DELETE'],
    ['jobs/{id}/failed', 'POST', 'GET'],
    ['jobs/{id}/failed', 'DELETE', 'GET'],
  ])('to %s with the method %s gets 405 and the allowed methods', async (path, method, allow) => {
    const answer = await service.call(path.replace('{id}', id), undefined, { method });
    expect([answer.status, answer.body.errorCode]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(answer.headers.get('allow')).toBe(allow);
  });
});

describe('an accepted job', () => {
  it('lists the records that were refused at submission before it runs', async () => {
    const answer = await sendJob(service, 'irs/insert', [{}, { Denomination: 'Sound' }, { Name: 7 }]);
    expect(jobOf(answer)).toMatchObject({ Records: 3, Users: 0, RecordsFailed: 2 });
    const { body } = await readJob(service, `${jobOf(answer).ID}?failed=true`);
    expect(body.result?.records.map((tuple) => tuple.Item5)).toEqual([
      { Denomination: [expect.objectContaining({ code: 'EMPTY_PRINCIPAL' })] },
      { Name: [expect.objectContaining({ code: 'WRONG_TYPE' })] },
    ]);
  });
});
