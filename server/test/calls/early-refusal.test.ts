import { describe, expect, it, vi } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClients } from '../../src/clients/clients.store.ts';
import { createClient, revokeClient } from '../../src/clients/clients.ts';
import { storedUsernames } from '../faults/figures.ts';
import { stopClock } from '../setup/clock.ts';
import { insertPrincipals, newUser, startTestService, type TestService } from '../setup/service.ts';
import { until } from '../setup/until.ts';

type Headers = Record<string, string>;

/** A service whose callers are refused if their passwords would wait for 4 s. The cost makes that few passwords. */
const start = (settings: Record<string, string> = {}) =>
  startTestService({ ANAGRAFE_HASH_MEMORY_KIB: '19456', ANAGRAFE_MAX_WAIT_SECONDS: '1', ...settings });

const usersOf = (call: string, count: number) =>
  Array.from({ length: count }, (_, n) => newUser(`${call} user ${n}`));

/** Sends a call with two passwords, which is refused while `duringOverload` runs its work. */
const sendTwo = (service: TestService, ID: number, call: string, headers: Headers = {}) =>
  service.call('irs/update', [{ ID, Users: usersOf(call, 2) }], { headers });

/** Counts the statements that wait for the lock of a table. */
async function waitsFor(service: TestService, table: string): Promise<number> {
  const waiting = await service.database.query(
    `select from pg_locks where relation = $1::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`,
    [table],
  );
  return waiting.length;
}

/**
 * Runs `work` while a call has so many places in the hash queue that further calls of its client are refused. The call
 * waits for a lock, and ends without a hash: there is no such principal.
 */
async function duringOverload(
  service: TestService,
  work: () => Promise<void>,
  headers: Headers = {},
): Promise<void> {
  const metrics = await (await fetch(`${service.url}/metrics`, { headers })).text();
  const capacity = Number(/^anagrafe_hash_capacity\S* (\S+)/m.exec(metrics)?.[1]);
  const count = Math.min(Math.max(Math.ceil(8 * capacity), 8), 1000);
  let admitted: ReturnType<typeof service.call> | undefined;
  await service.database.transaction(async (connection) => {
    await connection.query('lock table anagrafe.principals in access exclusive mode');
    const record = { ID: 1_000_000, Users: usersOf('admitted', count) };
    admitted = service.call('irs/update', [record], { headers });
    await until(async () => (await waitsFor(service, 'anagrafe.principals')) > 0);
    await work();
  });
  expect((await admitted)?.status).toBe(422);
}

/** Runs `work` while every query that authenticates a caller waits. */
async function withoutAuthentication(service: TestService, work: () => Promise<void>): Promise<void> {
  await service.database.transaction(async (connection) => {
    await connection.query('lock table anagrafe.clients in access exclusive mode');
    await work();
  });
}

async function newClient(service: TestService, name: string) {
  const options = { name, scopes: ['sync:write', 'admin'] as const, networks: [], knownByAddress: false };
  const { client, secret } = await createClient(options, openClients(service.database), operatorActor);
  const headersFor = (sent: string) => ({ authorization: `Bearer ${client.publicKey}.${sent}` });
  return { publicKey: client.publicKey, headers: headersFor(secret), headersFor };
}

