import { type Credential, credential } from '@anagrafe/testing/admin';
import { atConsole, browserOf, keysOf, ownPage } from '@anagrafe/testing/console';
import { holding } from '@anagrafe/testing/jobs';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorActor } from '../../src/audit/audit-log.ts';
import { openClientStore } from '../../src/clients/clients.store.ts';
import { revokeClient, rotateSecret } from '../../src/clients/clients.ts';
import type { Envelope } from '../../src/http/envelope.ts';

let service: TestService;
let browse: ReturnType<typeof browserOf>;
let office: Credential;

beforeAll(async () => {
  service = await startTestService();
  browse = browserOf(service);
  office = await credential(service);
});

const signIn = (keys: unknown, headers: Record<string, string> = ownPage) =>
  browse('POST /console/session', headers, keys);
const session = (headers: Record<string, string>) => browse('GET /console/session', headers);
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

/** Changes the timestamps of all sessions, to simulate the passing of time. `change` is a SQL `set` list. */
const age = (change: string) => service.database.query(`update anagrafe.console_sessions set ${change}`);

function minutesLeft({ result }: Envelope): number {
  const { ExpiresAt = '' } = (result?.record ?? {}) as { ExpiresAt?: string };
  return Math.ceil((Date.parse(ExpiresAt) - Date.now()) / 60_000);
}

async function expectEnded(headers: Record<string, string>): Promise<void> {
  const called = await browse('GET /admin/v1/clients', headers);
  expect([called.status, called.body.errorCode]).toEqual([401, 'UNAUTHENTICATED']);
  expect((await session(headers)).body.result?.record).toEqual(signedOut);
}

describe('signing in at the console', () => {
  it('sets an HttpOnly, SameSite=Strict session cookie and returns the client', async () => {
    const { status, cookie, body } = await signIn(keysOf(office));
    expect(status).toBe(200);
    expect(cookie).toMatch(/^anagrafe_console=agc_[0-9A-Za-z]{49}; Path=\/; HttpOnly; SameSite=Strict$/);
    const ExpiresAt = expect.any(String);
    const Client = { PublicKey: office.SyncPublicKey, Name: 'office' };
    expect(body.result?.record).toMatchObject({ State: 'signed-in', Client, Operator: null, ExpiresAt });
    expect(minutesLeft(body)).toBe(30);
  });

  it('sets a Secure cookie with the __Host- prefix over HTTPS, also behind a proxy', async () => {
    const behind = await startTestService({ ANAGRAFE_TRUST_PROXY: '127.0.0.1/32' });
    const client = await credential(behind);
    const proxied = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'anagrafe.example.com',
    };
    const own = { ...proxied, origin: 'https://anagrafe.example.com' };
    const { status, cookie = '' } = await browserOf(behind)('POST /console/session', own, keysOf(client));
    expect(status).toBe(200);
    expect(cookie).toMatch(/^__Host-anagrafe_console=agc_\w+; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    const called = await browserOf(behind)('GET /admin/v1/clients', {
      ...proxied,
      cookie: cookie.split(';')[0] ?? '',
    });
    expect(called.status).toBe(200);
    await behind.stop();
  });

  it('accepts only keys of an active client with the scope admin, from its networks', async () => {
    const reader = await credential(service, { scopes: ['sync:read', 'sync:write'] });
    const elsewhere = await credential(service, { networks: ['203.0.113.0/24'] });
    const revoked = await credential(service);
    await revokeClient(revoked.SyncPublicKey ?? '', openClientStore(service.database), operatorActor);
    const wrong: [Credential, number, string][] = [
      [{ ...office, SyncSecretKey: 'ags_wrong' }, 401, 'UNAUTHENTICATED'],
      [{ ...office, SyncPublicKey: 'agp_nobody' }, 401, 'UNAUTHENTICATED'],
      [{ ...office, SyncPublicKey: 'agp_\0' }, 401, 'UNAUTHENTICATED'],
      [revoked, 401, 'UNAUTHENTICATED'],
      [elsewhere, 401, 'UNAUTHENTICATED'],
      [reader, 403, 'FORBIDDEN'],
    ];
    for (const [keys, status, code] of wrong) {
      const answer = await signIn(keysOf(keys));
      expect([answer.status, answer.body.errorCode, answer.cookie]).toEqual([status, code, undefined]);
      expect(answer.text).not.toContain(keys.SyncSecretKey);
    }
  });

  it.each([
    [{ PublicKey: 'agp_x' }, 400],
    [{ PublicKey: 'agp_x', SecretKey: 7 }, 400],
    [{ PublicKey: 'agp_x', SecretKey: 'x', More: 1 }, 400],
    [[], 400],
  ])('is refused with an invalid body: %j', async (body, status) => {
    expect((await signIn(body)).status).toBe(status);
  });

  it('is possible only from pages of the console', async () => {
    const { host } = new URL(service.url);
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: service.url },
      { origin: 'http://evil.com' },
      { origin: `https://${host}` },
      { origin: 'null' },
    ];
    for (const headers of foreign) {
      const { status, body, cookie } = await signIn(keysOf(office), headers);
      expect([headers, status, body.errorCode, cookie]).toEqual([headers, 403, 'FORBIDDEN', undefined]);
    }
    expect((await signIn(keysOf(office), { origin: service.url })).status).toBe(200);
  });

  it('and signing out are in the audit log, without the token or the secret', async () => {
    const headers = await atConsole(service, office);
    const token = headers.cookie?.split('=')[1] ?? '';
    await browse('DELETE /console/session', headers);
    const rows = await service.database.query<{ action: string; actor: string; row: string }>(
      `select action, actor, audit_log::text as row from anagrafe.audit_log where action like 'console.%' order by id desc limit 2`,
    );
    expect(rows.map(({ action, actor }) => [action, actor])).toEqual([
      ['console.logout', 'console'],
      ['console.login', 'console'],
    ]);
    const sessions = await service.database.query('select c::text from anagrafe.console_sessions as c');
    const written = JSON.stringify([rows, sessions, service.log]);
    for (const secret of [token, office.SyncSecretKey ?? ''])
      expect(written).not.toContain(secret.slice(4, 40));
    expect(token).toMatch(/^agc_/);
  });
});

