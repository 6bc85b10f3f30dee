import { storedUsernames, wrongFigures } from '@anagrafe/testing/figures';
import {
  finished,
  holding,
  importedUser,
  jobOf,
  principalLock,
  principalsLock,
  readJob,
  submit,
} from '@anagrafe/testing/jobs';
import { range } from '@anagrafe/testing/records';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { verifyPassword } from '@anagrafe/testing/verify-password';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;

beforeAll(async () => {
  // Blocked job writes hold connections: the pool needs more than the concurrent job writes of a node.
  service = await startTestService({ ANAGRAFE_DATABASE_CONNECTIONS: '30' });
});

const cancel = (id: string) => service.call(`jobs/${id}`, undefined, { method: 'DELETE' });

async function storedKeys(prefix: string): Promise<string[]> {
  const rows = await service.database.query<{ key: string }>(
    'select external_key as key from anagrafe.principals where external_key like $1 order by id',
    [`${prefix}%`],
  );
  return rows.map((row) => row.key);
}

/** Submits a job that stays queued during `work`: two blocked jobs occupy the node, which runs two jobs at once. */
async function behindOthers(records: unknown, work: (id: string) => Promise<void>): Promise<string> {
  const [one = 0, two = 0] = await insertPrincipals(service, 2);
  return holding(service, principalLock(one, two), async ({ blocked }) => {
    for (const ID of [one, two]) {
      await submit(service, 'irs/update', [{ ID, Users: [importedUser(`in front ${ID}`)] }]);
    }
    await blocked(2);
    const id = await submit(service, 'irs/update', records);
    await work(id);
    return id;
  });
}