describe('a call that is refused because of overload, after another of its caller', () => {
  it('needs no query, and has the headers and the text of the answer to the other', async () => {
    const service = await start();
    const [ID = 0] = await insertPrincipals(service, 1);
    stopClock();
    const own = ['x-request-id', 'retry-after', 'date', 'content-length', 'x-ratelimit-remaining'];
    const shared = ({ headers }: Response | { headers: globalThis.Headers }) =>
      [...headers].filter(([name]) => !own.includes(name));
    await duringOverload(service, async () => {
      for (const language of ['en', 'it']) {
        const headers = { 'accept-language': language };
        const first = await sendTwo(service, ID, 'first', headers);
        expect(first.status).toBe(503);
        await withoutAuthentication(service, async () => {
          const answers = await Promise.all(
            Array.from({ length: 5 }, (_, n) => sendTwo(service, ID, `refused ${n}`, headers)),
          );
          for (const answer of answers) {
            expect([answer.status, answer.body.errorCode]).toEqual([503, 'OVERLOADED']);
            expect(shared(answer)).toEqual(shared(first));
            expect(answer.headers.get('content-language')).toBe(language);
            const seconds = answer.headers.get('retry-after') ?? '';
            expect(seconds).toMatch(/^[1-9]\d*$/);
            const differing = (text: string) => text.replace(/\d+ s\./, '');
            expect(differing(answer.text)).toBe(differing(first.text));
            expect(answer.body.message).toContain(` ${seconds} s.`);
          }
          const ids = new Set([first, ...answers].map((answer) => answer.headers.get('x-request-id')));
          expect(ids.size).toBe(6);
          const remaining = answers.map((answer) => Number(answer.headers.get('x-ratelimit-remaining')));
          const before = Number(first.headers.get('x-ratelimit-remaining'));
          expect(remaining.toSorted((a, b) => b - a)).toEqual([1, 2, 3, 4, 5].map((n) => before - n));
        });
      }
    });
    expect(await storedUsernames(service.database)).toEqual(new Set());
  });

  it('returns the X-Request-Id that it was sent with', async () => {
    const service = await start();
    const [ID = 0] = await insertPrincipals(service, 1);
    stopClock();
    await duringOverload(service, async () => {
      expect((await sendTwo(service, ID, 'first', { 'x-request-id': 'one' })).status).toBe(503);
      await withoutAuthentication(service, async () => {
        const { status, headers } = await sendTwo(service, ID, 'second', { 'x-request-id': 'other' });
        expect([status, headers.get('x-request-id')]).toEqual([503, 'other']);
      });
    });
  });

  it('is authenticated if it has another credential or other headers', async () => {
    const service = await start();
    const [ID = 0] = await insertPrincipals(service, 1);
    const { headers, headersFor } = await newClient(service, 'a');
    stopClock();
    const work = async () => {
      expect((await sendTwo(service, ID, 'first', headers)).status).toBe(503);
      expect((await sendTwo(service, ID, 'wrong', headersFor('wrong'))).status).toBe(401);
      expect((await sendTwo(service, ID, 'none')).status).toBe(401);
      const twice = { ...headers, syncpublickey: 'a', syncsecretkey: 'b' };
      expect((await sendTwo(service, ID, 'twice', twice)).status).toBe(401);
    };
    await duringOverload(service, work, headers);
  });

  it('is not applied after its client was revoked, and gets 401 once it is authenticated again', async () => {
    const service = await start();
    const [ID = 0] = await insertPrincipals(service, 1);
    const { publicKey, headers } = await newClient(service, 'a');
    stopClock();
    await duringOverload(
      service,
      async () => {
        expect((await sendTwo(service, ID, 'first', headers)).status).toBe(503);
        await revokeClient(publicKey, openClients(service.database), operatorActor);
        expect((await sendTwo(service, ID, 'revoked', headers)).status).toBe(503);
        // A call without a password is authenticated at once, and so are all calls after it.
        expect((await service.call('irs/update', [{ ID }], { headers })).status).toBe(401);
        expect((await sendTwo(service, ID, 'revoked', headers)).status).toBe(401);
      },
      headers,
    );
    expect((await sendTwo(service, ID, 'later', headers)).status).toBe(401);
    expect(await storedUsernames(service.database)).toEqual(new Set());
  });

  it('is authenticated if the last authentication is too old', async () => {
    const service = await start();
    const [ID = 0] = await insertPrincipals(service, 1);
    const { publicKey, headers } = await newClient(service, 'a');
    stopClock();
    await duringOverload(
      service,
      async () => {
        expect((await sendTwo(service, ID, 'first', headers)).status).toBe(503);
        await revokeClient(publicKey, openClients(service.database), operatorActor);
        vi.mocked(performance.now).mockReturnValue(performance.now() + 2001);
        expect((await sendTwo(service, ID, 'revoked', headers)).status).toBe(401);
      },
      headers,
    );
  });

  it('counts for the rate limit', async () => {
    const limit = 6;
    const service = await start({ ANAGRAFE_CALLS_PER_MINUTE: String(limit) });
    stopClock();
    await duringOverload(service, async () => {
      // The call that causes the overload is the first of the minute.
      const answers = [];
      for (let n = 0; n < limit + 2; n++) answers.push((await sendTwo(service, 1, `call ${n}`)).status);
      expect(answers).toEqual([...Array(limit - 1).fill(503), 429, 429, 429]);
    });
  });
});

describe('a call during overload, after another of its caller was refused', () => {
  it('is handled as usual if it contains no password or is not valid JSON', async () => {
    const service = await start();
    const [ID = 0] = await insertPrincipals(service, 1);
    stopClock();
    await duringOverload(service, async () => {
      expect((await sendTwo(service, ID, 'first')).status).toBe(503);
      const send = async (body: string) => (await service.call('irs/update', null, { body })).body.errorCode;
      expect(await send('[{"Users":[{"Password":"x"}')).toBe('INVALID_JSON');
      expect(await send('{"Users":[{"Password":"x"}]}')).toBe('INVALID_BODY');
      expect(await send('[[{"Password":"x"}]]')).toBe('INVALID_BODY');
      expect(await send('[]')).toBe('INVALID_BODY');
      expect(await send('')).toBe('INVALID_JSON');
    });
    stopClock();
    const { status, body } = await service.call('irs/update', [{ ID, Denomination: 'new' }]);
    expect([status, body.result?.count]).toEqual([200, 1]);
  });

  it('gets its stored answer if it has an idempotency key', async () => {
    const service = await start();
    const [ID = 0] = await insertPrincipals(service, 1);
    const key = { 'idempotency-key': 'one' };
    stopClock();
    const applied = await sendTwo(service, ID, 'keyed', key);
    expect(applied.status).toBe(200);
    await duringOverload(service, async () => {
      expect((await sendTwo(service, ID, 'first')).status).toBe(503);
      const again = await sendTwo(service, ID, 'keyed', key);
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      expect(again.text).toBe(applied.text);
      expect((await sendTwo(service, ID, 'other', { 'idempotency-key': 'other' })).status).toBe(503);
    });
  });
});

describe('a call after overload', () => {
  it('is applied, and leaves no places in the queue behind, whatever its end', async () => {
    const service = await start();
    const [ID = 0] = await insertPrincipals(service, 1);
    stopClock();
    await duringOverload(service, async () => {
      expect((await sendTwo(service, ID, 'refused')).status).toBe(503);
    });
    // Each of these calls would refuse the next one, if its places were still reserved.
    const many = usersOf('many', 190);
    for (let n = 0; n < 5; n++) {
      const unknown = await service.call('irs/update', [{ ID: 1_000_000, Users: many.slice(0, 60) }]);
      expect(unknown.status).toBe(422);
      const invalid = await service.call('irs/update', '[', {
        body: JSON.stringify([{ ID, Users: many }]).slice(1),
      });
      expect(invalid.status).toBe(400);
    }
    expect((await sendTwo(service, ID, 'applied')).status).toBe(200);
    expect(await storedUsernames(service.database)).toEqual(new Set(['applied user 0', 'applied user 1']));
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toMatch(/^anagrafe_hash_lane_length\{lane="bulk"\} 0$/m);
  });
});