describe('a session of the console', () => {
  it('makes calls as its client, with the actor console in the audit log', async () => {
    const headers = await atConsole(service, office);
    expect((await browse('GET /admin/v1/statistics', headers)).status).toBe(200);
    const made = await browse('POST /api/sync/v1/irs/insert', headers, [{ Denomination: 'by hand' }]);
    expect(made.status).toBe(200);
    const [row] = await service.database.query(
      `select actor, client_id = (select id from anagrafe.clients where public_key = $1) as own
         from anagrafe.audit_log where action = 'insert' order by id desc limit 1`,
      [office.SyncPublicKey],
    );
    expect(row).toEqual({ actor: 'console', own: true });
  });

  it('ends after 30 minutes without use, and is extended by use', async () => {
    const headers = await atConsole(service, office);
    await age(`used_at = now() - interval '29 minutes'`);
    expect((await session(headers)).body.result?.record).toMatchObject({ State: 'signed-in' });
    await age(`used_at = used_at - interval '30 seconds'`);
    expect((await browse('GET /admin/v1/clients', headers)).status).toBe(200);
    await age(`used_at = used_at - interval '29 minutes'`);
    expect((await browse('GET /admin/v1/clients', headers)).status).toBe(200);
    await age(`used_at = now() - interval '30 minutes'`);
    await expectEnded(headers);
  });

  it('is not extended by reading its state', async () => {
    const headers = await atConsole(service, office);
    await age(`used_at = now() - interval '29 minutes'`);
    await session(headers);
    await age(`used_at = used_at - interval '2 minutes'`);
    await expectEnded(headers);
  });

  it('ends after twelve hours even if it is used', async () => {
    const headers = await atConsole(service, office);
    await age(`created_at = now() - interval '11 hours 50 minutes'`);
    const { body } = await session(headers);
    expect(minutesLeft(body)).toBe(10);
    await age(`created_at = now() - interval '12 hours'`);
    await expectEnded(headers);
  });

  it('ends with the next sign-in of the same browser, without effect on those of other browsers', async () => {
    const other = await atConsole(service, office);
    const headers = await atConsole(service, office);
    const { status, cookie = '' } = await signIn(keysOf(office), headers);
    expect(status).toBe(200);
    await expectEnded(headers);
    for (const kept of [other, { ...ownPage, cookie: cookie.split(';')[0] ?? '' }])
      expect((await session(kept)).body.result?.record).toMatchObject({ State: 'signed-in' });
  });

  it('ends with its own sign-out, without effect on other sessions', async () => {
    const other = await atConsole(service, office);
    const headers = await atConsole(service, office);
    const out = await browse('DELETE /console/session', headers);
    expect(out.body.result?.record).toEqual(signedOut);
    expect(out.cookie).toBe('anagrafe_console=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0');
    await expectEnded(headers);
    expect((await session(other)).body.result?.record).toMatchObject({ State: 'signed-in' });
    expect((await browse('DELETE /console/session', headers)).status).toBe(200);
  });

  it('ends at once when its client is revoked, is rotated, loses the scope or the network', async () => {
    const clients = openClientStore(service.database);
    const end: [string, (publicKey: string) => Promise<unknown>][] = [
      ['revoked', (publicKey) => revokeClient(publicKey, clients, operatorActor)],
      [
        'rotated',
        (publicKey) => rotateSecret(publicKey, new Date(Date.now() + 3_600_000), clients, operatorActor),
      ],
      [
        'without the scope',
        (publicKey) =>
          service.database.query(`update anagrafe.clients set scopes = '{sync:read}' where public_key = $1`, [
            publicKey,
          ]),
      ],
      [
        'from another network',
        (publicKey) =>
          service.database.query(
            `update anagrafe.clients set networks = '{203.0.113.0/24}' where public_key = $1`,
            [publicKey],
          ),
      ],
    ];
    for (const [what, make] of end) {
      const client = await credential(service);
      const headers = await atConsole(service, client);
      expect([what, (await browse('GET /admin/v1/clients', headers)).status]).toEqual([what, 200]);
      await make(client.SyncPublicKey ?? '');
      await expectEnded(headers);
    }
  });

  it('that is created during the rotation of its secret ends as well', async () => {
    const client = await credential(service);
    const headers = await atConsole(service, client);
    const raced = 'agc_raced';
    const opening = [
      `insert into anagrafe.console_sessions (token_digest, secret_id, secret_expires_at)
       select sha256($1), secret_id, secret_expires_at from anagrafe.console_sessions order by created_at desc limit 1`,
      Buffer.from(raced),
    ] as const;
    await holding(service, opening, async () => {
      const end = new Date(Date.now() + 3_600_000);
      await rotateSecret(client.SyncPublicKey ?? '', end, openClientStore(service.database), operatorActor);
    });
    await expectEnded(headers);
    await expectEnded({ ...ownPage, cookie: `anagrafe_console=${raced}` });
  });

  it('that was created with an old secret ends when that secret expires', async () => {
    const client = await credential(service);
    await rotateSecret(
      client.SyncPublicKey ?? '',
      new Date(Date.now() + 60_000),
      openClientStore(service.database),
      operatorActor,
    );
    const headers = await atConsole(service, client);
    expect((await browse('GET /admin/v1/clients', headers)).status).toBe(200);
    await service.database.query(
      `with ended as (update anagrafe.client_secrets set expires_at = now() where expires_at > now() returning id)
       update anagrafe.console_sessions set secret_expires_at = now() from ended where secret_id = ended.id`,
    );
    await expectEnded(headers);
  });

  it('is refused together with another credential, and if its cookie is sent twice', async () => {
    const headers = await atConsole(service, office);
    const both = await browse('GET /admin/v1/clients', { ...headers, ...office });
    expect([both.status, both.body.errorCode]).toEqual([401, 'UNAUTHENTICATED']);
    expect(both.body.message).toContain('several credentials');
    const twice = await browse('GET /admin/v1/clients', {
      ...headers,
      cookie: `${headers.cookie}; ${headers.cookie}`,
    });
    expect(twice.status).toBe(401);
    expect((await browse('GET /console/session', { ...headers, ...office })).status).toBe(401);
  });

  it('is refused with a changed token', async () => {
    const { cookie = '' } = await atConsole(service, office);
    for (const wrong of [`${cookie}x`, cookie.slice(0, -1), 'anagrafe_console=', 'anagrafe_console=agc_x'])
      await expectEnded({ ...ownPage, cookie: wrong });
  });
});
