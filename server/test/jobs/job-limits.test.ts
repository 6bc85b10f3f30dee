import { credential } from '@anagrafe/testing/admin';
import { finished, holding, importedUser, jobOf, principalLock, sendJob } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let strict: TestService;
let principal: number;

beforeAll(async () => {
  strict = await startTestService({
    ANAGRAFE_MAX_RECORDS: '2',
    ANAGRAFE_MAX_USERS: '3',
    ANAGRAFE_MAX_JOB_RECORDS: '4',
    ANAGRAFE_MAX_JOB_USERS: '6',
    ANAGRAFE_DATABASE_CONNECTIONS: '2',
  });
  [principal = 0] = await insertPrincipals(strict, 1);
});

let serial = 0;
const record = (users: number) => ({
  ID: principal,
  Users: Array.from({ length: users }, () => importedUser(`limit.${++serial}`)),
});

async function counts() {
  const [row] = await strict.database.query(
    'select (select count(*) from anagrafe.calls) as calls, (select count(*) from anagrafe.users) as users',
  );
  return row;
}

describe('the limits of a job', () => {
  it.each([[[1, 1, 1, 1]], [[6]], [[3, 3]]])(
    'accept a call of exactly that size: %j users',
    async (users) => {
      const answer = await sendJob(strict, 'irs/update', users.map(record));
      expect(answer.status).toBe(202);
      const job = jobOf(await finished(strict, jobOf(answer).ID));
      expect(job).toMatchObject({ Records: users.length, RecordsFailed: 0, State: 'completed' });
    },
  );

  it.each([
    ['records', [1, 1, 1, 1, 1]],
    ['users in one record', [7]],
    ['users over all records', [4, 3]],
  ])('refuse a call with too many %s, of which nothing is stored', async (_, users) => {
    const before = await counts();
    const { status, body, headers } = await sendJob(strict, 'irs/update', users.map(record), {
      'idempotency-key': `too-many-${users.length}`,
    });
    expect(status).toBe(413);
    expect(body).toEqual({
      statusCode: 413,
      errorCode: 'BATCH_TOO_LARGE',
      message:
        'The call contains more than 4 records or 6 users, the maximum of a job. Split it into several calls.',
      result: null,
      debug: null,
    });
    expect(headers.get('location')).toBeNull();
    expect(await counts()).toEqual(before);
  });

  it('apply to irs/insert', async () => {
    const records = Array.from({ length: 5 }, () => ({ Denomination: 'One too many' }));
    const { status, body } = await sendJob(strict, 'irs/insert', records);
    expect([status, body.errorCode]).toEqual([413, 'BATCH_TOO_LARGE']);
    expect((await sendJob(strict, 'irs/insert', records.slice(1))).status).toBe(202);
  });

  it('apply to a dry run, which may be larger than a synchronous call', async () => {
    expect((await strict.call('irs/update?dryRun=true', [record(6)])).status).toBe(200);
    const { status, body } = await strict.call('irs/update?dryRun=true', [record(7)]);
    expect([status, body.errorCode]).toEqual([413, 'BATCH_TOO_LARGE']);
    expect(body.message).toContain('6 users');
  });
});

describe('the limit of open jobs', () => {
  /** Starts a service with two clients, on which no job for the principal ends during `work`. */
  async function limited(
    settings: Record<string, string>,
    work: (tools: {
      service: TestService;
      send: (users?: number, headers?: Record<string, string>) => ReturnType<typeof sendJob>;
      other: Record<string, string>;
    }) => Promise<void>,
  ) {
    const service = await startTestService(settings);
    const [ID = 0] = await insertPrincipals(service, 1);
    const [own, other] = [await credential(service), await credential(service, { name: 'other' })];
    const send = (users = 1, headers = {}) => {
      const Users = Array.from({ length: users }, () => importedUser(`open.${++serial}`));
      return sendJob(service, 'irs/update', [{ ID, Users }], { ...own, ...headers });
    };
    const ids: string[] = [];
    await holding(service, principalLock(ID), async () => {
      await work({ service, send, other });
      for (const { id } of await service.database.query<{ id: string }>(
        'select id from anagrafe.calls where is_job',
      ))
        ids.push(id);
    });
    for (const id of ids) expect(jobOf(await finished(service, id, own)).RecordsFailed).toBe(0);
    expect((await send(1, { 'idempotency-key': 'again' })).status).toBe(202);
    await service.stop();
  }

  it('refuses a further job of the client with 429, and stores nothing, until a job has ended', async () => {
    await limited({ ANAGRAFE_MAX_OPEN_JOBS: '3' }, async ({ service, send, other }) => {
      for (let n = 0; n < 3; n++) expect((await send()).status).toBe(202);
      const { status, body, headers } = await send(1, { 'idempotency-key': 'again' });
      expect([status, body.errorCode, headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '10']);
      expect(body.message).toBe(
        'This client has too many open jobs. At most 3 may be open, with 268435456 bytes together. Nothing was stored. Retry after 10 s, or when a job has ended.',
      );
      const stored = 'select from anagrafe.calls where is_job';
      expect(await service.database.query(stored)).toHaveLength(3);
      expect((await send(1, other)).status).toBe(202);
    });
  });

  it('holds for jobs that are submitted at the same time', async () => {
    await limited({ ANAGRAFE_MAX_OPEN_JOBS: '3' }, async ({ send }) => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => send()));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([
        202, 202, 202, 429, 429, 429, 429, 429,
      ]);
    });
  });

  it('refuses a job that is too large together with the others, but not a single one', async () => {
    await limited({ ANAGRAFE_MAX_OPEN_JOB_BYTES: '2000' }, async ({ send, other }) => {
      expect((await send(20)).status).toBe(202);
      const { status, body } = await send();
      expect([status, body.errorCode]).toEqual([429, 'RATE_LIMITED']);
      expect((await send(1, other)).status).toBe(202);
      expect((await send(1, other)).status).toBe(202);
    });
  });
});

describe('jobs that are submitted concurrently', () => {
  it('are all accepted, even if there are more of them than database connections', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => sendJob(strict, 'irs/update', [record(1)])),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(24).fill(202));
    const ids = answers.map((answer) => jobOf(answer).ID);
    expect(new Set(ids).size).toBe(24);
    for (const id of ids) expect(jobOf(await finished(strict, id)).RecordsFailed).toBe(0);
  });
});
