import { stopClock } from '@anagrafe/testing/clock';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient } from '../../src/clients/clients.ts';
import type { Envelope } from '../../src/http/envelope.ts';

const allowed = 600;
let service: TestService;
const wrong = { authorization: 'Bearer agp_nobody.ags_nothing' };
const machines: Pool[] = [];

beforeAll(async () => {
  service = await startTestService();
});

/** Creates a client and returns its credential, which is not in the cache of valid credentials yet. */
async function newCredential(): Promise<Record<string, string>> {
  const { client, secret } = await createClient(
    { name: 'erp', scopes: ['sync:read'], networks: [], knownByAddress: false },
    openClientStore(service.database),
    operatorActor,
  );
  return { authorization: `Bearer ${client.publicKey}.${secret}` };
}

afterAll(() => Promise.all(machines.map((machine) => machine.close())));

/** Returns a function that calls irs/list from the given loopback address. */
function from(localAddress: string) {
  const machine = new Pool(service.url, { connections: 10, localAddress });
  machines.push(machine);
  return async (headers: Record<string, string>) => {
    const answer = await machine.request({
      method: 'POST',
      path: '/api/sync/v1/irs/list',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
    return {
      status: answer.statusCode,
      retryAfter: answer.headers['retry-after'],
      envelope: (await answer.body.json()) as Envelope,
    };
  };
}

describe('failed authentication attempts', () => {
  it('block only the address that they come from, for the rest of the minute', async () => {
    stopClock();
    const right = await newCredential();
    const attacker = from('127.0.0.1');
    const other = from('127.0.0.2');
    // The service counts by the address of the connection and ignores X-Forwarded-For.
    const attempts = Array.from({ length: allowed }, (_, n) =>
      attacker({ ...wrong, 'x-forwarded-for': `203.0.113.${n % 250}` }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401]));

    for (const headers of [wrong, right]) {
      const { status, envelope, retryAfter } = await attacker(headers);
      const seconds = Number(retryAfter);
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(status).toBe(429);
      expect(envelope).toEqual({
        statusCode: 429,
        errorCode: 'RATE_LIMITED',
        message: `Too many calls. Retry after ${seconds} s.`,
        result: null,
        debug: null,
      });
    }
    expect((await attacker({})).status).toBe(401);
    expect((await other(right)).status).toBe(200);
    // A credential that was valid recently from any address is checked again, even from a blocked address.
    expect((await attacker(right)).status).toBe(200);
    expect((await attacker(wrong)).status).toBe(429);
    expect((await other(wrong)).status).toBe(401);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  });

  it('do not include calls without a credential', async () => {
    const right = await newCredential();
    const caller = from('127.0.0.4');
    const statuses = await Promise.all(Array.from({ length: allowed + 10 }, () => caller({})));
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await caller(wrong)).status).toBe(401);
    expect((await caller(right)).status).toBe(200);
  });

  it('do not include calls with a valid credential', async () => {
    const right = await newCredential();
    const busy = from('127.0.0.3');
    const calls = Array.from({ length: allowed + 10 }, () => busy(right));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await busy(wrong)).status).toBe(401);
    expect((await busy(right)).status).toBe(200);
  });
});
