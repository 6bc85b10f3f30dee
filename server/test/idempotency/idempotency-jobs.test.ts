import { setTimeout as sleep } from 'node:timers/promises';
import {
  finished,
  holding,
  importedUser,
  jobOf,
  principalLock,
  readJob,
  sendJob,
} from '@anagrafe/testing/jobs';
import { type Answer, insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;
let serial = 0;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

const records = (username: string) => [{ ID: principal, Users: [importedUser(username)] }];
const newKey = () => `job-key-${++serial}`;
const send = (key: string, body: unknown, path = 'irs/update') =>
  sendJob(service, path, body, { 'idempotency-key': key });

const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

async function jobCount(): Promise<number> {
  const { body } = await service.call('jobs', undefined, { method: 'GET' });
  return body.result?.totalCount ?? -1;
}

describe('a job that is sent again with its Idempotency-Key', () => {
  it('returns the same job in its current state', async () => {
    const key = newKey();
    const first = await send(key, records('one job'));
    expect([first.status, replayed(first)]).toEqual([202, false]);
    const { ID } = jobOf(first);
    const ended = await finished(service, ID);
    const before = await jobCount();
    const again = await send(key, records('one job'));
    expect([again.status, replayed(again)]).toEqual([202, true]);
    for (const name of ['location', 'preference-applied', 'content-language'])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(again.body.message).toBe(first.body.message);
    expect(jobOf(again)).toEqual(jobOf(ended));
    expect(await jobCount()).toBe(before);
    expect((await finished(service, ID)).text).toBe(ended.text);
  });

  it('returns the same job while it runs and after it was cancelled', async () => {
    const key = newKey();
    const id = await holding(service, principalLock(principal), async ({ blocked }) => {
      const { ID } = jobOf(await send(key, records('while it runs')));
      await blocked(1);
      expect(jobOf(await send(key, records('while it runs')))).toMatchObject({ ID, State: 'running' });
      await service.call(`jobs/${ID}`, undefined, { method: 'DELETE' });
      return ID;
    });
    await finished(service, id);
    const again = await send(key, records('while it runs'));
    expect([again.status, jobOf(again).ID, jobOf(again).State]).toEqual([202, id, 'cancelled']);
  });

  it('leaves the job running if its key has expired, and is another job', async () => {
    const key = newKey();
    const ids = await holding(service, principalLock(principal), async ({ blocked }) => {
      const { ID } = jobOf(await send(key, records('before the expiry')));
      await blocked(1);
      await service.database.query('update anagrafe.calls set key_expires_at = now() where id = $1', [ID]);
      const second = jobOf(await send(key, records('after the expiry'))).ID;
      expect(jobOf(await readJob(service, ID))).toMatchObject({ State: 'running', EndedAt: null });
      return [ID, second];
    });
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(jobOf(await finished(service, id))).toMatchObject({ RecordsFailed: 0 });
  });

  it('returns the same job even without Prefer: respond-async', async () => {
    const key = newKey();
    const first = await send(key, records('preference later'));
    const plain = await service.call('irs/update', records('preference later'), {
      headers: { 'idempotency-key': key },
    });
    expect([plain.status, replayed(plain), jobOf(plain).ID]).toEqual([202, true, jobOf(first).ID]);
  });

  it('returns the stored answer if the first call was synchronous', async () => {
    const key = newKey();
    const init = { headers: { 'idempotency-key': key } };
    const first = await service.call('irs/update', records('answered before'), init);
    const before = await jobCount();
    const again = await send(key, records('answered before'));
    expect([again.status, again.text, replayed(again)]).toEqual([200, first.text, true]);
    expect(again.headers.get('location')).toBeNull();
    expect(again.headers.get('preference-applied')).toBeNull();
    expect(await jobCount()).toBe(before);
  });

  it('is refused with another body and on another path', async () => {
    const key = newKey();
    await send(key, records('this body'));
    const before = await jobCount();
    for (const answer of [
      await send(key, records('that body')),
      await send(key, records('this body'), 'irs/insert'),
    ]) {
      expect([answer.status, answer.body.errorCode]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      expect(answer.headers.get('location')).toBeNull();
    }
    expect(await jobCount()).toBe(before);
  });

  it('creates one job if it is sent twenty times concurrently', async () => {
    const key = newKey();
    const [before] = await service.database.query('select count(*) from anagrafe.principals');
    const jobsBefore = await jobCount();
    const sendUntilTaken = async () => {
      for (;;) {
        const answer = await send(key, [{ Denomination: 'At once' }, { Denomination: '' }], 'irs/insert');
        if (answer.status !== 409) return answer;
        expect(answer.headers.get('retry-after')).toBe('2');
        await sleep(20);
      }
    };
    const answers = await Promise.all(Array.from({ length: 20 }, sendUntilTaken));
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(202));
    expect(new Set(answers.map((answer) => jobOf(answer).ID)).size).toBe(1);
    expect(answers.filter((answer) => !replayed(answer))).toHaveLength(1);
    expect(await jobCount()).toBe(jobsBefore + 1);
    const ended = await finished(service, jobOf(answers[0] as Answer).ID);
    expect(jobOf(ended)).toMatchObject({ Records: 2, RecordsDone: 2, RecordsFailed: 1 });
    const [after] = await service.database.query('select count(*) - 1 as count from anagrafe.principals');
    expect(after).toEqual(before);
  });

  it('creates a new job after the key has expired, and the old job is kept', async () => {
    const key = newKey();
    const first = await send(key, records('expires'));
    await finished(service, jobOf(first).ID);
    await service.database.query(
      `update anagrafe.calls set key_expires_at = now() - interval '1 second' where idempotency_key = $1`,
      [key],
    );
    const second = await send(key, records('expires'));
    expect([second.status, replayed(second)]).toEqual([202, false]);
    expect(jobOf(second).ID).not.toBe(jobOf(first).ID);
    expect((await readJob(service, jobOf(first).ID)).status).toBe(200);
  });

  it('returns the same job if every record was refused', async () => {
    const key = newKey();
    const body = [{ ID: 987_654, Users: [importedUser('nowhere')] }];
    const first = await send(key, body);
    const again = await send(key, body);
    expect([first.status, again.status, replayed(again)]).toEqual([202, 202, true]);
    expect(jobOf(again)).toEqual(jobOf(first));
    expect(jobOf(again)).toMatchObject({ State: 'completed', RecordsFailed: 1 });
  });
});

describe('a partially applied call with a key that is sent again as a job', () => {
  it('continues as a job, and applied records are not applied twice', async () => {
    const [free = 0, held = 0] = await insertPrincipals(service, 2);
    const body = [
      { ID: free, Users: [importedUser('begun at once')] },
      { ID: held, Users: [importedUser('begun later')] },
    ];
    const key = newKey();
    await holding(service, principalLock(held), async ({ blocked, connection }) => {
      const answer = service.call('irs/update', body, { headers: { 'idempotency-key': key } });
      await blocked(1);
      await connection.query(
        'select pg_cancel_backend(pid) from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
      );
      expect((await answer).status).toBe(207);
    });
    const taken = await send(key, body);
    expect([taken.status, replayed(taken)]).toEqual([202, false]);
    const ended = await finished(service, jobOf(taken).ID);
    expect(ended.body.result?.records.map((tuple) => [tuple.Item1, tuple.Item3])).toEqual([
      [free, true],
      [held, true],
    ]);
    expect(jobOf(ended)).toMatchObject({ Records: 2, RecordsDone: 2, RecordsFailed: 0, Users: 2 });
  });
});
