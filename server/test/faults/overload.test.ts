import { stopClock } from '@anagrafe/testing/clock';
import { storedUsernames, wrongFigures } from '@anagrafe/testing/figures';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient } from '../../src/clients/clients.ts';

/** Reads the hashes per second that the service has measured for itself. */
async function hashCapacity(service: TestService): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const capacity = Number(/^anagrafe_hash_capacity\S* (\S+)/m.exec(metrics)?.[1]);
  expect(capacity).toBeGreaterThan(0);
  return capacity;
}

async function hashesWaiting(service: TestService): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^anagrafe_hash_lane_length\{lane="bulk"\} (\d+)/m.exec(metrics)?.[1]);
}

/** Counts the statements that wait for the lock of a table or sequence. */
async function waitsFor(service: TestService, relation: string): Promise<number> {
  const waiting = await service.database.query(
    `select from pg_locks where relation = $1::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`,
    [relation],
  );
  return waiting.length;
}

const namesOf = (call: string, count: number) => Array.from({ length: count }, (_, n) => `${call} user ${n}`);
const usersOf = (names: readonly string[]) => names.map((name) => newUser(name));

describe('a call that would wait too long for its hashes', () => {
  it('gets 503 with Retry-After, while earlier calls and single passwords are applied', async () => {
    const service = await startTestService({
      ANAGRAFE_HASH_MEMORY_KIB: '19456',
      ANAGRAFE_MAX_WAIT_SECONDS: '1',
    });
    const [ID = 0] = await insertPrincipals(service, 1);
    // By the estimate of the service these hashes take 8 s, while a call may wait 1 s, on a machine of any speed.
    const long = namesOf('long', Math.min(Math.max(Math.ceil(8 * (await hashCapacity(service))), 8), 1000));
    const applied = service.call('irs/update', [{ ID, Users: usersOf(long) }]);
    await until(async () => (await hashesWaiting(service)) > 0);
    const refused = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        service.call('irs/update', [{ ID, Users: usersOf(namesOf(`refused ${n}`, 2)) }]),
      ),
    );
    const single = await service.call('irs/update', [{ ID, Users: [newUser('single')] }]);

    for (const { status, headers, body } of refused) {
      expect([status, body.statusCode, body.errorCode, body.result]).toEqual([503, 503, 'OVERLOADED', null]);
      const seconds = headers.get('retry-after') ?? '';
      expect(seconds).toMatch(/^[1-9]\d*$/);
      expect(body.message).toContain(`after ${seconds} s.`);
    }
    expect(single.status).toBe(200);
    expect((await applied).status).toBe(200);
    expect(await storedUsernames(service.database)).toEqual(new Set([...long, 'single']));
    expect(await wrongFigures(service.database)).toEqual([]);

    const retry = await service.call('irs/update', [{ ID, Users: usersOf(namesOf('refused 0', 2)) }]);
    expect(retry.status).toBe(200);
  });

  it('gets 503 while a call that was admitted before it has not queued its passwords yet', async () => {
    const service = await startTestService({
      ANAGRAFE_HASH_MEMORY_KIB: '19456',
      ANAGRAFE_MAX_WAIT_SECONDS: '1',
    });
    const [ID = 0] = await insertPrincipals(service, 1);
    // No hash runs until the other call is refused, so that 5 s by the estimate are above the limit of 4 s for many passwords.
    const count = Math.min(Math.max(Math.ceil(5 * (await hashCapacity(service))), 8), 1000);
    const send = (call: string) => service.call('irs/update', [{ ID, Users: usersOf(namesOf(call, count)) }]);
    let admitted: ReturnType<typeof send> | undefined;
    await service.database.transaction(async (connection) => {
      // The lock of the sequence stops the call at the reservation of IDs, after its admission.
      await connection.query('alter sequence anagrafe.users_id_seq increment by 1');
      admitted = send('one');
      await until(async () => (await waitsFor(service, 'anagrafe.users_id_seq')) === 1);
      expect((await send('other')).status).toBe(503);
      expect(await hashesWaiting(service)).toBe(0);
    });
    expect((await admitted)?.status).toBe(200);
    expect((await storedUsernames(service.database)).size).toBe(count);
    expect(await wrongFigures(service.database)).toEqual([]);
  });

  it('leaves no reservation behind, whatever its end', async () => {
    const service = await startTestService({
      ANAGRAFE_HASH_MEMORY_KIB: '19456',
      ANAGRAFE_MAX_WAIT_SECONDS: '1',
    });
    const [ID = 0] = await insertPrincipals(service, 1);
    const count = Math.min(Math.max(Math.ceil(8 * (await hashCapacity(service))), 8), 1000);
    const users = usersOf(namesOf('user', count));
    // Each call is admitted and then refused by the check: there is no such principal.
    for (let n = 0; n < 3; n++)
      expect((await service.call('irs/update', [{ ID: ID + 1000, Users: users }])).status).toBe(422);
    expect((await service.call('irs/update', [{ ID, Users: users.slice(0, 2) }])).status).toBe(200);
  });

  it('is processed if it has no password to hash', async () => {
    const service = await startTestService({ ANAGRAFE_MAX_WAIT_SECONDS: '1' });
    const [ID = 0] = await insertPrincipals(service, 1);
    const flood = Array.from({ length: 300 }, (_, n) =>
      service.call('irs/update', [{ ID, Users: [newUser(`user ${n}`, { ConfirmPassword: 'another' })] }]),
    );
    const statuses = new Set((await Promise.all(flood)).map((answer) => answer.status));
    expect(statuses).toEqual(new Set([422]));
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).not.toMatch(/^anagrafe_hash_duration_seconds_count/m);
  });
});

