import { adminOf, type Credential, credential } from '@anagrafe/testing/admin';
import { stopClock } from '@anagrafe/testing/clock';
import { atConsole, browserOf, keysOf, ownPage } from '@anagrafe/testing/console';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let browse: ReturnType<typeof browserOf>;
let office: Credential;

beforeAll(async () => {
  service = await startTestService();
  browse = browserOf(service);
  office = await credential(service);
});

const signedOut = {
  State: 'signed-out',
  Client: null,
  Operator: null,
  Permissions: [],
  ExpiresAt: null,
  IdleMinutes: 30,
  KeysAllowed: true,
  SendsMail: false,
  BrandName: 'Anagrafe',
  BrandColor: '#1f5fbf',
};

describe('the session cookie of the console', () => {
  const clear = 'anagrafe_console=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0';

  it('authorises no write from any page but the console', async () => {
    const { cookie = '' } = await atConsole(service, office);
    const { origin, port } = new URL(service.url);
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'http://evil.com' },
      { 'sec-fetch-site': 'cross-site', origin },
      { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
      { 'sec-fetch-site': 'none' },
      { origin: 'http://evil.com' },
      { origin: 'null' },
      { origin: `http://localhost:${port}` },
    ];
    for (const what of ['POST /api/sync/v1/irs/insert', 'PATCH /api/sync/v1/irs/update']) {
      for (const headers of foreign) {
        const { status, body } = await browse(what, { ...headers, cookie }, [{ Denomination: 'forged' }]);
        expect([what, headers, status, body.errorCode]).toEqual([what, headers, 403, 'FORBIDDEN']);
      }
    }
    for (const headers of foreign)
      expect((await browse('DELETE /console/session', { ...headers, cookie })).status).toBe(403);
    const rows = await service.database.query(
      `select from anagrafe.principals where denomination = 'forged'`,
    );
    expect(rows).toEqual([]);
    expect((await browse('POST /api/sync/v1/irs/list', { origin, cookie }, {})).status).toBe(200);
  });

  it('authorises no read from a page of another site, but one from the address bar', async () => {
    const { cookie = '' } = await atConsole(service, office);
    const read = async (headers: Record<string, string>) =>
      (await browse('GET /admin/v1/clients', { ...headers, cookie })).status;
    expect(await read({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await read({ 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await read({ origin: 'http://evil.com' })).toBe(403);
    expect(await read({ 'sec-fetch-site': 'none' })).toBe(200);
    expect(await read({})).toBe(200);
  });

  it('authorises no body that is not sent as JSON', async () => {
    const headers = await atConsole(service, office);
    const answer = await fetch(`${service.url}/api/sync/v1/irs/insert`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/plain' },
      body: '[{"Denomination":"forged"}]',
    });
    expect(answer.status).toBe(415);
  });

  it('is deleted if its session has ended', async () => {
    const answer = await browse('GET /console/session', { ...ownPage, cookie: 'anagrafe_console=agc_old' });
    expect([answer.status, answer.cookie]).toEqual([200, clear]);
  });
});

describe('failed sign-ins at the console', () => {
  it('are rate-limited together with other failed attempts from the address', async () => {
    const flooded = await startTestService();
    const client = await credential(flooded);
    const browser = browserOf(flooded);
    const wrong = { ...keysOf(client), SecretKey: 'ags_wrong' };
    stopClock();
    const attempts = Array.from({ length: 600 }, () => browser('POST /console/session', ownPage, wrong));
    expect(new Set((await Promise.all(attempts)).map(({ status }) => status))).toEqual(new Set([401]));
    const shut = await browser('POST /console/session', ownPage, keysOf(client));
    expect([shut.status, shut.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
    expect((await adminOf(flooded)('GET clients', client)).status).toBe(429);
    await flooded.stop();
  });
});

describe('the console in protected mode', () => {
  it('is open to this machine without sign-in, and to no page of another site', async () => {
    const fresh = await startTestService();
    const browser = browserOf(fresh);
    const state = { State: 'protected', Client: null, Operator: null, ExpiresAt: null };
    expect((await browser('GET /console/session', ownPage)).body.result?.record).toMatchObject(state);
    expect((await browser('GET /admin/v1/clients', ownPage)).status).toBe(200);
    const insert = (headers: Record<string, string>) =>
      browser('POST /api/sync/v1/irs/insert', headers, [{ Denomination: 'x' }]);
    expect((await insert({ ...ownPage, origin: fresh.url })).status).toBe(200);
    expect((await insert({ 'sec-fetch-site': 'cross-site' })).status).toBe(401);
    expect((await insert({ origin: 'http://evil.com' })).status).toBe(401);
    const proxied = await browser('GET /console/session', { ...ownPage, 'x-forwarded-for': '203.0.113.9' });
    expect(proxied.body.result?.record).toEqual(signedOut);
    // The browser may still have a cookie from an earlier database on the same host.
    const stale = await browser('GET /console/session', { ...ownPage, cookie: 'anagrafe_console=agc_old' });
    expect([stale.body.result?.record, stale.cookie]).toMatchObject([
      state,
      expect.stringContaining('Max-Age=0'),
    ]);
    await credential(fresh);
    expect((await browser('GET /console/session', ownPage)).body.result?.record).toEqual(signedOut);
    expect((await browser('GET /admin/v1/clients', ownPage)).status).toBe(401);
    await fresh.stop();
  });
});
