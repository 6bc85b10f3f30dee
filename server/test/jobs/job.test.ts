import {
  done,
  finished,
  holding,
  importedUser,
  jobOf,
  principalLock,
  readJob,
  sendJob,
  submit,
} from '@anagrafe/testing/jobs';
import { ownHash } from '@anagrafe/testing/login';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { verifyPassword } from '@anagrafe/testing/verify-password';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

async function hashOf(username: string): Promise<string> {
  const [user] = await service.database.query<{ hash: string }>(
    'select password_hash as hash from anagrafe.users where username = $1',
    [username],
  );
  return user?.hash ?? '';
}

const applied = (Item1: number | null) => ({
  Item1,
  Item2: null,
  Item3: true,
  Item4: null,
  Item5: {},
  Item6: {},
});

describe('a call with Prefer: respond-async', () => {
  it('is answered with 202, the job and its Location', async () => {
    await holding(service, principalLock(principal), async () => {
      const records = [{ ID: principal, Users: [newUser('taken.1'), newUser('taken.2')] }];
      const answer = await sendJob(service, 'irs/update', records);
      const { ID } = jobOf(answer);
      const location = `/api/sync/v1/jobs/${ID}`;
      expect(answer.status).toBe(202);
      expect(answer.headers.get('location')).toBe(location);
      expect(answer.headers.get('preference-applied')).toBe('respond-async');
      expect(answer.headers.get('content-language')).toBe('en');
      expect(answer.body).toEqual({
        statusCode: 202,
        errorCode: null,
        message: `The call was accepted as job ${ID}. GET ${location} returns its progress.`,
        result: { totalCount: 0, totalPages: 0, page: 1, count: 0, records: [], record: expect.anything() },
        debug: null,
      });
      expect(jobOf(answer)).toMatchObject({ ID: uuid, Operation: 'update', Records: 1, Users: 2 });
      const followed = await fetch(service.url + location);
      expect(followed.status).toBe(200);
    });
  });

  it('is answered in the language of Accept-Language, with the debug part on request', async () => {
    const headers = { 'accept-language': 'it', prefer: 'Respond-Async' };
    const records = [{ ID: principal, Users: [importedUser('taken.it')] }];
    const answer = await service.call('irs/update?debug=true', records, { headers });
    expect(answer.status).toBe(202);
    expect(answer.headers.get('content-language')).toBe('it');
    expect(answer.body.message).toContain(jobOf(answer).ID);
    expect(answer.body.message).not.toContain('taken');
    expect(answer.body.debug).toMatchObject({ ClientIP: '127.0.0.1' });
  });

  it.each(['POST', 'PUT', 'PATCH'])('may be sent with the method %s', async (method) => {
    const records = [{ ID: principal, Users: [importedUser(`job by ${method}`)] }];
    const headers = { prefer: 'return=minimal, respond-async' };
    const answer = await service.call('irs/update', records, { method, headers });
    expect(answer.status).toBe(202);
    const { body } = await finished(service, jobOf(answer).ID);
    expect(body.result?.records).toEqual([applied(principal)]);
  });

  it('registers users and resets passwords, with the same tuples as a synchronous call', async () => {
    await service.call('irs/update', [{ ID: principal, Users: [newUser('mixed.old')] }]);
    const [old] = await service.database.query<{ id: number }>(
      `select id from anagrafe.users where username = 'mixed.old'`,
    );
    const reset = {
      ID: old?.id,
      Password: 'another long sentence',
      ConfirmPassword: 'another long sentence',
    };
    const crooked = { ID: principal, Users: [{ ...reset, Password: 'short' }, newUser('mixed.old')] };
    const records = [
      { ID: principal, Users: [newUser('mixed.new'), reset] },
      crooked,
      { ID: 987_654, Users: [newUser('mixed.lost')] },
      { ID: '7', Users: [] },
    ];
    const tuples = await done(service, 'irs/update', records);
    const { body } = await service.call('irs/update', records.slice(1));
    // The tuples of a job also name the first user of a failed record.
    const named = [{ Username: 'mixed.old' }, { Username: 'mixed.lost' }, {}];
    const synchronous = (body.result?.records ?? []).map((tuple, n) => ({ ...tuple, Item6: named[n] }));
    expect(tuples).toEqual([applied(principal), ...synchronous]);
    expect(tuples.map((tuple) => tuple.Item2)).toEqual([
      null,
      'INVALID_USERS',
      'PRINCIPAL_NOT_FOUND',
      'INVALID_RECORD',
    ]);
    expect(await verifyPassword('another long sentence', await hashOf('mixed.old'))).toBe(true);
    expect(await verifyPassword('correct horse battery', await hashOf('mixed.new'))).toBe(true);
    expect(await hashOf('mixed.new')).toMatch(ownHash(service));
  });

  it('creates no job if the body is not an array of records', async () => {
    const before = await jobCount();
    for (const [body, code] of [
      [{}, 'INVALID_BODY'],
      [[], 'INVALID_BODY'],
      [[{}, 7], 'INVALID_BODY'],
    ]) {
      const answer = await sendJob(service, 'irs/update', body);
      expect([answer.status, answer.body.errorCode]).toEqual([400, code]);
      expect(answer.headers.get('location')).toBeNull();
    }
    expect(await jobCount()).toBe(before);
  });
});

