import {
  getText,
  insertPrincipals,
  newUser,
  startTestService,
  type TestService,
} from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../src/audit/audit-log.ts';
import { openClientStore } from '../src/clients/clients.store.ts';
import { createClient } from '../src/clients/clients.ts';
import type { Scope } from '../src/clients/permissions.ts';

type Headers = Record<string, string>;

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

const get = (path: string, headers: Headers = {}, at = service) => getText(at, path, headers);

describe('the health check', () => {
  it('reports that the service is live and ready', async () => {
    for (const [path, status] of [
      ['/health/live', 'live'],
      ['/health/ready', 'ready'],
    ] as const) {
      // On a busy machine the database may take longer to answer than a probe waits.
      await expect.poll(async () => (await get(path)).status).toBe(200);
      const answer = await get(path);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
      expect(JSON.parse(answer.text)).toEqual({ status });
    }
  });

  it('answers probes from any address with any Host, and is not logged', async () => {
    const probe = { host: '10.0.0.7:8420', 'x-forwarded-for': '203.0.113.9' };
    expect((await get('/health/live', probe)).status).toBe(200);
    await expect.poll(async () => (await get('/health/ready', probe)).status).toBe(200);
    // The service logs a request after its answer was sent. Once a later call is logged, no probe can still be logged.
    await service.call('irs/list', {}, { headers: { 'x-request-id': 'after-the-probes' } });
    await expect.poll(() => service.log.join('')).toContain('after-the-probes');
    expect(service.log.filter((line) => line.includes('/health/'))).toEqual([]);
  });
});

it('the root path redirects to the console', async () => {
  const answer = await get('/');
  expect([answer.status, answer.headers.location]).toEqual([302, '/console']);
});

describe('metrics', () => {
  async function sample(name: string, at = service): Promise<number | undefined> {
    const { text } = await get('/metrics', {}, at);
    const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
    return line === undefined ? undefined : Number(line.slice(name.length + 1));
  }

  it('count calls, records, users and hashes, and show the length of the hash queue', async () => {
    const [ID = 0] = await insertPrincipals(service, 3);
    const registered = await service.call('irs/update', [
      { ID, Users: [newUser('metric.one'), newUser('metric.two')] },
      { ID, Users: [newUser('metric.one')] },
    ]);
    expect(registered.status).toBe(207);
    const [user] = await service.database.query<{ id: number }>(
      "select id from anagrafe.users where username = 'metric.one'",
    );
    const { Username: _, ...password } = newUser('');
    const reset = await service.call('irs/update', [{ ID, Users: [{ ID: user?.id, ...password }] }]);
    expect(reset.status).toBe(200);

    const route = 'route="/api/sync/v1/irs/update",method="POST"';
    const expected: Record<string, number> = {
      [`anagrafe_call_duration_seconds_count{${route},status="207"}`]: 1,
      [`anagrafe_call_duration_seconds_count{${route},status="200"}`]: 1,
      'anagrafe_records_total{operation="insert",outcome="applied"}': 3,
      'anagrafe_records_total{operation="update",outcome="applied"}': 2,
      'anagrafe_users_total{operation="register"}': 2,
      'anagrafe_users_total{operation="reset"}': 1,
      'anagrafe_hash_lane_length{lane="interactive"}': 0,
      'anagrafe_hash_lane_length{lane="bulk"}': 0,
      anagrafe_hashes_running: 0,
    };
    for (const [name, value] of Object.entries(expected)) {
      expect([name, await sample(name)]).toEqual([name, value]);
    }
    const lanes = ['interactive', 'bulk'].map((lane) =>
      sample(`anagrafe_hash_duration_seconds_count{lane="${lane}"}`),
    );
    const [interactive = 0, bulk = 0] = await Promise.all(lanes);
    expect(interactive + bulk).toBe(3);
    expect(await sample('anagrafe_hash_capacity')).toBeGreaterThan(0);
    const { text } = await get('/metrics');
    expect(text).toMatch(/^anagrafe_records_total\{operation="update",outcome="USERNAME_TAKEN"\} 1$/m);
  });

  it('are in the Prometheus text format, and contain no username or address', async () => {
    const { headers, text } = await get('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).not.toContain('metric.one');
    expect(text).not.toContain('127.0.0.1');
  });

  it('have one label for all unknown paths', async () => {
    for (const path of ['/none/1', '/none/2', '/api/sync/v1/none/3'])
      expect((await get(path)).status).toBe(404);
    const { text } = await get('/metrics');
    expect(text).toContain('route="none"');
    expect(text).not.toContain('/none/');
  });

  it('are refused to a caller behind a proxy that sends no credential', async () => {
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.9' },
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-real-ip': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
    ]) {
      const { status, text } = await get('/metrics', headers as unknown as Headers);
      expect(status).toBe(401);
      expect(text).not.toContain('anagrafe_');
    }
  });

  it('are refused to a web page that uses DNS rebinding', async () => {
    expect((await get('/metrics', { host: 'evil.com' })).status).toBe(401);
    expect((await get('/metrics', { host: 'evil.com', 'sec-fetch-site': 'same-origin' })).status).toBe(401);
    expect((await get('/metrics', { origin: 'http://evil.com' })).status).toBe(401);
  });

  it('are served to a client with sync:read, and refused to a wrong credential even on this machine', async () => {
    const other = await startTestService();
    const clients = openClientStore(other.database);
    const keyOf = async (...scopes: Scope[]) => {
      const options = { name: 'collector', scopes, networks: [], knownByAddress: false };
      const { client, secret } = await createClient(options, clients, operatorActor);
      return { authorization: `Bearer ${client.publicKey}.${secret}` };
    };
    const reader = await keyOf('sync:read');
    const writer = await keyOf('sync:write');
    const outside = { host: 'anagrafe.example.com', 'x-forwarded-for': '203.0.113.9' };
    expect((await get('/metrics', {}, other)).status).toBe(200);
    expect((await get('/metrics', { ...outside, ...reader }, other)).status).toBe(200);
    expect((await get('/metrics', { ...outside, ...writer }, other)).status).toBe(403);
    expect((await get('/metrics', outside, other)).status).toBe(401);
    const wrong = await get('/metrics', { authorization: 'Bearer agp_nobody.ags_nothing' }, other);
    expect(wrong.status).toBe(401);
    expect(wrong.headers['www-authenticate']).toBe('Bearer realm="anagrafe"');
    await other.stop();
  });

  it('are refused behind a trusted proxy, even if the forwarded address is loopback', async () => {
    const behind = await startTestService({ ANAGRAFE_TRUST_PROXY: '127.0.0.1/32' });
    for (const address of ['203.0.113.9', '127.0.0.1', '127.0.0.9', '::1']) {
      expect((await get('/metrics', { 'x-forwarded-for': address }, behind)).status).toBe(401);
    }
    await behind.stop();
  });
});

