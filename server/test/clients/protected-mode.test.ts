import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { createClient, revokeClient } from '../../src/clients/clients.ts';
import type { Envelope } from '../../src/http/envelope.ts';

const run = promisify(execFile);

type Headers = Record<string, string>;

let service: TestService;
let port: number;

beforeAll(async () => {
  service = await startTestService();
  port = Number(new URL(service.url).port);
});

/** Calls irs/list with these headers. Unlike `fetch`, undici's `request` adds no headers and forbids none. */
async function call(headers: Headers, at = service): Promise<{ status: number; envelope: Envelope }> {
  const answer = await request(`${at.url}/api/sync/v1/irs/list`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{}',
  });
  return { status: answer.statusCode, envelope: (await answer.body.json()) as Envelope };
}

/** Writes a request to a raw socket, for requests that no HTTP library sends, and returns the raw response. */
async function callByHand(target: string, version: string, ...headers: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const head = [`POST ${target} HTTP/${version}`, ...headers, 'Content-Type: application/json'];
  socket.write([...head, 'Content-Length: 2', 'Connection: close', '', '{}'].join('\r\n'));
  let answer = '';
  for await (const chunk of socket) answer += chunk;
  return answer;
}

const closed = {
  statusCode: 401,
  errorCode: 'UNAUTHENTICATED',
  message: expect.stringContaining('npx --no -- anagrafe client create --name erp'),
  result: null,
  debug: null,
};

async function expectClosed(headers: Headers): Promise<void> {
  const { status, envelope } = await call(headers);
  expect(status).toBe(401);
  expect(envelope).toEqual(closed);
}

