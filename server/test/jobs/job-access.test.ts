import { finished, importedUser, type Job, jobOf, readJob, sendJob, submit } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient, type NewClient } from '../../src/clients/clients.ts';

type Headers = Record<string, string>;

let service: TestService;
let principal: number;
let serial = 0;
/** The ID of a job that was submitted before the first client was created. */
let early: string;
let erp: Headers;
let crm: Headers;
let admin: Headers;
let reader: Headers;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
  early = await submit(service, 'irs/update', records());
  expect(jobOf(await readJob(service, early)).ID).toBe(early);
  await finished(service, early);
  erp = await client({ scopes: ['sync:write'] });
  crm = await client({ scopes: ['sync:write', 'sync:read'] });
  admin = await client({ scopes: ['admin'] });
  reader = await client({ scopes: ['sync:read'] });
});

async function client(fields: Partial<NewClient>, { database } = service): Promise<Headers> {
  const all = { name: 'someone', scopes: [], networks: [], knownByAddress: false, ...fields } as const;
  const made = await createClient(all, openClientStore(database), operatorActor);
  return { SyncPublicKey: made.client.publicKey, SyncSecretKey: made.secret };
}

function records(username = `access ${++serial}`) {
  return [
    { ID: principal, Users: [importedUser(username)] },
    { ID: 987_654, Users: [] },
  ];
}

const ask = (path: string, headers: Headers, method = 'GET', at = service) =>
  at.call<Job>(path, undefined, { method, headers });

async function listed(headers: Headers, at = service): Promise<string[]> {
  const { status, body } = await ask('jobs?pageSize=1000', headers, 'GET', at);
  expect(status).toBe(200);
  const jobs = body.result?.records ?? [];
  expect(body.result).toMatchObject({ totalCount: jobs.length, count: jobs.length, page: 1, record: null });
  return jobs.map((job) => job.ID);
}

