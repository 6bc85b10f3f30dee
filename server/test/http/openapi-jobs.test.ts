import {
  finished,
  holding,
  importedUser,
  jobOf,
  principalLock,
  readJob,
  sendJob,
  submit,
} from '@anagrafe/testing/jobs';
import { readDocument, type Validate } from '@anagrafe/testing/openapi';
import {
  type Answer,
  insertPrincipals,
  newUser,
  startTestService,
  type TestService,
} from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

const base = '/api/sync/v1/';

let service: TestService;
let validate: Validate;
let principal: number;
/** The ID of a completed job with an applied record of two users and a refused record. */
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
  it('matches the answers for accepted, running, completed and cancelled jobs', async () => {
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

  it('matches the list of jobs and the failed records of a job', async () => {
    const list = await service.call('jobs', undefined, { method: 'GET' });
    expect(list.body.result?.records).not.toEqual([]);
    expectDescribed(list, 'jobs', 'get', 200);
    const failedRecords = await readJob(service, `${id}/failed`);
    expect(failedRecords.body).toHaveLength(1);
    expectDescribed(failedRecords, 'jobs/{id}/failed', 'get', 200);
  });

  it('matches the error answers for jobs', async () => {
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

  it('matches the answers for dry runs', async () => {
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

  it('allows a PasswordHash instead of a password, but not together with one or in a reset', () => {
    const allowed = (users: unknown[]) => validate(requestSchema('irs/update'), [{ ID: 1, Users: users }]);
    expect(allowed([importedUser('x'), importedUser('y', { Password: null, Email: null })])).toEqual([]);
    expect(allowed([importedUser('x', { Password: 'abcdefgh' })])).not.toEqual([]);
    expect(allowed([{ ID: 1, PasswordHash: 'x' }])).not.toEqual([]);
    const insert = [{ Name: 'x', Users: [importedUser('x')] }];
    expect(validate(requestSchema('irs/insert'), insert)).toEqual([]);
  });

  it('allows a failed record to be sent again with its field errors', async () => {
    const job = await submit(service, 'irs/update', [{ ID: 987_654, Users: [newUser('again')] }]);
    const failedRecords = JSON.parse((await readJob(service, `${job}/failed`)).text);
    const secret = { Password: 'a sentence for later', ConfirmPassword: 'a sentence for later' };
    Object.assign(failedRecords[0].Users[0], secret);
    expect(failedRecords[0].FieldErrors).toBeDefined();
    expect(validate(requestSchema('irs/update'), failedRecords)).toEqual([]);
  });
});