describe('protected mode, while no API client exists', () => {
  it('lets a program on this machine read and write without a credential', async () => {
    const inserted = await service.call('irs/insert', [{ Denomination: 'Rossi Srl' }]);
    expect(inserted.status).toBe(200);
    expect((await call({})).status).toBe(200);
  });

  it.each(['localhost', 'LocalHost', '127.0.0.1', '127.0.0.2', '[::1]'])(
    'accepts the loopback Host %s, with or without a port',
    async (host) => {
      expect((await call({ host })).status).toBe(200);
      expect((await call({ host: `${host}:${port}` })).status).toBe(200);
    },
  );

  it.each([
    'evil.com',
    'evil.com:8420',
    'localhost.evil.com',
    '127.0.0.1.evil.com',
    '127.0.0.1.nip.io',
    'evil.com.localhost',
    'localhost.',
    'localhost@evil.com',
    'evil.com@localhost',
    'localhost:8420@evil.com',
    'localhost, evil.com',
    'localhost/evil.com',
    'localhost#evil.com',
    '0.0.0.0',
    '0',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '[::]',
    '[::ffff:127.0.0.1]',
    '::1',
    '10.0.0.1',
    'localhost:http',
    'localhost:123456',
  ])('refuses the Host %s, which a web page could send by DNS rebinding', async (host) => {
    await expectClosed({ host });
  });

  it('refuses an empty Host', async () => {
    const answer = await callByHand('/api/sync/v1/irs/list', '1.1', 'Host:');
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('refuses HTTP/1.0 with and without a Host, because an old proxy may send it without proxy headers', async () => {
    for (const headers of [[], ['Host: localhost']]) {
      const answer = await callByHand('/api/sync/v1/irs/list', '1.0', ...headers);
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      expect(answer).toContain('npx --no -- anagrafe client create');
    }
  });

  it('answers HTTP/1.1 without a Host with the envelope', async () => {
    const answer = await callByHand('/api/sync/v1/irs/list', '1.1');
    expect(answer).toMatch(/^HTTP\/1\.1 40[01] /);
    expect(answer).toContain('"errorCode":"');
  });

  it('refuses a loopback Host together with a second Host', async () => {
    for (const hosts of [
      ['Host: localhost', 'Host: evil.com'],
      ['Host: evil.com', 'Host: localhost'],
    ]) {
      expect(await callByHand('/api/sync/v1/irs/list', '1.1', ...hosts)).toMatch(/^HTTP\/1\.1 40[01] /);
    }
  });

  it('refuses an absolute URL in the request line', async () => {
    const target = `http://evil.com/api/sync/v1/irs/list`;
    expect(await callByHand(target, '1.1', 'Host: localhost')).not.toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'X-Forwarded-Port',
    'X-Forwarded-Server',
    'X-Forwarded',
    'Forwarded',
    'Forwarded-For',
    'Via',
    'X-Real-IP',
    'X-Client-IP',
    'X-Cluster-Client-IP',
    'X-Original-Forwarded-For',
    'X-Original-Host',
    'CF-Connecting-IP',
    'CF-Connecting-IPv6',
    'True-Client-IP',
    'Fastly-Client-IP',
    'Fly-Client-IP',
    'WL-Proxy-Client-IP',
    'Do-Connecting-IP',
    'X-Envoy-External-Address',
    'X-Azure-ClientIP',
    'X-Azure-SocketIP',
    'X-Appengine-User-IP',
    'X-Remote-Addr',
    'X-Vercel-Forwarded-For',
    'X-ProxyUser-IP',
    'CDN-Loop',
    'Ali-CDN-Real-IP',
    'X-NF-Client-Connection-IP',
    'X-Some-New-Proxy',
  ])('refuses a call with the proxy header %s, with any value', async (name) => {
    await expectClosed({ [name]: '127.0.0.1' });
    await expectClosed({ [name.toLowerCase()]: '' });
  });

  it.each(['X-Forwarded-For: 203.0.113.9', 'Via: 1.1 proxy', 'Origin: http://evil.com'])(
    'refuses a call with %s after 1,000 other headers',
    async (last) => {
      const many = Array.from({ length: 1000 }, (_, n) => `A${n}: 1`);
      for (const headers of [many, Array(1000).fill('Accept: a')]) {
        const answer = await callByHand('/api/sync/v1/irs/list', '1.1', 'Host: localhost', ...headers, last);
        expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      }
    },
  );

  it.each(['0.9', '2.0', '1.2'])('refuses the protocol version HTTP/%s', async (version) => {
    const answer = await callByHand('/api/sync/v1/irs/list', version, 'Host: localhost');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('refuses a call from a web page of another origin', async () => {
    const origins = [
      'http://evil.com',
      'https://evil.com',
      'null',
      '',
      'http://localhost',
      `http://localhost:${port + 1}`,
      'http://localhost:3000',
      `https://localhost:${port}`,
      `http://localhost.evil.com:${port}`,
      `http://localhost:${port}.evil.com`,
      `http://localhost:${port}@evil.com`,
      `http://127.0.0.1:${port}`,
      `http://localhost:${port}, http://evil.com`,
      'chrome-extension://abcdefghijklmnop',
      'file://',
    ];
    for (const origin of origins) await expectClosed({ host: `localhost:${port}`, origin });
  });

  it.each(['cross-site', 'same-site', '', 'same-origin, cross-site', 'nonsense'])(
    'refuses a call with Sec-Fetch-Site "%s", with and without an Origin',
    async (site) => {
      await expectClosed({ 'sec-fetch-site': site });
      await expectClosed({ 'sec-fetch-site': site, host: 'localhost', origin: 'http://localhost' });
    },
  );

  it('accepts a call from a page of the service itself', async () => {
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      const page = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
      expect((await call(page)).status).toBe(200);
    }
  });

  it('sends no CORS headers to another origin', async () => {
    const foreign = { origin: 'http://evil.com', 'access-control-request-method': 'POST' };
    for (const method of ['OPTIONS', 'POST', 'GET'] as const) {
      for (const path of ['/api/sync/v1/irs/list', '/metrics', '/openapi.json']) {
        const answer = await request(`${service.url}${path}`, { method, headers: foreign });
        await answer.body.dump();
        const names = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
        expect([method, path, names]).toEqual([method, path, []]);
      }
    }
  });

  it('refuses a wrong credential although none is required', async () => {
    const wrong: Headers[] = [
      { syncpublickey: 'agp_nobody', syncsecretkey: 'ags_nothing' },
      { syncpublickey: '', syncsecretkey: '' },
      { syncpublickey: 'agp_nobody' },
      { authorization: 'Bearer agp_nobody.ags_nothing' },
      { authorization: '' },
      { accesstoken: '' },
    ];
    for (const headers of wrong) expect((await call(headers)).status).toBe(401);
  });

  it('explains in Italian how to create a client if Accept-Language is it', async () => {
    const { envelope } = await call({ host: 'evil.com', 'accept-language': 'it' });
    expect(envelope.message).toContain('npx --no -- anagrafe client create --name erp');
    expect(envelope.message).not.toContain('No API client');
  });
});

const isRoot = process.getuid?.() === 0;
/** Any user except root; it needs no account. */
const otherUid = 65_534;

/** Runs curl, as another user if `uid` is given, and returns the status and the body of the answer. */
async function curl(uid: number | undefined, ...args: string[]): Promise<{ status: number; body: string }> {
  const identity = uid === undefined ? {} : { uid, gid: uid };
  const options = ['-s', '--noproxy', '*', '-w', '\n%{http_code}'];
  const { stdout } = await run('curl', [...options, ...args], { cwd: '/', ...identity });
  const [, body = '', status] = /^(.*)\n(\d+)$/s.exec(stdout) ?? [];
  return { status: Number(status), body };
}

const mapped = '::ffff:127.0.0.1';
const ways = [
  { way: 'IPv4', host: '127.0.0.1', target: '127.0.0.1' },
  { way: 'IPv4 with an IPv6 socket of the caller', host: '127.0.0.1', target: `[${mapped}]` },
  { way: 'IPv4 with an IPv6 socket of the service', host: mapped, target: '127.0.0.1' },
  { way: 'IPv4 with two IPv6 sockets', host: mapped, target: `[${mapped}]` },
  { way: 'IPv6', host: '::1', target: '[::1]' },
];
const hasIpv6 = networkInterfaces().lo?.some(({ address }) => address === '::1');

describe.runIf(process.platform === 'linux').each(ways.filter(({ way }) => hasIpv6 || way === 'IPv4'))(
  'protected mode over $way',
  ({ host, target }) => {
    let listening: TestService;
    beforeAll(async () => {
      listening = await startTestService({ ANAGRAFE_HOST: host });
    });
    const list = (uid?: number) => {
      const url = `http://${target}:${new URL(listening.url).port}/api/sync/v1/irs/list`;
      return curl(uid, '-H', 'Host: localhost', '-H', 'Content-Type: application/json', '-d', '{}', url);
    };

    it('accepts another process of the user that runs the service', async () => {
      expect((await list()).status).toBe(200);
    });

    it.runIf(isRoot)(
      'refuses a process of another user, with the command that creates a client',
      async () => {
        const { status, body } = await list(otherUid);
        expect(status).toBe(401);
        expect(body).toContain('npx --no -- anagrafe client create --name erp');
      },
    );
  },
);

it.runIf(isRoot && process.platform === 'linux')(
  'the console is closed to other users in protected mode',
  async () => {
    const ask = ['-H', 'Sec-Fetch-Site: same-origin', `${service.url}/console/session`];
    expect((await curl(undefined, ...ask)).body).toContain('"protected"');
    expect((await curl(otherUid, ...ask)).body).toContain('"signed-out"');
  },
);

describe('protected mode behind a trusted proxy', () => {
  it('refuses every forwarded call, whatever the forwarded address is', async () => {
    const behind = await startTestService({ ANAGRAFE_TRUST_PROXY: '127.0.0.1/32' });
    for (const address of ['203.0.113.9', '127.0.0.1', '::1', 'unknown', '']) {
      expect((await call({ 'x-forwarded-for': address }, behind)).status).toBe(401);
    }
    await behind.stop();
  });
});

describe('protected mode after the first API client is created', () => {
  it('is off from the next call on, and stays off when that client is revoked', async () => {
    const ending = await startTestService();
    const clients = openClientStore(ending.database);
    expect((await call({}, ending)).status).toBe(200);
    const options = { name: 'erp', scopes: ['sync:read'], networks: [], knownByAddress: false } as const;
    const { client, secret } = await createClient(options, clients, operatorActor);
    const refused = await call({}, ending);
    expect(refused.status).toBe(401);
    expect(refused.envelope.message).toMatch(
      /^A credential is required\. Send the headers SyncPublicKey and SyncSecretKey/,
    );
    const pair = { syncpublickey: client.publicKey, syncsecretkey: secret };
    expect((await call(pair, ending)).status).toBe(200);

    await revokeClient(client.publicKey, clients, operatorActor);
    expect((await call({}, ending)).status).toBe(401);
    expect((await call(pair, ending)).status).toBe(401);
    await ending.stop();
  });
});