async function jobCount(): Promise<number> {
  const { body } = await service.call('jobs', undefined, { method: 'GET' });
  return body.result?.totalCount ?? -1;
}

describe('the state of a job', () => {
  it('is queued, then running, then completed', async () => {
    const [one = 0, two = 0, three = 0] = await insertPrincipals(service, 3);
    const ids = await holding(service, principalLock(one, two), async ({ blocked }) => {
      // A node runs two jobs at once: these two keep the third one queued.
      const first = await submit(service, 'irs/update', [{ ID: one, Users: [importedUser('state.1')] }]);
      const second = await submit(service, 'irs/update', [{ ID: two, Users: [importedUser('state.2')] }]);
      await blocked(2);
      const third = await submit(service, 'irs/update', [{ ID: three, Users: [importedUser('state.3')] }]);
      const [running, queued] = [await readJob(service, first), await readJob(service, third)];
      expect(running.body.result).toMatchObject({ totalCount: 0, totalPages: 0, count: 0, records: [] });
      expect(jobOf(running)).toEqual({
        ID: first,
        ClientID: null,
        State: 'running',
        Operation: 'update',
        Records: 1,
        RecordsDone: 0,
        RecordsFailed: 0,
        Users: 1,
        UsersDone: 0,
        UsersPerSecond: 0,
        SubmittedAt: moment,
        StartedAt: moment,
        EndedAt: null,
        EstimatedEnd: null,
        Counts: null,
      });
      expect(jobOf(queued)).toMatchObject({
        State: 'queued',
        UsersPerSecond: null,
        SubmittedAt: moment,
        StartedAt: null,
        EndedAt: null,
        EstimatedEnd: null,
      });
      return [first, second, third];
    });
    for (const id of ids) {
      const job = jobOf(await finished(service, id));
      expect(job).toMatchObject({ State: 'completed', RecordsDone: 1, RecordsFailed: 0, UsersDone: 1 });
      expect(job.EstimatedEnd).toBeNull();
      expect(job.UsersPerSecond).toBeGreaterThan(0);
      const moments = [job.SubmittedAt, job.StartedAt, job.EndedAt];
      expect(moments).toEqual(moments.toSorted());
    }
  });

  it('includes the numbers of processed and failed records and of processed users', async () => {
    const [free = 0, held = 0] = await insertPrincipals(service, 2);
    const id = await holding(service, principalLock(held), async ({ blocked }) => {
      const job = await submit(service, 'irs/update', [
        { ID: free, Users: [importedUser('count.1'), importedUser('count.2')] },
        { ID: held, Users: [importedUser('count.3')] },
        { ID: free, Users: [importedUser('count.4'), importedUser('count 5 '), importedUser('count.6')] },
      ]);
      await blocked(1);
      await expect.poll(async () => jobOf(await readJob(service, job)).UsersDone).toBe(5);
      const running = jobOf(await readJob(service, job));
      expect(running).toMatchObject({
        State: 'running',
        Records: 3,
        RecordsDone: 2,
        RecordsFailed: 1,
        Users: 6,
      });
      expect(running.EstimatedEnd).toEqual(moment);
      return job;
    });
    const job = jobOf(await finished(service, id));
    expect(job).toMatchObject({ Records: 3, RecordsDone: 3, RecordsFailed: 1, Users: 6, UsersDone: 6 });
  });

  it('is completed even if no chunk has ended for a day', async () => {
    const [held = 0] = await insertPrincipals(service, 1);
    const id = await holding(service, principalLock(held), async ({ blocked, connection }) => {
      const job = await submit(service, 'irs/update', [{ ID: held, Users: [importedUser(`idle ${held}`)] }]);
      await blocked(1);
      await connection.query(
        `update anagrafe.calls set recent_users = 1000, recent_at = now() - interval '1 day' where id = $1`,
        [job],
      );
      return job;
    });
    expect(jobOf(await finished(service, id))).toMatchObject({ State: 'completed', RecordsFailed: 0 });
  });

  it('is completed at submission if every record is refused, and no chunk is stored', async () => {
    const answer = await sendJob(service, 'irs/update', [
      { ID: 987_654, Users: [newUser('nowhere')] },
      { ID: principal, Users: [newUser('common', { Password: 'password', ConfirmPassword: 'password' })] },
    ]);
    expect(answer.status).toBe(202);
    expect(jobOf(answer)).toMatchObject({
      State: 'completed',
      RecordsDone: 2,
      RecordsFailed: 2,
      UsersDone: 2,
      UsersPerSecond: null,
      StartedAt: null,
      EndedAt: moment,
    });
    const { body } = await readJob(service, jobOf(answer).ID);
    expect(body.result?.records.map((tuple) => tuple.Item2)).toEqual([
      'PRINCIPAL_NOT_FOUND',
      'INVALID_USERS',
    ]);
    const waiting = 'select from anagrafe.chunks where call_id = $1';
    expect(await service.database.query(waiting, [jobOf(answer).ID])).toEqual([]);
  });
});
