import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/core/access/clients.ts';
import { openClients } from '../../src/storage/clients.ts';
import { insertPrincipals, newUser, startTestService } from '../setup/service.ts';
import { storedUsernames, wrongFigures } from './figures.ts';

/** One hash at a time, however many cores the machine has. */
const oneByOne = { ANAGRAFE_HASH_CONCURRENCY: '1' };

describe('more work than can be done in time', () => {
  const calls = 60;
  const usersPerCall = 20;

  it('is refused with 503 and a time to come back, while the rest is applied', async () => {
    const service = await startTestService({
      ...oneByOne,
      ANAGRAFE_HASH_PASSES: '4',
      ANAGRAFE_MAX_WAIT_SECONDS: '1',
    });
    const [ID = 0] = await insertPrincipals(service, 1);
    const namesOf = (call: number) =>
      Array.from({ length: usersPerCall }, (_, n) => `call ${call} user ${n}`);
    const flood = Array.from({ length: calls }, (_, n) =>
      service.call('irs/update', [{ ID, Users: namesOf(n).map((name) => newUser(name)) }]),
    );
    // A person who resets one password does not stand in the queue of the bulk.
    const single = service.call('irs/update', [{ ID, Users: [newUser('single')] }]);
    const answers = await Promise.all(flood);
    expect((await single).status).toBe(200);

    const refused = answers.filter((answer) => answer.status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(calls);
    for (const { status, headers, body } of refused) {
      expect([status, body.statusCode, body.errorCode, body.result]).toEqual([503, 503, 'OVERLOADED', null]);
      const seconds = headers.get('retry-after') ?? '';
      expect(seconds).toMatch(/^[1-9]\d*$/);
      expect(body.message).toContain(`${seconds} seconds`);
    }
    const applied = answers.flatMap((answer, n) => (answer.status === 200 ? namesOf(n) : []));
    expect(await storedUsernames(service.database)).toEqual(new Set([...applied, 'single']));
    expect(await wrongFigures(service.database)).toEqual([]);

    const again = answers.findIndex((answer) => answer.status === 503);
    const retry = await service.call('irs/update', [
      { ID, Users: namesOf(again).map((name) => newUser(name)) },
    ]);
    expect(retry.status).toBe(200);
    expect((await service.call('irs/update', [{ ID, Users: [newUser('later')] }])).status).toBe(200);
  });

  it('costs nothing where nothing is to be hashed', async () => {
    const service = await startTestService({ ...oneByOne, ANAGRAFE_MAX_WAIT_SECONDS: '1' });
    const [ID = 0] = await insertPrincipals(service, 1);
    const flood = Array.from({ length: 500 }, (_, n) =>
      service.call('irs/update', [{ ID, Users: [newUser(`user ${n}`, { ConfirmPassword: 'another' })] }]),
    );
    const statuses = new Set((await Promise.all(flood)).map((answer) => answer.status));
    expect(statuses).toEqual(new Set([422]));
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).not.toMatch(/^anagrafe_hash_duration_seconds_count/m);
  });
});

describe('more calls than a client may make', () => {
  const limit = 5;

  it('are refused with 429 and a time to come back, and store nothing', async () => {
    const service = await startTestService({ ANAGRAFE_CALLS_PER_MINUTE: String(limit) });
    const [ID = 0] = await insertPrincipals(service, 1);
    const answers = [];
    for (let n = 1; n <= limit + 3; n++)
      answers.push(await service.call('irs/update', [{ ID, Users: [newUser(`user ${n}`)] }]));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
    for (const { headers, body } of answers.slice(limit - 1)) {
      expect([body.statusCode, body.errorCode, body.result]).toEqual([429, 'RATE_LIMITED', null]);
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(body.message).toContain(`${seconds} seconds`);
    }
    expect(await storedUsernames(service.database)).toEqual(
      new Set(['user 1', 'user 2', 'user 3', 'user 4']),
    );
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  });

  it('are counted for each client apart', async () => {
    const service = await startTestService({ ANAGRAFE_CALLS_PER_MINUTE: String(limit) });
    const wish = { scopes: ['sync:read'] as const, networks: [], knownByAddress: false };
    const clients = await Promise.all(
      ['one', 'other'].map((name) => createClient({ ...wish, name }, openClients(service.database))),
    );
    const bearers = clients.map(({ client, secret }) => `Bearer ${client.publicKey}.${secret}`);
    const list = async (authorization: string | undefined) =>
      (await service.call('irs/list', {}, { headers: { authorization: authorization ?? '' } })).status;
    for (let n = 0; n < limit; n++) expect(await list(bearers[0])).toBe(200);
    expect(await list(bearers[0])).toBe(429);
    expect(await list(bearers[1])).toBe(200);
  });
});
