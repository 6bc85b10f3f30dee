import { childStore, startChild } from '@anagrafe/testing/child';
import { holding, importedUser } from '@anagrafe/testing/jobs';
import { startProxy } from '@anagrafe/testing/proxy';
import { type Answer, insertPrincipals, startTestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/records/read/tuple.ts';
import { countWrites, expectAppliedOnce, newPrincipals, newRecords, repeatedWrites } from './jobs.ts';
import { lockPrincipals } from './row-lock.ts';

const headers = { 'idempotency-key': 'the-one', prefer: 'return=representation' };

/** Starts a service that reaches its database through a proxy; the connections of the test do not use the proxy. */
async function startBehindProxy() {
  const store = await childStore();
  const proxy = await startProxy(store.url);
  const service = await startTestService({ ...store.settings, ANAGRAFE_DATABASE_URL: proxy.url });
  return { proxy, service, ...store };
}

interface Answered {
  readonly status: number;
  readonly replayed: boolean;
  readonly tuples: readonly Tuple[];
}

/** Retries a call while the answer is IDEMPOTENCY_IN_PROGRESS. */
async function untilAnswered(send: () => Promise<Response>): Promise<Answered> {
  let answered: Answered | undefined;
  await until(async () => {
    const answer = await send();
    const { result, errorCode } = (await answer.json()) as Envelope<Tuple>;
    const { status } = answer;
    if (status === 409) {
      expect(errorCode).toBe('IDEMPOTENCY_IN_PROGRESS');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      return false;
    }
    const replayed = answer.headers.get('idempotency-replayed') === 'true';
    answered = { status, replayed, tuples: result?.records ?? [] };
    return true;
  });
  return answered as unknown as Answered;
}

/** Makes the lease of the open call expire, as 16 s without renewal would. */
const expireLease = `update anagrafe.calls set lease_renewed_at = lease_renewed_at - interval '1 minute'`;
const usersById = 'select id, username from anagrafe.users order by id';

it('a retry with the same key continues a call that was interrupted by a kill', async () => {
  const { settings, url, database } = await childStore();
  const first = await startChild(settings);
  const principals = await newPrincipals(first, 12);
  const sent = newRecords(principals, { hashed: 1, imported: 1 });
  await countWrites(database);
  const lock = await lockPrincipals(url, principals.slice(-4));
  const cutOff = first.call('irs/update', sent, headers).then(
    (answer) => answer.status,
    () => 'none',
  );
  await lock.blocked(4);
  await expect.poll(() => database.query(usersById)).toHaveLength(16);
  expect(await first.end('SIGKILL')).toBe('SIGKILL');
  expect(await cutOff).toBe('none');
  // PostgreSQL still runs the statements of the killed service; without this it would store their records. On a slow
  // machine the time limit may have ended one of them already.
  expect(await lock.terminateBlocked()).toBeGreaterThan(0);
  await lock.release();
  const written = await database.query(usersById);
  expect(written).toHaveLength(16);

  const second = await startChild(settings);
  const send = () => second.call('irs/update', sent, headers);
  await database.query(expireLease);
  const { status, replayed, tuples } = await untilAnswered(send);
  expect([status, replayed]).toEqual([200, false]);
  expect((await database.query(usersById)).filter(({ id }) => written.some((one) => one.id === id))).toEqual(
    written,
  );
  await expectAppliedOnce(database, sent, tuples);
  expect(await repeatedWrites(database)).toEqual([]);
  const again = await untilAnswered(send);
  expect([again.status, again.replayed, again.tuples]).toEqual([200, true, tuples]);
  expect(await repeatedWrites(database)).toEqual([]);
});

it('a retry with the same key gets IDEMPOTENCY_IN_PROGRESS until the lease of a killed service has expired', async () => {
  const { settings, url, database } = await childStore();
  const first = await startChild(settings);
  const principals = await newPrincipals(first, 1);
  const lock = await lockPrincipals(url, principals);
  const sent = newRecords(principals, { imported: 1 });
  const cutOff = first.call('irs/update', sent, headers).catch(() => 'none');
  await lock.blocked(1);
  // A renewal in the future keeps the lease valid for as long as the test takes.
  await database.query(`update anagrafe.calls set lease_renewed_at = now() + interval '1 hour'`);
  await first.end('SIGKILL');
  expect(await cutOff).toBe('none');
  await lock.terminateBlocked();
  await lock.release();

  const second = await startTestService(settings);
  const refused = await second.call('irs/update', sent, { headers });
  expect([refused.status, refused.body.errorCode]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
  expect(await database.query(usersById)).toEqual([]);
  await database.query(`update anagrafe.calls set lease_renewed_at = now() - interval '1 minute'`);
  expect((await second.call('irs/update', sent, { headers })).status).toBe(200);
  await second.stop();
});

it('a retry with the same key returns the outcomes that were unknown to the first call', async () => {
  const { proxy, service, database } = await startBehindProxy();
  await countWrites(database);
  const sent = newRecords(await insertPrincipals(service, 3), { hashed: 1, imported: 1 });
  const refused = sent[2]?.ID;
  const body = [...sent.slice(0, 2), { ID: refused, Users: [{ Username: 'no password' }] }];

  // PostgreSQL receives two writes and stores only one of them; the service receives neither answer.
  let cutOff: Promise<Answer> | undefined;
  // Blocks the statements that are sent together with the commit.
  const rowCounts = ['lock table anagrafe.row_counts in share mode'] as const;
  await holding({ database }, rowCounts, async ({ blocked, connection }) => {
    cutOff = service.call('irs/update', body, { headers });
    await blocked(2);
    proxy.mute();
    await connection.query(`select pg_terminate_backend(min(pid))
      from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`);
  });
  await expect.poll(() => database.query('select from anagrafe.users')).toHaveLength(2);
  proxy.cut();
  const unknown = await cutOff;
  expect(unknown?.status).toBe(500);
  expect(unknown?.body.result?.records.map((tuple) => tuple.Item2)).toEqual([
    'OUTCOME_UNKNOWN',
    'OUTCOME_UNKNOWN',
    'INVALID_USERS',
  ]);
  const written = await database.query(usersById);
  await proxy.restore();
  await database.query(expireLease);

  const send = () =>
    fetch(`${service.url}/api/sync/v1/irs/update`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const { status, tuples } = await untilAnswered(send);
  expect(status).toBe(207);
  expect(tuples[2]).toMatchObject({ Item1: refused, Item2: 'INVALID_USERS', Item3: false });
  await expectAppliedOnce(database, sent.slice(0, 2), tuples.slice(0, 2));
  expect(await repeatedWrites(database)).toEqual([]);
  const users = await database.query(usersById);
  expect(users.filter((user) => written.some(({ id }) => id === user.id))).toEqual(written);
  const again = await untilAnswered(send);
  expect([again.status, again.replayed, again.tuples]).toEqual([207, true, tuples]);
  await service.stop();
});

it('a retry with the same key succeeds as soon as the database is back after a short outage', async () => {
  const { proxy, service, settings, url, database } = await startBehindProxy();
  const principals = await insertPrincipals(service, 1);
  const lock = await lockPrincipals(url, principals);
  const sent = newRecords(principals, { imported: 1 });
  const cutOff = service.call('irs/update', sent, { headers });
  await lock.blocked(1);
  proxy.cut();
  expect((await cutOff).body.result?.records[0]?.Item2).toBe('NOT_APPLIED');
  await proxy.restore();
  expect(await lock.terminateBlocked()).toBe(1);
  await lock.release();
  // The column is null once the service has released the lease; an expired lease keeps its ID.
  const held = 'select lease_id as lease from anagrafe.calls where idempotency_key is not null';
  await expect.poll(() => database.query(held)).toEqual([{ lease: null }]);
  const other = await startTestService(settings);
  expect((await other.call('irs/update', sent, { headers })).status).toBe(200);
  await expectAppliedOnce(
    database,
    sent,
    (await other.call('irs/update', sent, { headers })).body.result?.records ?? [],
  );
  await other.stop();
  await service.stop();
});

it('a job whose commit was not confirmed is answered with OUTCOME_UNKNOWN, and a retry with the same key returns it', async () => {
  const { proxy, service, database } = await startBehindProxy();
  const [ID = 0] = await insertPrincipals(service, 1);
  // This trigger blocks the commit of a job until the advisory lock is free.
  await database.query(`
    create function public.hold() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
    create constraint trigger hold after insert on anagrafe.chunks deferrable initially deferred
      for each row execute function public.hold();`);
  const records = [{ ID, Users: [importedUser('heard of')] }];
  const asJob = { ...headers, prefer: 'respond-async' };
  let cutOff: Promise<Answer> | undefined;
  await holding({ database }, ['select pg_advisory_xact_lock(1)'], async ({ blocked }) => {
    cutOff = service.call('irs/update', records, { headers: asJob });
    await blocked(1);
    proxy.mute();
  });
  await expect.poll(() => database.query('select from anagrafe.chunks')).toHaveLength(1);
  proxy.cut();
  const unknown = await cutOff;
  expect([unknown?.status, unknown?.body.errorCode]).toEqual([500, 'OUTCOME_UNKNOWN']);
  await proxy.restore();
  const again = await service.call('irs/update', records, { headers: asJob });
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
  await expect.poll(() => database.query('select from anagrafe.users')).toHaveLength(1);
  await service.stop();
});
