import { storedUsernames, wrongFigures } from '@anagrafe/testing/figures';
import { finished, holding, importedUser, principalLock, readJob, submit } from '@anagrafe/testing/jobs';
import { removeExpiredCalls } from '@anagrafe/testing/retention';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, expect, it } from 'vitest';

let service: TestService;
let principal: number;
beforeAll(async () => {
  service = await startTestService();
  // Without this, the scheduled sweep of the service, at minute 17 of every hour, could run before that of the test.
  await service.database.query(`delete from anagrafe_queue.schedule where name = 'retention'`);
  [principal = 0] = await insertPrincipals(service, 1);
});

let users = 0;
const records = () => [
  { ID: principal, Users: [importedUser(`user ${users++}`)] },
  { ID: 987_654, Users: [importedUser('refused')] },
];

/** Sends a call with an idempotency key and returns the call ID. */
async function keyedCall(key: string, body: unknown = records()): Promise<string> {
  const { status } = await service.call('irs/update', body, { headers: { 'idempotency-key': key } });
  expect(status).toBe(207);
  const rows = await service.database.query<{ id: string }>(
    'select id from anagrafe.calls where idempotency_key = $1',
    [key],
  );
  return rows[0]?.id ?? '';
}

async function endedJob(key?: string, body: unknown = records()): Promise<string> {
  const id = await submit(service, 'irs/update', body, key === undefined ? {} : { 'idempotency-key': key });
  await finished(service, id);
  return id;
}

const setBack = (id: string, column: 'ended_at' | 'key_expires_at' | 'submitted_at', interval: string) =>
  service.database.query(`update anagrafe.calls set ${column} = now() - $2::interval where id = $1`, [
    id,
    interval,
  ]);

async function keptOf(ids: readonly string[]): Promise<{ calls: string[]; outcomes: string[] }> {
  const [calls, outcomes] = await Promise.all([
    service.database.query<{ id: string }>('select id from anagrafe.calls where id = any($1)', [ids]),
    service.database.query<{ id: string }>(
      'select distinct call_id as id from anagrafe.outcomes where call_id = any($1)',
      [ids],
    ),
  ]);
  const inOrder = (rows: { id: string }[]) => ids.filter((id) => rows.some((row) => row.id === id));
  return { calls: inOrder(calls), outcomes: inOrder(outcomes) };
}

it('the sweep deletes calls and jobs whose retention has passed, with their outcomes, and no others', async () => {
  const oldCall = await keyedCall('old-call');
  const call = await keyedCall('call');
  const oldJob = await endedJob();
  const job = await endedJob();
  const jobOfLiveKey = await endedJob('live-key');
  const sent = records();
  const jobOfOldKey = await endedJob('old-key', sent);
  await setBack(oldCall, 'key_expires_at', '1 second');
  await setBack(oldCall, 'ended_at', '30 days 1 second');
  await setBack(oldJob, 'ended_at', '30 days 1 second');
  await setBack(job, 'ended_at', '29 days 23 hours');
  await setBack(jobOfLiveKey, 'ended_at', '300 days');
  await setBack(jobOfOldKey, 'key_expires_at', '1 second');
  const names = await storedUsernames(service.database);

  const runningJob = await holding(service, principalLock(principal), async () => {
    const id = await submit(service, 'irs/update', records());
    await setBack(id, 'submitted_at', '300 days');
    expect(await removeExpiredCalls(service.database)).toBe(2);
    return id;
  });
  const kept = [call, job, jobOfLiveKey, jobOfOldKey];
  expect(await keptOf([oldCall, oldJob, ...kept])).toEqual({ calls: kept, outcomes: kept });
  expect((await readJob(service, oldJob)).status).toBe(404);
  expect((await readJob(service, job)).body.result?.records).toHaveLength(2);
  const { body } = await finished(service, runningJob);
  expect(body.result?.records.map((tuple) => tuple.Item3)).toEqual([true, false]);

  // The users stay. An expired key can be used again while its job is still readable.
  for (const name of names) expect(await storedUsernames(service.database)).toContain(name);
  expect(await wrongFigures(service.database)).toEqual([]);
  expect(await endedJob('old-key', sent)).not.toBe(jobOfOldKey);
  expect((await readJob(service, jobOfOldKey)).status).toBe(200);
  expect(await removeExpiredCalls(service.database)).toBe(0);
});

it('several nodes that sweep at the same time delete each expired call once', async () => {
  await service.database.query(
    `with calls as (
       insert into anagrafe.calls (id, operation, state, fingerprint, idempotency_key, key_expires_at, ended_at)
       select gen_random_uuid(), 'update', 'completed', '\\x00', 'many ' || n, now() - interval '1 hour',
              now() - interval '31 days'
         from generate_series(1, 333) as n returning id)
     insert into anagrafe.outcomes (call_id, position, users, applied)
     select id, position, 0, '[]' from calls, generate_series(0, 3) as position`,
  );
  const swept = await Promise.all([1, 2, 3].map(() => removeExpiredCalls(service.database)));
  expect(swept.reduce((sum, count) => sum + count)).toBe(333);
  const lost = 'select from anagrafe.outcomes where call_id not in (select id from anagrafe.calls)';
  expect(await service.database.query(lost)).toEqual([]);
});
