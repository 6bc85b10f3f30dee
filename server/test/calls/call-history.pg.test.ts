import { adminOf, type Credential, credential } from '@anagrafe/testing/admin';
import { finished, importedUser, type Job, submit } from '@anagrafe/testing/jobs';
import { registerUsers, signedIn } from '@anagrafe/testing/login';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

interface Call {
  readonly At: string;
  readonly CallID: string;
  readonly RequestId: string;
}

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;
let erp: Credential;
let principal: number;
let jobs: string[];

const missing = { ID: 999_999, Users: [importedUser('unknown')] };

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

describe('the list of calls', () => {
  const read = async (query = '') => {
    const { status, body } = await admin<Call>(`GET calls${query}`, office);
    expect(status).toBe(200);
    return body.result;
  };

  it('contains calls with their results, newest first, without dry runs and jobs', async () => {
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

  it('can be filtered to calls with failed records', async () => {
    const page = await read('?failed=true');
    expect(page?.records.map(({ RequestId }) => RequestId)).toEqual(['refused', 'in-part']);
    expect(page?.totalCount).toBe(2);
    expect((await read('?failed=false'))?.totalCount).toBe(6);
  });

  it('is paged', async () => {
    const page = await read('?page=2&pageSize=2');
    expect(page).toMatchObject({ totalCount: 6, totalPages: 3, page: 2, count: 2 });
    expect(page?.records[0]?.RequestId).toBe('applied');
    expect((await read('?page=9'))?.records).toEqual([]);
  });
});

describe('the list of jobs of the admin API', () => {
  it('contains the jobs of all clients, newest first, like the list of the sync API', async () => {
    const { body } = await admin<Job>('GET jobs', office);
    expect(body.result?.records.map(({ ID }) => ID)).toEqual([...jobs].reverse());
    expect(body.result).toMatchObject({ totalCount: 2, count: 2, page: 1 });
    const elsewhere = await service.call('jobs', undefined, { method: 'GET', headers: office });
    expect(body.result).toEqual(elsewhere.body.result);
    const { body: second } = await admin<Job>('GET jobs?page=2&pageSize=1', office);
    expect(second.result?.records.map(({ ID }) => ID)).toEqual([jobs[0]]);
  });
});