describe('the documentation that the service serves', () => {
  it('lists every call of irs with its 401 answer', async () => {
    const { status, text } = await get('/openapi.json');
    expect(status).toBe(200);
    const { openapi, info, paths } = JSON.parse(text);
    expect(openapi).toMatch(/^3\.1\./);
    expect(info).toMatchObject({ title: 'Anagrafe', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    const calls = ['update', 'insert', 'list', 'users'].map((name) => `/api/sync/v1/irs/${name}`);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(calls));
    for (const call of calls) expect(Object.keys(paths[call].post.responses)).toContain('401');
  });

  it('loads nothing from another host', async () => {
    const page = await fetch(`${service.url}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const html = await page.text();
    const links = [...html.matchAll(/(?:src|href)\s*=\s*["']([^"']+)["']/g)].map(([, link = '']) => link);
    expect(links.some((link) => link.endsWith('.js'))).toBe(true);
    expect(links.some((link) => link.endsWith('.css'))).toBe(true);
    for (const link of links) {
      const { href, origin } = new URL(link, page.url);
      expect(origin).toBe(service.url);
      expect([href, (await fetch(href)).status]).toEqual([href, 200]);
    }
    expect(html).not.toMatch(/https?:\/\//);
  });

  it('includes a status page at /console that links to no other host', async () => {
    const { status, headers, text } = await get('/console');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(text).toContain('Ready.');
    expect(text).toContain('npx --no -- anagrafe client create --name erp');
    expect(text).not.toMatch(/https?:\/\//);
  });

  it.each(['/docs', '/console'])(
    'has a content security policy at %s that allows no other host and works over plain HTTP',
    async (path) => {
      const { headers } = await get(path);
      const policy = String(headers['content-security-policy']);
      const sources = policy.split(';').flatMap((directive) => directive.trim().split(/\s+/).slice(1));
      const foreign = sources.filter((source) => !/^('.*'|data:|blob:)$/.test(source));
      expect(foreign).toEqual([]);
      expect(policy).not.toContain('upgrade-insecure-requests');
    },
  );
});
