import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { type ClientStore, createClient, type NewClient } from '../../src/clients/clients.ts';
import type { Envelope } from '../../src/http/envelope.ts';

type Headers = Record<string, string>;

const agents = new Map<string, Agent>();
afterAll(() => Promise.all([...agents.values()].map((agent) => agent.close())));

/** Returns an agent that connects from the given address. Every address of 127.0.0.0/8 is local to this machine. */
function from(localAddress: string): Agent {
  const agent = agents.get(localAddress) ?? new Agent({ localAddress });
  agents.set(localAddress, agent);
  return agent;
}

async function call(service: TestService, address: string, headers: Headers = {}, path = 'irs/list') {
  const answer = await request(`${service.url}/api/sync/v1/${path}`, {
    dispatcher: from(address),
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: path === 'irs/insert' ? '[{"Denomination":"By address"}]' : '{}',
  });
  return { status: answer.statusCode, envelope: (await answer.body.json()) as Envelope };
}

function creating(store: ClientStore) {
  return async (fields: Partial<NewClient>): Promise<{ publicKey: string; headers: Headers }> => {
    const defaults = { name: 'erp', scopes: ['sync:read'], networks: [], knownByAddress: false } as const;
    const { client, secret } = await createClient({ ...defaults, ...fields }, store, operatorActor);
    const headers = { SyncPublicKey: client.publicKey, SyncSecretKey: secret };
    return { publicKey: client.publicKey, headers };
  };
}

