import { connect } from 'node:net';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import {
  type ClientStore,
  createClient,
  type NewClient,
  revokeClient,
  rotateSecret,
} from '../../src/clients/clients.ts';
import type { Envelope } from '../../src/http/envelope.ts';

type Headers = Record<string, string>;

interface Pair {
  publicKey: string;
  secret: string;
}

let service: TestService;
let clients: ClientStore;
let erp: Pair;

beforeAll(async () => {
  service = await startTestService();
  clients = openClientStore(service.database);
  erp = await create({ scopes: ['sync:write', 'sync:read'] });
});

async function create(fields: Partial<NewClient>): Promise<Pair> {
  const all = { name: 'erp', scopes: ['sync:read'], networks: [], knownByAddress: false, ...fields } as const;
  const { client, secret } = await createClient(all, clients, operatorActor);
  return { publicKey: client.publicKey, secret };
}

const inHeaders = ({ publicKey, secret }: Pair): Headers => ({
  SyncPublicKey: publicKey,
  SyncSecretKey: secret,
});
const asBearer = ({ publicKey, secret }: Pair): Headers => ({
  authorization: `Bearer ${publicKey}.${secret}`,
});

async function call(headers: Headers, path = 'irs/list', body: unknown = {}) {
  const answer = await request(`${service.url}/api/sync/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const envelope = (await answer.body.json()) as Envelope;
  return { status: answer.statusCode, headers: answer.headers, envelope };
}

async function statusOf(headers: Headers, path?: string, body?: unknown): Promise<number> {
  return (await call(headers, path, body)).status;
}

describe('the credential of an API client', () => {
  it('is accepted as a pair of headers and as a bearer token', async () => {
    expect(await statusOf(inHeaders(erp))).toBe(200);
    expect(await statusOf(asBearer(erp))).toBe(200);
    expect(await statusOf({ authorization: `bearer  ${erp.publicKey}.${erp.secret}` })).toBe(200);
  });

  it('is accepted with a foreign Host, through a proxy and from a web page', async () => {
    const proxyHeaders = { host: 'api.example.com', 'x-forwarded-for': '203.0.113.9', via: '1.1 edge' };
    expect(await statusOf({ ...proxyHeaders, ...inHeaders(erp) })).toBe(200);
    expect(await statusOf({ origin: 'https://app.example.com', ...inHeaders(erp) })).toBe(200);
  });

  it('is refused with 401 and WWW-Authenticate if it is missing, wrong, incomplete or of another kind', async () => {
    const { publicKey, secret } = erp;
    const other = await create({});
    const lastFlipped = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A');
    const wrong: Record<string, Headers> = {
      none: {},
      'a wrong secret': inHeaders({ publicKey, secret: lastFlipped }),
      'a shortened secret': inHeaders({ publicKey, secret: secret.slice(0, -1) }),
      'a lengthened secret': inHeaders({ publicKey, secret: `${secret}0` }),
      'an empty secret': inHeaders({ publicKey, secret: '' }),
      "another client's secret": inHeaders({ publicKey, secret: other.secret }),
      'the public key as the secret': inHeaders({ publicKey, secret: publicKey }),
      'an unknown public key': inHeaders({ publicKey: 'agp_0000000000000000', secret }),
      'a public key in other letters': inHeaders({ publicKey: publicKey.toUpperCase(), secret }),
      'a wildcard': inHeaders({ publicKey: '%', secret }),
      'an injection': inHeaders({ publicKey: "' or true --", secret }),
      'beyond ASCII': inHeaders({ publicKey: 'agp_\u00e9\u00ff', secret }),
      'very long': inHeaders({ publicKey: 'a'.repeat(6000), secret: 'b'.repeat(6000) }),
      'the public key alone': { SyncPublicKey: publicKey },
      'the secret alone': { SyncSecretKey: secret },
      'both empty': inHeaders({ publicKey: '', secret: '' }),
      'a bearer token without a dot': { authorization: `Bearer ${publicKey}${secret}` },
      'a bearer token the wrong way round': { authorization: `Bearer ${secret}.${publicKey}` },
      'an empty bearer token': { authorization: 'Bearer ' },
      'a token without a scheme': { authorization: `${publicKey}.${secret}` },
      Basic: { authorization: `Basic ${Buffer.from(`${publicKey}:${secret}`).toString('base64')}` },
      Negotiate: { authorization: 'Negotiate abc' },
      'an AccessToken': { AccessToken: `${publicKey}.${secret}` },
      'an empty AccessToken': { AccessToken: '' },
    };
    for (const [kind, headers] of Object.entries(wrong)) {
      const answer = await call(headers);
      expect([kind, answer.status]).toEqual([kind, 401]);
      expect(answer.envelope).toEqual({
        statusCode: 401,
        errorCode: 'UNAUTHENTICATED',
        message: expect.stringMatching(/credential/),
        result: null,
        debug: null,
      });
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="anagrafe"');
      expect(JSON.stringify(answer.envelope)).not.toContain(secret.slice(0, 12));
    }
  });

  it('is refused if two are sent, even if each of them is valid', async () => {
    const both: Headers[] = [
      { ...inHeaders(erp), ...asBearer(erp) },
      { ...inHeaders(erp), authorization: 'Basic abc' },
      { ...inHeaders(erp), AccessToken: 'abc' },
      { ...asBearer(erp), AccessToken: '' },
      { ...asBearer(erp), SyncPublicKey: erp.publicKey },
    ];
    for (const headers of both) {
      const { status, envelope } = await call(headers);
      expect(status).toBe(401);
      expect(envelope.message).toBe('The request has several credentials. Send only one.');
    }
  });

  it('is refused if one of its headers is repeated with another value', async () => {
    const { publicKey, secret } = erp;
    const right = `Authorization: Bearer ${publicKey}.${secret}`;
    const twice = [
      [right, 'Authorization: Bearer agp_nobody.ags_nothing'],
      [`SyncPublicKey: ${publicKey}`, 'SyncPublicKey: agp_nobody', `SyncSecretKey: ${secret}`],
      [`SyncPublicKey: ${publicKey}`, `SyncSecretKey: ${secret}`, 'SyncSecretKey: ags_nothing'],
    ];
    for (const headers of twice) {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
      const head = ['POST /api/sync/v1/irs/list HTTP/1.1', 'Host: localhost', ...headers];
      const rest = ['Content-Type: application/json', 'Content-Length: 2', 'Connection: close', '', '{}'];
      socket.write([...head, ...rest].join('\r\n'));
      let answer = '';
      for await (const chunk of socket) answer += chunk;
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it('is checked before the body, the parameters and the size', async () => {
    const url = `${service.url}/api/sync/v1/irs/update`;
    const headers = { 'content-type': 'application/json' };
    for (const [query, body] of [
      ['', '{not json'],
      ['?unknown=1', '[]'],
      ['', `[${' '.repeat(70_000)}]`],
    ]) {
      const answer = await fetch(url + query, { method: 'POST', headers, body: body ?? '' });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({ errorCode: 'UNAUTHENTICATED' });
    }
  });
});

describe('the scopes of an API client', () => {
  const records = [{ Denomination: 'Scopes' }];

  it('allow it to read or to write, and the error names the missing scope', async () => {
    const reader = inHeaders(await create({ scopes: ['sync:read'] }));
    const writer = inHeaders(await create({ scopes: ['sync:write'] }));
    expect(await statusOf(reader, 'irs/list')).toBe(200);
    expect(await statusOf(reader, 'irs/users')).toBe(200);
    expect(await statusOf(writer, 'irs/insert', records)).toBe(200);
    const refused = [
      [await call(reader, 'irs/insert', records), 'sync:write'],
      [await call(reader, 'irs/update', records), 'sync:write'],
      [await call(writer, 'irs/list'), 'sync:read'],
      [await call(writer, 'irs/users'), 'sync:read'],
    ] as const;
    for (const [{ status, envelope, headers }, scope] of refused) {
      expect(status).toBe(403);
      expect(headers['www-authenticate']).toBeUndefined();
      expect(envelope).toMatchObject({
        statusCode: 403,
        errorCode: 'FORBIDDEN',
        message: `This operation requires the scope ${scope}, which this credential does not have.`,
      });
    }
    const methods = ['PUT', 'PATCH'] as const;
    for (const method of methods) {
      const answer = await request(`${service.url}/api/sync/v1/irs/update`, { method, headers: reader });
      await answer.body.dump();
      expect(answer.statusCode).toBe(403);
    }
  });

  it('include all others if one of them is admin', async () => {
    const admin = inHeaders(await create({ scopes: ['admin'] }));
    expect(await statusOf(admin, 'irs/insert', records)).toBe(200);
    expect(await statusOf(admin, 'irs/list')).toBe(200);
  });

  it('are required: a client without any can neither read nor write', async () => {
    const nothing = inHeaders(await create({ scopes: [] }));
    expect(await statusOf(nothing, 'irs/list')).toBe(403);
    expect(await statusOf(nothing, 'irs/insert', records)).toBe(403);
  });
});

describe('the secrets of an API client', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000);
  const graceOfZeroHours = () => new Date(Date.now());

  it('are two during a rotation, and never three', async () => {
    const { publicKey, secret: first } = await create({});
    const second = await rotateSecret(publicKey, inAnHour(), clients, operatorActor);
    expect(await statusOf(inHeaders({ publicKey, secret: first }))).toBe(200);
    expect(await statusOf(asBearer({ publicKey, secret: second }))).toBe(200);

    const third = await rotateSecret(publicKey, inAnHour(), clients, operatorActor);
    expect(await statusOf(inHeaders({ publicKey, secret: first }))).toBe(401);
    expect(await statusOf(inHeaders({ publicKey, secret: second }))).toBe(200);
    expect(await statusOf(inHeaders({ publicKey, secret: third }))).toBe(200);
  });

  it('are replaced at once by a rotation without a grace period', async () => {
    const { publicKey, secret } = await create({});
    const next = await rotateSecret(publicKey, graceOfZeroHours(), clients, operatorActor);
    expect(await statusOf(inHeaders({ publicKey, secret }))).toBe(401);
    expect(await statusOf(inHeaders({ publicKey, secret: next }))).toBe(200);
  });

  it('are refused after they expire', async () => {
    const { publicKey, secret } = await create({});
    const next = await rotateSecret(publicKey, inAnHour(), clients, operatorActor);
    expect(await statusOf(inHeaders({ publicKey, secret }))).toBe(200);
    await service.database.query(
      `update anagrafe.client_secrets set expires_at = clock_timestamp() + interval '50 ms'
        where expires_at is not null and client_id = (select id from anagrafe.clients where public_key = $1)`,
      [publicKey],
    );
    await expect.poll(() => statusOf(inHeaders({ publicKey, secret }))).toBe(401);
    expect(await statusOf(inHeaders({ publicKey, secret: next }))).toBe(200);
  });

  it('stay expired after another rotation', async () => {
    const { publicKey, secret } = await create({});
    await rotateSecret(publicKey, graceOfZeroHours(), clients, operatorActor);
    await rotateSecret(publicKey, inAnHour(), clients, operatorActor);
    expect(await statusOf(inHeaders({ publicKey, secret }))).toBe(401);
  });

  it('are refused from the next call on after their client is revoked, and cannot be rotated', async () => {
    const { publicKey, secret } = await create({});
    const second = await rotateSecret(publicKey, inAnHour(), clients, operatorActor);
    expect(await statusOf(inHeaders({ publicKey, secret }))).toBe(200);
    await revokeClient(publicKey, clients, operatorActor);
    expect(await statusOf(inHeaders({ publicKey, secret }))).toBe(401);
    expect(await statusOf(inHeaders({ publicKey, secret: second }))).toBe(401);
    await expect(rotateSecret(publicKey, inAnHour(), clients, operatorActor)).rejects.toMatchObject({
      detail: { code: 'CLIENT_NOT_FOUND', figures: { publicKey } },
    });
    await expect(revokeClient(publicKey, clients, operatorActor)).rejects.toMatchObject({
      detail: { code: 'CLIENT_NOT_FOUND' },
    });
  });

  it('are stored only as a digest of 32 bytes, and are never logged', async () => {
    const { publicKey, secret } = await create({ name: 'logged' });
    await statusOf(inHeaders({ publicKey, secret }));
    await statusOf(asBearer({ publicKey, secret }));
    await statusOf(inHeaders({ publicKey: 'agp_nobody', secret }));
    await call(inHeaders({ publicKey, secret }), `irs/list?key=${secret}`);
    const columns = await service.database.query(
      `select data_type as type from information_schema.columns
        where table_schema = 'anagrafe' and table_name = 'client_secrets' and column_name = 'digest'`,
    );
    expect(columns).toEqual([{ type: 'bytea' }]);
    const lengths = await service.database.query(
      'select distinct octet_length(digest) as bytes from anagrafe.client_secrets',
    );
    expect(lengths).toEqual([{ bytes: 32 }]);
    const tables = await service.database.query(
      `select client::text || secret::text as row
         from anagrafe.clients as client join anagrafe.client_secrets as secret on client_id = client.id`,
    );
    const hidden = secret.slice(4, 20);
    expect(JSON.stringify(tables)).toContain(publicKey);
    expect(JSON.stringify(tables)).not.toContain(hidden);
    const log = service.log.join('');
    expect(log).toContain('"client":"logged"');
    expect(log).not.toContain(hidden);
    expect(log).not.toContain(erp.secret.slice(4, 20));
  });

  it('are unique, and have a prefix that secret scanners recognise', async () => {
    const pairs = await Promise.all(Array.from({ length: 20 }, () => create({})));
    for (const { publicKey, secret } of pairs) {
      expect(publicKey).toMatch(/^agp_[0-9A-Za-z]{16}$/);
      expect(secret).toMatch(/^ags_[0-9A-Za-z]{49}$/);
    }
    expect(new Set(pairs.map((pair) => pair.secret)).size).toBe(20);
    expect(new Set(pairs.map((pair) => pair.publicKey)).size).toBe(20);
  });
});
