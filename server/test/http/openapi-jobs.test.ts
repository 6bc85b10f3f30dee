import { beforeAll, describe, expect, it } from 'vitest';
import {
  finished,
  holding,
  importedUser,
  jobOf,
  principalLock,
  readJob,
  sendJob,
  submit,
} from '../setup/jobs.ts';
import { readDocument, type Validate } from '../setup/openapi.ts';
import {
  type Answer,
  insertPrincipals,
  newUser,
  startTestService,
  type TestService,
} from '../setup/service.ts';

const base = '/api/sync/v1/';

let service: TestService;
let validate: Validate;
let principal: number;
/** A job with an applied record, a refused one, and one with users to be shown. */
let id: string;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_MAX_JOB_RECORDS: '20' });
  ({ validate } = await readDocument(service));
  [principal = 0] = await insertPrincipals(service, 1);
  id = await submit(service, 'irs/update', [
    {
      ID: principal,
      Users: [importedUser('described'), newUser('described too', { Email: 'a@example.com' })],
    },
    { ID: 'x', Users: [{ Username: ' ', Extra: 1 }, 7], More: true },
  ]);
  await finished(service, id);
});

const answerSchema = (path: string, method: string, status: number) => [
  'paths',
  base + path,
  method,
  'responses',
  status,
  'content',
  'application/json',
  'schema',
];
const requestSchema = (path: string) => [
  'paths',
  base + path,
  'post',
  'requestBody',
  'content',
  'application/json',
  'schema',
];

function expectDescribed(answer: Answer<unknown>, path: string, method: string, status: number): void {
  expect(answer.status).toBe(status);
  expect(validate(answerSchema(path, method, status), answer.body)).toEqual([]);
}

describe('/openapi.json', () => {
  it('describes a job as it is: taken, running, completed, cancelled', async () => {
    await holding(service, principalLock(principal), async ({ blocked }) => {
      const taken = await sendJob(service, 'irs/update', [{ ID: principal, Users: [importedUser('held')] }]);
      expectDescribed(taken, 'irs/update', 'post', 202);
      await blocked(1);
      const running = await readJob(service, `${jobOf(taken).ID}?debug=true`);
      expect(jobOf(running).State).toBe('running');
      expectDescribed(running, 'jobs/{id}', 'get', 200);
      const cancelled = await service.call(`jobs/${jobOf(taken).ID}`, undefined, { method: 'DELETE' });
      expect(jobOf(cancelled).State).toBe('cancelled');
      expectDescribed(cancelled, 'jobs/{id}', 'delete', 200);
    });
    expectDescribed(await sendJob(service, 'irs/insert', [{}]), 'irs/insert', 'post', 202);
    const completed = await readJob(service, id, { prefer: 'return=representation' });
    expect(jobOf(completed).State).toBe('completed');
    expectDescribed(completed, 'jobs/{id}', 'get', 200);
  });

  it('describes the list of jobs and the failed records as they are', async () => {
    const list = await service.call('jobs', undefined, { method: 'GET' });
    expect(list.body.result?.records).not.toEqual([]);
    expectDescribed(list, 'jobs', 'get', 200);
    const kit = await readJob(service, `${id}/failed`);
    expect(kit.body).toHaveLength(1);
    expectDescribed(kit, 'jobs/{id}/failed', 'get', 200);
  });

  it('describes what is refused as it is', async () => {
    for (const [path, method] of [
      ['jobs/nothing', 'GET'],
      ['jobs/nothing', 'DELETE'],
      ['jobs/nothing/failed', 'GET'],
    ] as const) {
      const answer = await service.call(path, undefined, { method });
      expectDescribed(answer, path.replace('nothing', '{id}'), method.toLowerCase(), 404);
    }
    const wrong = await service.call('jobs?page=0', undefined, { method: 'GET' });
    expectDescribed(wrong, 'jobs', 'get', 400);
    const large = await sendJob(service, 'irs/insert', Array(21).fill({ Name: 'x' }));
    expectDescribed(large, 'irs/insert', 'post', 413);
    const headers = { 'idempotency-key': 'described' };
    await service.call('irs/insert', [{ Name: 'x' }], { headers });
    const reused = await service.call('irs/insert', [{ Name: 'y' }], { headers });
    expect(reused.body.errorCode).toBe('IDEMPOTENCY_KEY_REUSED');
    expectDescribed(reused, 'irs/insert', 'post', 422);
  });

  it('describes a dry run as it is', async () => {
    const records = [{ ID: principal, Users: [newUser('dry')] }];
    const missing = { ID: 987_654, Users: [newUser('dry')] };
    for (const [status, body] of [
      [200, records],
      [207, [...records, missing]],
      [422, [missing]],
    ] as const) {
      const answer = await service.call('irs/update?dryRun=true', body);
      expectDescribed(answer, 'irs/update', 'post', status);
      expect(answer.body.result?.record).not.toBeNull();
    }
  });

  it('allows a PasswordHash in place of the passwords, and not beside them nor on a reset', () => {
    const allowed = (users: unknown[]) => validate(requestSchema('irs/update'), [{ ID: 1, Users: users }]);
    expect(allowed([importedUser('x'), importedUser('y', { Password: null, Email: null })])).toEqual([]);
    expect(allowed([importedUser('x', { Password: 'abcdefgh' })])).not.toEqual([]);
    expect(allowed([{ ID: 1, PasswordHash: 'x' }])).not.toEqual([]);
    const insert = [{ Name: 'x', Users: [importedUser('x')] }];
    expect(validate(requestSchema('irs/insert'), insert)).toEqual([]);
  });

  it('allows a failed record to be sent again with its faults', async () => {
    const job = await submit(service, 'irs/update', [{ ID: 987_654, Users: [newUser('again')] }]);
    const kit = JSON.parse((await readJob(service, `${job}/failed`)).text);
    const secret = { Password: 'a sentence for later', ConfirmPassword: 'a sentence for later' };
    Object.assign(kit[0].Users[0], secret);
    expect(kit[0].Faults).toBeDefined();
    expect(validate(requestSchema('irs/update'), kit)).toEqual([]);
  });
});
