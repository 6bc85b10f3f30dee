import { beforeAll, describe, expect, it } from 'vitest';
import { adminOf, type Credential, credential, recordOf } from '../setup/admin.ts';
import { finished, importedUser, type Job, submit } from '../setup/jobs.ts';
import { registerUsers, signedIn } from '../setup/login.ts';
import { insertPrincipals, startTestService, type TestService } from '../setup/service.ts';

interface Call {
  readonly At: string;
  readonly CallID: string;
  readonly RequestId: string;
}
interface Span {
  readonly Start: string;
  readonly Calls: number;
  readonly Jobs: number;
  readonly RecordsFailed: number;
}
interface Statistics {
  readonly Hours: Span[];
  readonly Days: Span[];
}

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;
let erp: Credential;
let principal: number;
let jobs: string[];

const missing = { ID: 999_999, Users: [importedUser('nobody')] };

beforeAll(async () => {
  service = await startTestService();
  admin = adminOf(service);
  [principal = 0] = await insertPrincipals(service, 1);
  await registerUsers(service, 'mario');
  await signedIn(service, 'mario');
  office = await credential(service);
  erp = await credential(service, { name: 'erp', scopes: ['sync:write'] });
  const send = (id: string, records: unknown[], more: Credential = {}) =>
    service.call('irs/update', records, { headers: { ...erp, 'x-request-id': id, ...more } });
  await send('applied', [{ ID: principal, Users: [importedUser('one'), importedUser('two')] }]);
  await send('in-part', [missing, { ID: principal, Users: [importedUser('three')] }], {
    'idempotency-key': 'k',
  });
  await send('refused', [missing]);
  await service.call('irs/update?dryRun=true', [missing], { headers: { ...erp, 'x-request-id': 'dry' } });
  jobs = [
    await submit(service, 'irs/update', [missing], erp),
    await submit(service, 'irs/update', [missing, missing], office),
  ];
  for (const id of jobs) await finished(service, id, office);
});

describe('calls', () => {
  const read = async (query = '') => {
    const { status, body } = await admin<Call>(`GET calls${query}`, office);
    expect(status).toBe(200);
    return body.result;
  };

  it('are listed with what became of them, the newest first; dry runs and jobs are none', async () => {
    const page = await read();
    const ids = page?.records.map(({ RequestId }) => RequestId) ?? [];
    expect(ids.slice(0, 3)).toEqual(['refused', 'in-part', 'applied']);
    expect(ids).toHaveLength(6);
    expect(page).toMatchObject({ totalCount: 6, totalPages: 1, page: 1, count: 6, record: null });
    expect(page?.records[1]).toEqual({
      At: expect.stringMatching(/^\d{4}-.*Z$/),
      Actor: 'client',
      ClientID: expect.any(Number),
      UserID: null,
      Address: '127.0.0.1',
      RequestId: 'in-part',
      CallID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      Operation: 'update',
      Records: 2,
      RecordsFailed: 1,
      Users: 2,
      UsersApplied: 1,
      Milliseconds: expect.any(Number),
    });
    expect(page?.records.at(-1)).toMatchObject({ Actor: 'protected', ClientID: null });
    const callIds = page?.records.map(({ CallID }) => CallID);
    expect(new Set(callIds).size).toBe(6);
    for (const id of callIds ?? []) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('are found by whether a record of theirs was not applied', async () => {
    const page = await read('?failed=true');
    expect(page?.records.map(({ RequestId }) => RequestId)).toEqual(['refused', 'in-part']);
    expect(page?.totalCount).toBe(2);
    expect((await read('?failed=false'))?.totalCount).toBe(6);
  });

  it('come in pages', async () => {
    const page = await read('?page=2&pageSize=2');
    expect(page).toMatchObject({ totalCount: 6, totalPages: 3, page: 2, count: 2 });
    expect(page?.records[0]?.RequestId).toBe('applied');
    expect((await read('?page=9'))?.records).toEqual([]);
  });
});

describe('jobs', () => {
  it('are those of everyone, the newest first, as they stand elsewhere', async () => {
    const { body } = await admin<Job>('GET jobs', office);
    expect(body.result?.records.map(({ ID }) => ID)).toEqual([...jobs].reverse());
    expect(body.result).toMatchObject({ totalCount: 2, count: 2, page: 1 });
    const elsewhere = await service.call('jobs', undefined, { method: 'GET', headers: office });
    expect(body.result).toEqual(elsewhere.body.result);
    const { body: second } = await admin<Job>('GET jobs?page=2&pageSize=1', office);
    expect(second.result?.records.map(({ ID }) => ID)).toEqual([jobs[0]]);
  });
});

describe('statistics', () => {
  const read = async () => recordOf<Statistics>(await admin('GET statistics', office));

  it('count what there is, and how the hashing goes', async () => {
    expect(await read()).toMatchObject({
      Principals: 2,
      Users: 4,
      Sessions: 1,
      UnsealedRows: expect.any(Number),
      JobsQueued: 0,
      JobsRunning: 0,
      Hashing: { WaitingInteractive: 0, WaitingBulk: 0, Running: 0, HashesPerSecond: expect.any(Number) },
    });
  });

  it('have every hour of a day and every day of a month, those without a call too', async () => {
    const { Hours, Days } = await read();
    const steps = (spans: Span[]) =>
      spans.slice(1).map(({ Start }, at) => Date.parse(Start) - Date.parse(spans[at]?.Start ?? ''));
    expect([Hours.length, Days.length]).toEqual([24, 30]);
    expect(new Set(steps(Hours))).toEqual(new Set([3_600_000]));
    expect(new Set(steps(Days))).toEqual(new Set([86_400_000]));
    expect(Days.every(({ Start }) => Start.endsWith('T00:00:00.000Z'))).toBe(true);
    expect(Days[0]).toMatchObject({ Calls: 0, Jobs: 0, RecordsFailed: 0 });
    const now = Date.now() - Date.parse(Hours.at(-1)?.Start ?? '');
    expect(now).toBeGreaterThanOrEqual(0);
    expect(now).toBeLessThan(3_700_000);
  });

  it('count calls, jobs and failed records where they were', async () => {
    const sum = (spans: Span[], name: 'Calls' | 'Jobs' | 'RecordsFailed') =>
      spans.reduce((total, span) => total + span[name], 0);
    const { Hours, Days } = await read();
    for (const spans of [Hours, Days])
      expect([sum(spans, 'Calls'), sum(spans, 'Jobs'), sum(spans, 'RecordsFailed')]).toEqual([6, 2, 5]);
    await service.database.query(
      `insert into anagrafe.journal (at, actor, action, details)
       select now() - make_interval(days => days), 'client', 'call.completed', '{"recordsFailed": 7}'
         from unnest(array[3, 40]) as days`,
    );
    const later = await read();
    expect(sum(later.Hours, 'Calls')).toBe(6);
    expect(later.Days.at(-4)).toMatchObject({ Calls: 1, Jobs: 0, RecordsFailed: 7 });
    expect(sum(later.Days, 'Calls')).toBe(7);
  });
});