describe('the log of a service that refuses many calls', () => {
  interface LogLine {
    readonly level: string;
    readonly msg: string;
    readonly code?: string;
    readonly route?: string;
    readonly reqId?: string;
    readonly further?: number;
  }

  /** The lines about refused calls, and the number of calls that they stand for. */
  function rejectionsIn({ log }: TestService, route: string) {
    const lines = log
      .map((line) => JSON.parse(line) as LogLine)
      .filter((line) => line.code === 'OVERLOADED' && line.route === route);
    return { lines, count: lines.reduce((sum, { further = 1 }) => sum + further, 0) };
  }

  it('counts the refused calls of each route instead of a line for each, and the metrics count all', async () => {
    const service = await startTestService({
      ANAGRAFE_HASH_MEMORY_KIB: '19456',
      ANAGRAFE_MAX_WAIT_SECONDS: '1',
    });
    const [ID = 0] = await insertPrincipals(service, 1);
    const route = (path: string) => `POST /api/sync/v1/irs/${path}`;
    const count = Math.min(Math.max(Math.ceil(24 * (await hashCapacity(service))), 8), 1000);
    let refused = 0;
    let admitted: ReturnType<typeof service.call> | undefined;
    await service.database.transaction(async (connection) => {
      // The admitted call waits for this lock, and its reservation refuses all others. It ends without a hash, because
      // there is no such principal.
      await connection.query('lock table anagrafe.principals in access exclusive mode');
      admitted = service.call('irs/update', [{ ID: ID + 1000, Users: usersOf(namesOf('admitted', count)) }]);
      await until(async () => (await waitsFor(service, 'anagrafe.principals')) > 0);
      const flood = Array.from({ length: 40 }, (_, n) =>
        service.call('irs/update', [{ ID, Users: usersOf(namesOf(`refused ${n}`, 2)) }]),
      );
      const other = await service.call('irs/insert', [
        { Denomination: 'refused', Users: usersOf(namesOf('refused insert', 2)) },
      ]);
      expect(other.status).toBe(503);
      // Another route has a line of its own at once, during the flood.
      expect(rejectionsIn(service, route('insert')).lines).toMatchObject([{ msg: 'request rejected' }]);
      refused = (await Promise.all(flood)).filter(({ status }) => status === 503).length;
      expect(refused).toBe(40);
    });
    expect((await admitted)?.status).toBe(422);
    await expect.poll(() => rejectionsIn(service, route('update')).count).toBe(refused);
    const { lines } = rejectionsIn(service, route('update'));
    expect(lines[0]).toMatchObject({ level: 'warn', msg: 'request rejected', reqId: expect.any(String) });
    expect(lines.slice(1).every(({ msg }) => msg === 'further requests rejected')).toBe(true);
    expect(lines.length).toBeLessThan(refused / 2);
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(
      new RegExp(
        `^anagrafe_call_duration_seconds_count\\{route="/api/sync/v1/irs/update".*status="503"\\} ${refused}$`,
        'm',
      ),
    );
  });
});

describe('calls above the rate limit', () => {
  const limit = 5;

  it('get 429 with Retry-After and store nothing', async () => {
    const service = await startTestService({ ANAGRAFE_CALLS_PER_MINUTE: String(limit) });
    stopClock();
    const [ID = 0] = await insertPrincipals(service, 1);
    const names = Array.from({ length: limit + 3 }, (_, n) => `user ${n}`);
    const answers = await Promise.all(
      names.map((name) => service.call('irs/update', [{ ID, Users: [importedUser(name)] }])),
    );
    const refused = answers.filter((answer) => answer.status !== 200);
    // The first call of the minute inserted the principal.
    expect(refused).toHaveLength(names.length - (limit - 1));
    for (const { status, headers, body } of refused) {
      expect([status, body.statusCode, body.errorCode, body.result]).toEqual([
        429,
        429,
        'RATE_LIMITED',
        null,
      ]);
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(body.message).toContain(`after ${seconds} s.`);
    }
    const applied = names.filter((_, n) => answers[n]?.status === 200);
    expect(await storedUsernames(service.database)).toEqual(new Set(applied));
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    await expect.poll(async () => (await fetch(`${service.url}/health/ready`)).status).toBe(200);
  });

  it('are counted separately for each client', async () => {
    const service = await startTestService({ ANAGRAFE_CALLS_PER_MINUTE: String(limit) });
    stopClock();
    const options = { scopes: ['sync:read'] as const, networks: [], knownByAddress: false };
    const clients = await Promise.all(
      ['one', 'other'].map((name) =>
        createClient({ ...options, name }, openClientStore(service.database), operatorActor),
      ),
    );
    const bearers = clients.map(({ client, secret }) => `Bearer ${client.publicKey}.${secret}`);
    const list = async (authorization: string | undefined) =>
      (await service.call('irs/list', {}, { headers: { authorization: authorization ?? '' } })).status;
    const statuses = await Promise.all(Array.from({ length: limit + 1 }, () => list(bearers[0])));
    expect(statuses.toSorted()).toEqual([...Array(limit).fill(200), 429]);
    expect(await list(bearers[1])).toBe(200);
  });
});
