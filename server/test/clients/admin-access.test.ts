import { adminCalls, adminOf, type Credential, credential } from '@anagrafe/testing/admin';
import { stopClock } from '@anagrafe/testing/clock';
import { asUser, registerUsers, signedIn } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;
let user: Credential;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_CALLS_PER_MINUTE: '60' });
  admin = adminOf(service);
  await registerUsers(service, 'mario');
  user = asUser(await signedIn(service, 'mario')).headers;
  office = await credential(service);
});

/** Replaces the IDs in a path by the parameter names of the OpenAPI document. */
function asDescribed(call: string): string {
  return call
    .replace('agp_nobody', '{publicKey}')
    .replace('webhooks/999', 'webhooks/{id}')
    .replace(/(users|operators)\/\d+/, '$1/{id}')
    .replace(/sessions\/[0-9-]+/, 'sessions/{session}')
    .replace(/deliveries\/[0-9-]+/, 'deliveries/{delivery}')
    .replace(/(calls|runs)\/[0-9-]+/, '$1/{id}')
    .replace('audit/1/', 'audit/{position}/');
}

describe('the admin API', () => {
  it('has exactly the calls that these tests cover', async () => {
    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const described = Object.entries(document.paths)
      .filter(([path]) => path.startsWith('/admin/v1/'))
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice('/admin/v1/'.length)}`),
      );
    expect(described.sort()).toEqual(adminCalls.map(asDescribed).sort());
  });

  it.each(adminCalls)('%s: is closed to a client with only sync:read and sync:write', async (call) => {
    const erp = await credential(service, { scopes: ['sync:write', 'sync:read'] });
    const { status, body, headers } = await admin(call, erp);
    expect([status, body.errorCode, body.result]).toEqual([403, 'FORBIDDEN', null]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each(adminCalls)('%s: is closed without a credential or with a wrong one', async (call) => {
    const { status, body } = await admin(call, {});
    expect([status, body.errorCode]).toEqual([401, 'UNAUTHENTICATED']);
    const wrong = await admin(call, { ...office, SyncSecretKey: 'ags_wrong' });
    expect([wrong.status, wrong.body.errorCode]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it.each(adminCalls)('%s: is closed to a signed-in user', async (call) => {
    const { status, body } = await admin(call, user);
    expect([status, body.errorCode]).toEqual([403, 'FORBIDDEN']);
  });

  it('is closed to an admin client that is identified only by its address', async () => {
    const other = await startTestService();
    await credential(other, { scopes: ['admin'], networks: ['127.0.0.0/8'], knownByAddress: true });
    const { status, body } = await adminOf(other)('GET clients', {});
    expect([status, body.errorCode]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('a call of the admin API', () => {
  it('gets the envelope, also for an unknown path or method', async () => {
    const { status, body } = await admin('GET nothing', office);
    expect(status).toBe(404);
    expect(body).toMatchObject({ statusCode: 404, errorCode: 'NOT_FOUND', result: null, debug: null });
    const other = await admin('PUT clients', office);
    expect([other.status, other.body.errorCode]).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(other.headers.get('allow')).toBe('GET, POST');
  });

  it('gets 400 with an unknown or invalid parameter', async () => {
    for (const [path, name] of [
      ['clients?page=1', 'page'],
      ['calls?after=1', 'after'],
      ['calls?failed=yes', 'failed'],
      ['jobs?pageSize=1001', 'pageSize'],
      ['audit?after=x', 'after'],
      ['audit?after=-1', 'after'],
      ['audit?after=1&after=2', 'after'],
      ['audit?principal=0', 'principal'],
      ['audit?Principal=1', 'principal'],
      ['audit/verify?expect=1', 'expect'],
      ['statistics?days=3', 'days'],
    ] as const) {
      const { status, body } = await admin(`GET ${path}`, office);
      expect([path, status, body.errorCode]).toEqual([path, 400, 'INVALID_PARAMETER']);
      expect(body.message).toContain(`"${name}"`);
    }
  });

  it('gets an answer in the language of Accept-Language, with the debug part on request', async () => {
    const { body } = await admin('DELETE clients/agp_nobody?debug=true', {
      ...office,
      'accept-language': 'it',
    });
    expect(body.message).toMatch(/^Nessun client attivo/);
    expect(body.debug).toMatchObject({ RequestId: expect.any(String) });
  });

  it('counts towards the rate limit of the client together with its other calls', async () => {
    const busy = await credential(service);
    stopClock();
    for (let call = 0; call < 30; call++) {
      expect((await admin('GET clients', busy)).status).toBe(200);
      expect((await service.call('irs/list', {}, { headers: busy })).status).toBe(200);
    }
    const { status, body, headers } = await admin('GET clients', busy);
    expect([status, body.errorCode]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await service.call('irs/list', {}, { headers: busy })).status).toBe(429);
  });

  it('of a client with the name "anyone" does not count as a call of an anonymous caller', async () => {
    const named = await credential(service, { name: 'anyone' });
    stopClock();
    for (let call = 0; call < 60; call++) expect((await admin('GET clients', named)).status).toBe(200);
    expect((await admin('GET clients', named)).status).toBe(429);
    const anonymous = await service.call('login', { Username: 'nobody', Password: 'wrong password' });
    expect([anonymous.status, anonymous.body.errorCode]).toEqual([401, 'UNAUTHENTICATED']);
    for (let call = 1; call < 60; call++) await service.call('login', {});
    expect((await service.call('login', {})).status).toBe(429);
    expect((await admin('GET clients', office)).status).toBe(200);
  });
});
