import { beforeAll, describe, expect, it } from 'vitest';
import { finished, importedUser, jobOf, sendJob } from '../setup/jobs.ts';
import { insertPrincipals, startTestService, type TestService } from '../setup/service.ts';

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
        'The request contains more than 4 records or 6 users, the maximum of a job. Split it into several requests.',
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