describe('without a trusted proxy', () => {
  let service: TestService;
  let clients: ClientStore;
  let create: ReturnType<typeof creating>;
  const status = async (...args: [string, Headers?, string?]) => (await call(service, ...args)).status;

  beforeAll(async () => {
    service = await startTestService({ ANAGRAFE_ALLOWED_HOSTS: 'erp.internal' });
    clients = openClientStore(service.database);
    create = creating(clients);
  });

  describe('a client with networks', () => {
    it('may use its key only from these networks', async () => {
      const { headers } = await create({ networks: ['127.0.0.64/26', '127.0.0.9'] });
      for (const address of ['127.0.0.64', '127.0.0.127', '127.0.0.9'])
        expect(await status(address, headers)).toBe(200);
      for (const address of ['127.0.0.63', '127.0.0.128', '127.0.0.1', '127.0.0.190'])
        expect(await status(address, headers)).toBe(401);
    });

    it('cannot claim another address in a header', async () => {
      const { headers } = await create({ networks: ['127.0.0.9/32', '10.0.0.0/8'] });
      const claims = ['x-forwarded-for', 'x-real-ip', 'true-client-ip'].map((name) => ({
        [name]: '10.0.0.1',
      }));
      for (const claim of [...claims, { forwarded: 'for=10.0.0.1' }]) {
        expect(await status('127.0.0.1', { ...headers, ...claim })).toBe(401);
        expect(await status('127.0.0.9', { ...headers, ...claim })).toBe(401);
      }
      expect(await status('127.0.0.9', headers)).toBe(200);
    });

    it('needs its key if it is not known by address', async () => {
      await create({ networks: ['127.0.0.9/32'] });
      expect(await status('127.0.0.9')).toBe(401);
    });
  });

  describe('a client known by address', () => {
    beforeAll(async () => {
      await create({
        name: 'office',
        scopes: ['sync:write', 'sync:read'],
        networks: ['127.0.1.0/24'],
        knownByAddress: true,
      });
    });

    it('may call without a credential from its networks only', async () => {
      expect(await status('127.0.1.7')).toBe(200);
      expect(await status('127.0.1.7', {}, 'irs/insert')).toBe(200);
      expect(await status('127.0.2.7')).toBe(401);
      expect(await status('127.0.0.1')).toBe(401);
      expect(service.log.join('')).toContain('"ip":"127.0.1.7","client":"office"');
    });

    it('is not identified if the call comes from a web page', async () => {
      const pages: Headers[] = [
        { origin: 'http://evil.com' },
        { origin: 'null' },
        { origin: '' },
        { origin: service.url },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
      ];
      for (const headers of pages) expect(await status('127.0.1.7', headers)).toBe(401);
    });

    it('is not identified if the call has a proxy header', async () => {
      for (const name of ['X-Forwarded-For', 'X-Real-IP', 'Via', 'CF-Connecting-IP', 'X-Forwarded-Proto']) {
        expect(await status('127.0.1.7', { [name]: '127.0.1.7' })).toBe(401);
        expect(await status('127.0.0.1', { [name]: '127.0.1.7' })).toBe(401);
      }
      expect(await status('127.0.1.7', { Forwarded: 'for=127.0.1.7' })).toBe(401);
    });

    it('is refused with a wrong credential, although its address alone is sufficient', async () => {
      const wrong: Headers[] = [
        { SyncPublicKey: 'agp_nobody', SyncSecretKey: 'ags_nothing' },
        { SyncPublicKey: 'agp_nobody' },
        { authorization: 'Basic abc' },
        { AccessToken: 'abc' },
      ];
      for (const headers of wrong) expect(await status('127.0.1.7', headers)).toBe(401);
    });

    it('is limited to its scopes', async () => {
      await create({ networks: ['127.0.3.0/24'], knownByAddress: true });
      expect(await status('127.0.3.1')).toBe(200);
      const refused = await call(service, '127.0.3.1', {}, 'irs/insert');
      expect(refused.status).toBe(403);
      expect(refused.envelope.message).toContain('sync:write');
    });

    it('has the scope admin only with its key', async () => {
      const { headers } = await create({
        scopes: ['admin'],
        networks: ['127.0.4.0/24'],
        knownByAddress: true,
      });
      expect(await status('127.0.4.1', {}, 'irs/insert')).toBe(403);
      expect(await status('127.0.4.1', headers, 'irs/insert')).toBe(200);
      await create({ scopes: ['admin', 'sync:read'], networks: ['127.0.5.0/24'], knownByAddress: true });
      expect(await status('127.0.5.1')).toBe(200);
      expect(await status('127.0.5.1', {}, 'irs/insert')).toBe(403);
    });

    it('gets 401 from the next call on after it is revoked, and its networks can be used again', async () => {
      const networks = ['127.0.6.0/24'];
      const { publicKey } = await create({ networks, knownByAddress: true });
      expect(await status('127.0.6.1')).toBe(200);
      await clients.revokeClient(publicKey, operatorActor);
      expect(await status('127.0.6.1')).toBe(401);
      await create({ networks, knownByAddress: true });
      expect(await status('127.0.6.1')).toBe(200);
    });

    it('cannot share an address with another client known by address', async () => {
      await create({ networks: ['127.0.7.0/24', 'fd00:7::/32'], knownByAddress: true });
      const overlapping = ['127.0.7.0/24', '127.0.7.9', '127.0.6.0/23', '127.0.0.0/8', 'fd00:7::1'];
      for (const network of overlapping) {
        const created = create({ networks: ['127.9.9.9', network], knownByAddress: true });
        await expect(created).rejects.toMatchObject({ detail: { code: 'CLIENT_ADDRESS_TAKEN' } });
      }
      await create({ networks: ['127.0.7.0/24'] });
      await create({ networks: ['127.0.8.0/24'], knownByAddress: true });
    });

    it('cannot share an address even if both are created concurrently', async () => {
      const overlapping = ['127.1.0.0/24', '127.1.0.0/25', '127.1.0.7', '127.1.0.0/16', '127.1.0.0/23'];
      const outcomes = await Promise.allSettled(
        overlapping.map((network) => create({ networks: [network], knownByAddress: true })),
      );
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    });

    it('cannot have networks that cover every address', async () => {
      for (const networks of [['0.0.0.0/0'], ['::/0'], ['0.0.0.0/1', '128.0.0.0/1'], ['2000::/3']]) {
        await expect(create({ networks, knownByAddress: true })).rejects.toMatchObject({
          detail: { code: 'INVALID_CLIENT', variant: 'everyone' },
        });
      }
      const halves = Array.from({ length: 4 }, (_, n) => `${n * 64}.0.0.0/2`);
      await expect(create({ networks: halves, knownByAddress: true })).rejects.toMatchObject({
        detail: { code: 'INVALID_CLIENT', variant: 'everyone' },
      });
    });

    it('may have networks that cover all private addresses', async () => {
      const networks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/8'];
      await create({ networks: [...networks, '10.0.0.0/8', '10.1.0.0/16'], knownByAddress: true });
    });

    it('is identified only if the Host is an IP address, localhost or an allowed name, against DNS rebinding', async () => {
      for (const host of [
        '127.0.0.1',
        '10.0.0.7:8420',
        '[::1]:8420',
        'localhost',
        'erp.internal:80',
        'ERP.internal',
      ])
        expect([host, await status('127.0.1.7', { host })]).toEqual([host, 200]);
      for (const host of [
        'evil.com',
        'evil.com:8420',
        'erp.internal.evil.com',
        '127.0.0.1.nip.io',
        '[evil]',
      ]) {
        const { status: refused, envelope } = await call(service, '127.0.1.7', { host });
        expect([host, refused]).toEqual([host, 401]);
        expect(envelope.message).toContain('ANAGRAFE_ALLOWED_HOSTS');
      }
    });

    it('needs at least one network', async () => {
      await expect(create({ knownByAddress: true })).rejects.toMatchObject({
        detail: { code: 'INVALID_CLIENT', variant: 'networks' },
      });
    });
  });
});

