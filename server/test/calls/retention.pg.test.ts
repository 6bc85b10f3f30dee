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
import { removeExpiredCalls } from '@anagrafe/testing/retention';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;
let serial = 0;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
});

const jobDays = 30;
const sweep = () => removeExpiredCalls(service.database);
const records = () => [
  { ID: principal, Users: [importedUser(`kept ${++serial}`)] },
  { ID: 987_654, Users: [] },
];

async function endedJob(headers: Record<string, string> = {}): Promise<string> {
  const id = await submit(service, 'irs/update', records(), headers);
  await finished(service, id);
  return id;
}

/** Moves the end of a call, or the expiry of its key, the given number of days into the past. */
const age = (id: string, column: 'ended_at' | 'key_expires_at', days: number) =>
  service.database.query(
    `update anagrafe.calls set ${column} = now() - make_interval(hours => $2) where id = $1`,
    [id, Math.round(days * 24)],
  );

async function outcomes(id: string): Promise<number> {
  return (await service.database.query('select from anagrafe.outcomes where call_id = $1', [id])).length;
}

describe('a job that has ended', () => {
  it('is kept for the configured number of days and then deleted with its outcomes', async () => {
    const [young, old] = [await endedJob(), await endedJob()];
    await age(young, 'ended_at', jobDays - 1);
    await age(old, 'ended_at', jobDays + 1);
    expect(await sweep()).toBe(1);
    expect((await readJob(service, young)).status).toBe(200);
    expect((await readJob(service, old)).body.errorCode).toBe('JOB_NOT_FOUND');
    expect([await outcomes(young), await outcomes(old)]).toEqual([2, 0]);
    expect(await sweep()).toBe(0);
  });

  it('is deleted even if an outcome is written while its outcomes are deleted', async () => {
    const id = await endedJob();
    await age(id, 'ended_at', jobDays + 1);
    const { database } = service;
    await database.query('create table late_outcomes as select * from anagrafe.outcomes where call_id = $1', [
      id,
    ]);
    await database.query(`create function write_late() returns trigger language plpgsql as $body$
      begin
        insert into anagrafe.outcomes select * from late_outcomes;
        delete from late_outcomes;
        return null;
      end $body$`);
    await database.query(
      `create trigger write_late after delete on anagrafe.outcomes
         for each statement when (pg_trigger_depth() = 0) execute function write_late()`,
    );
    try {
      expect(await sweep()).toBe(1);
      expect(await outcomes(id)).toBe(0);
      expect(await database.query('select from late_outcomes')).toEqual([]);
    } finally {
      await database.query('drop trigger write_late on anagrafe.outcomes');
      await database.query('drop function write_late');
      await database.query('drop table late_outcomes');
    }
  });

  it('is kept until its idempotency key expires, so that a retry is not applied again', async () => {
    const headers = { 'idempotency-key': 'outlives-the-job' };
    const sent = records();
    const first = await sendJob(service, 'irs/update', sent, headers);
    const { ID } = jobOf(first);
    await finished(service, ID);
    await age(ID, 'ended_at', jobDays + 1);
    expect(await sweep()).toBe(0);
    const again = await sendJob(service, 'irs/update', sent, headers);
    expect([again.headers.get('idempotency-replayed'), jobOf(again).ID]).toEqual(['true', ID]);
    await age(ID, 'key_expires_at', 0);
    expect(await sweep()).toBe(1);
  });

  it('is kept after its idempotency key has expired', async () => {
    const id = await endedJob({ 'idempotency-key': 'short-lived' });
    await age(id, 'key_expires_at', 1);
    expect(await sweep()).toBe(0);
    expect((await readJob(service, id)).status).toBe(200);
    const keys = await service.database.query(
      'select idempotency_key as key from anagrafe.calls where id = $1',
      [id],
    );
    expect(keys).toEqual([{ key: null }]);
  });
});

describe('a job that has not ended', () => {
  it('is never deleted, however old it is', async () => {
    const id = await holding(service, principalLock(principal), async ({ blocked }) => {
      const job = await submit(service, 'irs/update', records(), { 'idempotency-key': 'runs-for-long' });
      await blocked(1);
      await service.database.query(
        `update anagrafe.calls set submitted_at = now() - interval '1 year', started_at = now() - interval '1 year',
                key_expires_at = now() - interval '1 year' where id = $1`,
        [job],
      );
      expect(await sweep()).toBe(0);
      return job;
    });
    expect(jobOf(await finished(service, id)).RecordsDone).toBe(2);
  });
});

describe('a synchronous call', () => {
  const answered = async (requestId: string, headers: Record<string, string> = {}) => {
    await service.call('irs/update', records(), { headers: { 'x-request-id': requestId, ...headers } });
    const [call] = await service.database.query<{ id: string }>(
      `select call_id as id from anagrafe.audit_log where action = 'call.completed' and request_id = $1`,
      [requestId],
    );
    return call?.id ?? '';
  };

  it.each([
    ['with a key', { 'idempotency-key': 'kept' }],
    ['without one', {}],
  ])('%s is kept for as many days as a job and then deleted with its outcomes', async (what, headers) => {
    const id = await answered(`kept-${Object.keys(headers).length}`, headers);
    await age(id, 'key_expires_at', 1);
    await age(id, 'ended_at', jobDays - 1);
    expect([what, await sweep(), await outcomes(id)]).toEqual([what, 0, 2]);
    await age(id, 'ended_at', jobDays + 1);
    expect([what, await sweep(), await outcomes(id)]).toEqual([what, 1, 0]);
  });

  it('is kept beyond these days until its idempotency key expires', async () => {
    const id = await answered('remembered', { 'idempotency-key': 'remembered' });
    await age(id, 'ended_at', jobDays + 1);
    expect(await sweep()).toBe(0);
    expect(await outcomes(id)).toBe(2);
    await age(id, 'key_expires_at', 0);
    expect(await sweep()).toBe(1);
  });

  it('is deleted when its idempotency key expires if it was never completed', async () => {
    const id = await answered('cut-off', { 'idempotency-key': 'cut-off' });
    await service.database.query(`update anagrafe.calls set state = 'open', ended_at = null where id = $1`, [
      id,
    ]);
    expect(await sweep()).toBe(0);
    await age(id, 'key_expires_at', 0);
    expect([await sweep(), await outcomes(id)]).toEqual([1, 0]);
  });

  it('without a key is deleted as many days after its beginning if it was never completed', async () => {
    const id = await answered('without-end');
    const open = (days: number) =>
      service.database.query(
        `update anagrafe.calls
            set state = 'open', ended_at = null, submitted_at = now() - make_interval(days => $2) where id = $1`,
        [id, days],
      );
    await open(jobDays - 1);
    expect([await sweep(), await outcomes(id)]).toEqual([0, 2]);
    await open(jobDays + 1);
    expect([await sweep(), await outcomes(id)]).toEqual([1, 0]);
  });

  it('is deleted in one sweep together with all other expired calls', async () => {
    await service.database.query(
      `insert into anagrafe.calls (id, operation, state, idempotency_key, key_expires_at, ended_at)
       select gen_random_uuid(), 'update', 'completed', 'swept ' || n, now() - interval '1 minute',
              now() - make_interval(days => $1)
         from generate_series(1, 120) as n`,
      [jobDays],
    );
    expect(await sweep()).toBe(120);
  });
});