describe('a job', () => {
  it('is visible to the client that submitted it and to admin clients', async () => {
    const id = await submit(service, 'irs/update', records(), erp);
    await finished(service, id, erp);
    for (const headers of [erp, admin]) {
      expect(jobOf(await readJob(service, id, headers)).ID).toBe(id);
      const failedRecords = await readJob(service, `${id}/failed`, headers);
      expect(failedRecords.body).toHaveLength(1);
      expect((await ask(`jobs/${id}`, headers, 'DELETE')).status).toBe(200);
    }
  });

  it('gets the same answer as an unknown job for any other client', async () => {
    const id = await submit(service, 'irs/update', records(), erp);
    const nowhere = '00000000-0000-4000-8000-000000000000';
    for (const [path, method] of [
      ['', 'GET'],
      ['?failed=true', 'GET'],
      ['/failed', 'GET'],
      ['', 'DELETE'],
    ] as const) {
      const other = await ask(`jobs/${id}${path}`, crm, method);
      const unknown = await ask(`jobs/${nowhere}${path}`, crm, method);
      expect([other.status, other.text]).toEqual([404, unknown.text]);
      expect(other.body.errorCode).toBe('JOB_NOT_FOUND');
    }
    expect(jobOf(await finished(service, id, erp)).State).toBe('completed');
  });

  it('is not visible without a credential after clients were created', async () => {
    const id = await submit(service, 'irs/update', records(), erp);
    for (const path of ['jobs', `jobs/${id}`, `jobs/${id}/failed`, 'jobs/nothing']) {
      const { status, body } = await ask(path, {});
      expect([path, status, body.errorCode]).toEqual([path, 401, 'UNAUTHENTICATED']);
    }
  });

  it('needs the scope sync:write', async () => {
    const nothing = await client({ scopes: [] });
    for (const headers of [reader, nothing]) {
      for (const [path, method] of [
        ['jobs', 'GET'],
        [`jobs/${early}`, 'GET'],
        [`jobs/${early}/failed`, 'GET'],
        [`jobs/${early}`, 'DELETE'],
      ] as const) {
        const { status, body } = await ask(path, headers, method);
        expect([path, status, body.errorCode]).toEqual([path, 403, 'FORBIDDEN']);
      }
      const refused = await sendJob(service, 'irs/update', records(), headers);
      expect(refused.status).toBe(403);
      expect(refused.headers.get('location')).toBeNull();
    }
  });

  it('that was submitted in protected mode is visible only to admin clients', async () => {
    expect((await readJob(service, early, admin)).status).toBe(200);
    expect((await readJob(service, early, erp)).status).toBe(404);
    expect(await listed(admin)).toContain(early);
    expect(await listed(crm)).not.toContain(early);
  });

  it('of a client known by address is visible from that address', async () => {
    const other = await startTestService();
    const [ID = 0] = await insertPrincipals(other, 1);
    const own = (username: string) => [{ ID, Users: [importedUser(username)] }];
    const earlier = await submit(other, 'irs/update', own('before any client'));
    const keyed = await client({ scopes: ['sync:write'] }, other);
    const networks = ['127.0.0.0/8'];
    await client({ scopes: ['sync:write', 'admin'], networks, knownByAddress: true }, other);
    const id = await submit(other, 'irs/update', own('by address'));
    expect(jobOf(await finished(other, id)).ID).toBe(id);
    expect(await listed({}, other)).toEqual([id]);
    expect((await readJob(other, earlier)).status).toBe(404);
    expect((await readJob(other, id, keyed)).status).toBe(404);
  });

  it('is sent with Cache-Control: no-store', async () => {
    const id = await submit(service, 'irs/update', records(), erp);
    for (const path of [`jobs/${id}`, `jobs/${id}/failed`, 'jobs']) {
      expect((await ask(path, erp)).headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('the list of jobs', () => {
  it('contains the jobs of the calling client, newest first, and all jobs for an admin client', async () => {
    const [one, other] = [await client({ scopes: ['sync:write'] }), await client({ scopes: ['sync:write'] })];
    const first = await submit(service, 'irs/update', records(), one);
    const second = await submit(service, 'irs/insert', [{ Denomination: 'Listed' }], one);
    const third = await submit(service, 'irs/update', records(), other);
    expect(await listed(one)).toEqual([second, first]);
    expect(await listed(other)).toEqual([third]);
    expect((await listed(admin)).slice(0, 3)).toEqual([third, second, first]);
    expect(await listed(await client({ scopes: ['sync:write'] }))).toEqual([]);
  });

  it('contains the same fields as a single job', async () => {
    const own = await client({ scopes: ['sync:write'] });
    const id = await submit(service, 'irs/update', records(), own);
    const job = jobOf(await finished(service, id, own));
    const { body } = await ask('jobs', own);
    expect(body.result?.records).toEqual([job]);
    expect(job).toMatchObject({ Records: 2, RecordsDone: 2, RecordsFailed: 1, Users: 1, UsersDone: 1 });
  });

  it('is paged with correct totals', async () => {
    const own = await client({ scopes: ['sync:write'] });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(await submit(service, 'irs/update', records(), own));
    const seen: string[] = [];
    for (const [page, count] of [2, 2, 1, 0].entries()) {
      const { body } = await ask(`jobs?page=${page + 1}&pageSize=2`, own);
      expect(body.result).toMatchObject({ totalCount: 5, totalPages: 3, page: page + 1, count });
      seen.push(...(body.result?.records ?? []).map((job) => job.ID));
    }
    expect(seen).toEqual(ids);
    expect((await ask('jobs?failed=true', own)).status).toBe(400);
    expect((await ask('jobs?pageSize=0', own)).status).toBe(400);
  });

  it('does not contain synchronous calls', async () => {
    const own = await client({ scopes: ['sync:write'] });
    const headers = { ...own, 'idempotency-key': 'no-job' };
    expect((await service.call('irs/update', records(), { headers })).status).toBe(207);
    expect(await listed(own)).toEqual([]);
  });
});