describe('a service behind a trusted proxy', () => {
  let service: TestService;
  let headers: Headers;
  const status = async (...args: [string, Headers?, string?]) => (await call(service, ...args)).status;

  beforeAll(async () => {
    service = await startTestService({ ANAGRAFE_TRUST_PROXY: '127.0.0.1/32, 127.0.0.5' });
    const create = creating(openClientStore(service.database));
    await create({ name: 'office', networks: ['203.0.113.0/24', '2001:db8::/32'], knownByAddress: true });
    await create({ name: 'machine', networks: ['127.0.0.0/16'], knownByAddress: true });
    ({ headers } = await create({ networks: ['198.51.100.0/24'] }));
  });

  it('uses the address that the proxy forwards', async () => {
    expect(await status('127.0.0.1', { 'x-forwarded-for': '203.0.113.9' })).toBe(200);
    expect(await status('127.0.0.5', { 'x-forwarded-for': '203.0.113.9' })).toBe(200);
    expect(await status('127.0.0.1', { 'x-forwarded-for': '2001:db8::7' })).toBe(200);
    expect(await status('127.0.0.1', { 'x-forwarded-for': '::ffff:203.0.113.9' })).toBe(200);
    expect(await status('127.0.0.1', { 'x-forwarded-for': '203.0.113.9:4711' })).toBe(200);
    expect(await status('127.0.0.1', { 'x-forwarded-for': '[2001:db8::7]:80' })).toBe(200);
    expect(await status('127.0.0.1', { 'x-forwarded-for': '192.0.2.7' })).toBe(401);
    expect(await status('127.0.0.1', { ...headers, 'x-forwarded-for': '198.51.100.7' })).toBe(200);
    expect(await status('127.0.0.1', { ...headers, 'x-forwarded-for': '203.0.113.9' })).toBe(401);
    expect(await status('127.0.0.1', headers)).toBe(401);
  });

  it('uses the last untrusted address of X-Forwarded-For, not one that the caller sent', async () => {
    expect(await status('127.0.0.1', { 'x-forwarded-for': '203.0.113.9, 192.0.2.7' })).toBe(401);
    expect(await status('127.0.0.1', { 'x-forwarded-for': '192.0.2.7, 203.0.113.9' })).toBe(200);
    expect(await status('127.0.0.1', { 'x-forwarded-for': '203.0.113.9, 192.0.2.7, 127.0.0.5' })).toBe(401);
    expect(await status('127.0.0.1', { 'x-forwarded-for': '203.0.113.9, 127.0.0.5' })).toBe(200);
    const claims = {
      'x-real-ip': '203.0.113.9',
      'true-client-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
    };
    expect(await status('127.0.0.1', { ...claims, 'x-forwarded-for': '192.0.2.7' })).toBe(401);
  });

  it('ignores X-Forwarded-For from any other address', async () => {
    expect(await status('127.0.0.2', { 'x-forwarded-for': '203.0.113.9' })).toBe(401);
    expect(await status('127.0.0.2', { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' })).toBe(401);
  });

  it('does not treat the proxy as the caller if it sends only proxy headers that are not supported', async () => {
    expect(await status('127.0.0.2')).toBe(200);
    const unread: Headers[] = [
      { forwarded: 'for=192.0.2.7' },
      { 'x-real-ip': '192.0.2.7' },
      { via: '1.1 edge' },
      { 'x-forwarded-proto': 'https' },
      { 'cf-connecting-ip': '192.0.2.7' },
      { 'x-forwarded-for': '' },
    ];
    for (const sent of unread) expect([sent, await status('127.0.0.1', sent)]).toEqual([sent, 401]);
  });

  it.each(['unknown', '_hidden', '203.0.113.9:471100', '203.0.113', "'", 'fe80::1%eth0'])(
    'refuses an invalid forwarded address: %s',
    async (address) => {
      const { status, envelope } = await call(service, '127.0.0.1', { 'x-forwarded-for': address });
      expect(status).toBe(401);
      expect(envelope.errorCode).toBe('UNAUTHENTICATED');
    },
  );

  it('reads the header that the proxy appends after 1,000 headers of the caller', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const head = ['POST /api/sync/v1/irs/list HTTP/1.1', 'Host: localhost', 'X-Forwarded-For: 203.0.113.9'];
    const many = Array.from({ length: 1000 }, (_, n) => `A${n}: 1`);
    const appended = ['X-Forwarded-For: 192.0.2.7', 'Content-Type: application/json', 'Content-Length: 2'];
    socket.write([...head, ...many, ...appended, 'Connection: close', '', '{}'].join('\r\n'));
    expect(String(await text(socket))).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('does not identify a client by address if Host is unknown, although X-Forwarded-Host is known, against DNS rebinding', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.9' };
    for (const host of ['localhost', '203.0.113.1']) {
      const headers = { ...forwarded, host: 'evil.com', 'x-forwarded-host': host };
      const { status: refused, envelope } = await call(service, '127.0.0.1', headers);
      expect([host, refused]).toEqual([host, 401]);
      expect(envelope.message).toContain('ANAGRAFE_ALLOWED_HOSTS');
    }
    const replaced = { ...forwarded, host: 'localhost', 'x-forwarded-host': 'localhost, evil.com' };
    expect(await status('127.0.0.1', replaced)).toBe(401);
    expect(await status('127.0.0.1', { ...replaced, 'x-forwarded-host': 'localhost' })).toBe(200);
  });

  it('refuses a web page of another origin behind the proxy', async () => {
    const page = { origin: 'https://evil.com', 'x-forwarded-for': '203.0.113.9' };
    expect(await status('127.0.0.1', page)).toBe(401);
  });
});
