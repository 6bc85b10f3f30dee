import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/http/tuple.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { importedUser } from '../setup/jobs.ts';
import { type Answer, insertPrincipals, startTestService } from '../setup/service.ts';
import { masterKey } from '../setup/store.ts';
import { waitLimitMs } from '../setup/until.ts';
import { lookInto, startChild, usedData } from './child.ts';
import { countWrites, expectAppliedOnce, newPrincipals, newRecords, repeatedWrites, slowly } from './jobs.ts';
import { startOutside } from './outside.ts';
import { startProxy } from './proxy.ts';

const headers = { 'idempotency-key': 'the-one', prefer: 'return=representation' };

/** Who waits for the one that asks. */
const waiting =
  'select distinct pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';

/** A service whose connections can be cut, and one to its database that cannot. */
async function startBehindProxy() {
  const outside = await startOutside();
  const proxy = await startProxy(outside.url);
  const service = await startTestService({
    ANAGRAFE_DATABASE_URL: proxy.url,
    ANAGRAFE_MASTER_KEY: masterKey,
  });
  const database = openDatabase({
    connection: { connectionString: outside.url },
    poolSize: 3,
    onLostConnection: () => {},
  });
  return { proxy, service, database };
}

interface Answered {
  readonly status: number;
  readonly replayed: boolean;
  readonly tuples: readonly Tuple[];
}

/** Sends a call again for as long as it is said to be at work. */
async function untilAnswered(send: () => Promise<Response>): Promise<Answered> {
  for (const deadline = Date.now() + waitLimitMs; ; ) {
    const answer = await send();
    const { result, errorCode } = (await answer.json()) as Envelope<Tuple>;
    const { status } = answer;
    const replayed = answer.headers.get('idempotency-replayed') === 'true';
    if (status !== 409 || Date.now() > deadline) return { status, replayed, tuples: result?.records ?? [] };
    expect(errorCode).toBe('IDEMPOTENCY_IN_PROGRESS');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await sleep(250);
  }
}

it('a call with a key that a kill cut off is carried on when it is sent again', async () => {
  const data = await usedData();
  const first = await startChild(data, slowly);
  const sent = newRecords(await newPrincipals(first, 30), 2);
  await lookInto(data, countWrites);
  const cutOff = first.call('irs/update', sent, headers).then(
    (answer) => answer.status,
    () => 'none',
  );
  const usersOf = (data: string) =>
    lookInto(data, (database) => database.query('select id, username from anagrafe.users order by id'));
  await expect.poll(async () => (await usersOf(data)).length).toBeGreaterThan(6);
  expect(await first.end('SIGKILL')).toBe('SIGKILL');
  expect(await cutOff).toBe('none');

  const second = await startChild(data);
  const written = await usersOf(data);
  expect(written.length).toBeLessThan(60);
  const send = () => second.call('irs/update', sent, headers);
  const { status, replayed, tuples } = await untilAnswered(send);
  expect([status, replayed]).toEqual([200, false]);
  expect((await usersOf(data)).slice(0, written.length)).toEqual(written);
  await lookInto(data, async (database) => {
    await expectAppliedOnce(database, sent, tuples);
    expect(await repeatedWrites(database)).toEqual([]);
  });
  const again = await untilAnswered(send);
  expect([again.status, again.replayed, again.tuples]).toEqual([200, true, tuples]);
  await lookInto(data, async (database) => expect(await repeatedWrites(database)).toEqual([]));
});

it('a call with a key whose outcome is unknown is told when it is sent again', async () => {
  const { proxy, service, database } = await startBehindProxy();
  await countWrites(database);
  const sent = newRecords(await insertPrincipals(service, 3), 2);
  const [stored, lost, refused] = sent.map(({ ID }) => ID);
  const body = [...sent.slice(0, 2), { ID: refused, Users: [{ Username: 'no password' }] }];
  const lock = 'select from anagrafe.principals where id = $1 for update';

  // Both writes have come to the database, and nobody will hear what becomes of them: one is stored, one is not.
  let cutOff: Promise<Answer> | undefined;
  await database.transaction(async (losing) => {
    await losing.query(lock, [lost]);
    await database.transaction(async (storing) => {
      await storing.query(lock, [stored]);
      cutOff = service.call('irs/update', body, { headers });
      await expect.poll(() => storing.query(waiting)).toHaveLength(1);
      await expect.poll(() => losing.query(waiting)).toHaveLength(1);
      proxy.mute();
    });
    await expect.poll(() => database.query('select from anagrafe.users')).toHaveLength(2);
    const hangUp = `select pg_terminate_backend(pid) from (${waiting}) as waiting`;
    expect(await losing.query(hangUp)).toHaveLength(1);
  });
  proxy.cut();
  const unknown = await cutOff;
  expect(unknown?.status).toBe(500);
  expect(unknown?.body.result?.records.map((tuple) => tuple.Item2)).toEqual([
    'OUTCOME_UNKNOWN',
    'OUTCOME_UNKNOWN',
    'INVALID_USERS',
  ]);
  const written = await database.query('select id, username from anagrafe.users order by id');
  await proxy.restore();
  // As if the time had passed after which a call that nobody speaks of is in nobody's hands.
  await database.query(`update anagrafe.calls set in_hand_at = in_hand_at - interval '1 minute'`);

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
  const users = await database.query('select id, username from anagrafe.users order by id');
  expect(users.filter((user) => written.some(({ id }) => id === user.id))).toEqual(written);
  const again = await untilAnswered(send);
  expect([again.status, again.replayed, again.tuples]).toEqual([207, true, tuples]);
  await database.close();
  await service.stop();
});

it('a job whose commit nobody heard of is not said to be undone, and its key leads to it', async () => {
  const { proxy, service, database } = await startBehindProxy();
  const [ID = 0] = await insertPrincipals(service, 1);
  // Holds the commit of a job until the lock is free.
  await database.query(`
    create function public.hold() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
    create constraint trigger hold after insert on anagrafe.chunks deferrable initially deferred
      for each row execute function public.hold();`);
  const records = [{ ID, Users: [importedUser('heard of')] }];
  const asJob = { ...headers, prefer: 'respond-async' };
  let cutOff: Promise<Answer> | undefined;
  await database.transaction(async (holding) => {
    await holding.query('select pg_advisory_xact_lock(1)');
    cutOff = service.call('irs/update', records, { headers: asJob });
    await expect.poll(() => holding.query(waiting)).toHaveLength(1);
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
  await database.close();
  await service.stop();
});