describe('a job that is cancelled while it runs', () => {
  it('keeps the applied records and marks all others as CANCELLED', async () => {
    // A chunk processes groups of 64 passwords, two groups at a time.
    const keys = range(200).map((n) => `half ${n}`);
    const id = await holding(service, principalsLock, async ({ blocked }) => {
      const job = await submit(
        service,
        'irs/insert',
        keys.map((ExternalKey) => ({ ExternalKey, Users: [newUser(`user of ${ExternalKey}`)] })),
      );
      await blocked(1);
      const answer = await cancel(job);
      expect(answer.status).toBe(200);
      expect(jobOf(answer)).toMatchObject({ ID: job, State: 'cancelled', Records: 200, EndedAt: null });
      expect(answer.body.result).toMatchObject({ totalCount: 0, count: 0, records: [] });
      return job;
    });
    const ended = await finished(service, id);
    const tuples = ended.body.result?.records ?? [];
    expect(tuples).toHaveLength(200);
    const applied = keys.filter((_, n) => tuples[n]?.Item3);
    expect(applied.length).toBeGreaterThan(0);
    expect(applied.length).toBeLessThan(200);
    expect(await storedKeys('half ')).toEqual(applied);
    for (const tuple of tuples.filter(({ Item3 }) => !Item3)) {
      expect(tuple).toEqual({
        Item1: null,
        Item2: 'CANCELLED',
        Item3: false,
        Item4: 'The job was cancelled before this record was started. The record was not applied.',
        Item5: {},
        Item6: {
          ExternalKey: expect.stringMatching(/^half /),
          Username: expect.stringMatching(/^user of half /),
        },
      });
    }
    expect(jobOf(ended)).toMatchObject({
      State: 'cancelled',
      Records: 200,
      RecordsDone: 200,
      RecordsFailed: 200 - applied.length,
      EstimatedEnd: null,
    });
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('has its stored records and its encryption key deleted', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const id = await holding(service, principalLock(ID), async ({ blocked }) => {
      const job = await submit(service, 'irs/update', [{ ID, Users: [importedUser('destroyed')] }]);
      await blocked(1);
      await cancel(job);
      return job;
    });
    await finished(service, id);
    const left = await service.database.query(
      `select from anagrafe.calls where id = $1 and wrapped_key is not null
       union all select from anagrafe.chunks where call_id = $1`,
      [id],
    );
    expect(left).toEqual([]);
  });
});

describe('a job that is cancelled before it starts', () => {
  it('applies nothing, and returns every record among its failed records', async () => {
    const [ID = 0, other = 0] = await insertPrincipals(service, 2);
    const secret = { Password: 'correct horse battery', ConfirmPassword: 'correct horse battery' };
    const records = [
      { ID, Users: [importedUser('never begun')] },
      { ID: other, Users: [{ Username: 'nor this', Email: 'a@example.com', ...secret }] },
      { ID: 987_654, Users: [importedUser('refused at once')] },
    ];
    const id = await behindOthers(records, async (job) => {
      expect(jobOf(await readJob(service, job)).State).toBe('queued');
      expect(jobOf(await cancel(job))).toMatchObject({ State: 'cancelled', StartedAt: null });
    });
    const ended = await finished(service, id);
    expect(jobOf(ended)).toMatchObject({
      State: 'cancelled',
      RecordsDone: 3,
      RecordsFailed: 3,
      UsersDone: 3,
      StartedAt: null,
      UsersPerSecond: null,
    });
    const codes = ended.body.result?.records.map((tuple) => [tuple.Item1, tuple.Item2]);
    expect(codes).toEqual([
      [ID, 'CANCELLED'],
      [other, 'CANCELLED'],
      [987_654, 'PRINCIPAL_NOT_FOUND'],
    ]);
    const names = await storedUsernames(service.database);
    expect(['never begun', 'nor this'].filter((name) => names.has(name))).toEqual([]);

    const failedRecords = JSON.parse((await readJob(service, `${id}/failed`)).text);
    const empty = { Password: null, ConfirmPassword: null };
    const message = 'The job was cancelled before this record was started. The record was not applied.';
    const FieldErrors = { Record: [{ code: 'CANCELLED', message }] };
    expect(failedRecords).toEqual([
      { ID, Users: [{ Username: 'never begun', ...empty }], Position: 0, FieldErrors },
      {
        ID: other,
        Users: [{ Username: 'nor this', Email: 'a@example.com', ...empty }],
        Position: 1,
        FieldErrors,
      },
      {
        ID: 987_654,
        Users: [{ Username: 'refused at once', ...empty }],
        Position: 2,
        FieldErrors: expect.anything(),
      },
    ]);
    for (const record of failedRecords) for (const user of record.Users) Object.assign(user, secret);
    const again = await service.call('irs/update', failedRecords.slice(0, 2));
    expect(again.status).toBe(200);
    const [stored] = await service.database.query<{ hash: string }>(
      `select password_hash as hash from anagrafe.users where username = 'nor this'`,
    );
    expect(await verifyPassword(secret.Password, stored?.hash ?? '')).toBe(true);
  });
});

describe('the cancellation of a job', () => {
  it('changes nothing the second time', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const id = await behindOthers([{ ID, Users: [importedUser('cancelled twice')] }], async (job) => {
      const first = await cancel(job);
      const second = await cancel(job);
      expect([second.status, second.text]).toEqual([200, first.text]);
    });
    const ended = await finished(service, id);
    const third = await cancel(id);
    expect(third.status).toBe(200);
    expect(jobOf(third)).toEqual(jobOf(ended));
    expect((await finished(service, id)).text).toBe(ended.text);
  });

  it('changes nothing after the job has ended', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const id = await submit(service, 'irs/update', [{ ID, Users: [importedUser('ended before')] }]);
    const before = await finished(service, id);
    const answer = await cancel(id);
    expect(answer.status).toBe(200);
    expect(jobOf(answer)).toEqual(jobOf(before));
    expect(jobOf(answer).State).toBe('completed');
    expect((await readJob(service, `${id}?pageSize=1000`)).text).toBe(before.text);
  });

  it('accepts no parameter except debug', async () => {
    const [ID = 0] = await insertPrincipals(service, 1);
    const id = await submit(service, 'irs/update', [{ ID, Users: [importedUser('debugged')] }]);
    const init = { method: 'DELETE' };
    const debugged = await service.call(`jobs/${id}?debug=true`, undefined, init);
    expect(debugged.body.debug).toMatchObject({ ClientIP: '127.0.0.1' });
    expect((await service.call(`jobs/${id}?failed=true`, undefined, init)).status).toBe(400);
  });
});
