import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { newSecret } from '../../src/lib/secrets.ts';

interface NewClient {
  readonly ID: number;
  readonly PublicKey: string;
  readonly SecretKey: string;
}

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;

beforeAll(async () => {
  service = await startTestService();
  admin = adminOf(service);
  office = await credential(service);
});

async function create(fields: Record<string, unknown> = {}): Promise<NewClient> {
  const answer = await admin('POST clients', office, { Name: 'erp', ...fields });
  expect([answer.status, answer.body.errorCode]).toEqual([200, null]);
  return recordOf<NewClient>(answer);
}

const keysOf = ({ PublicKey, SecretKey }: NewClient): Credential => ({
  SyncPublicKey: PublicKey,
  SyncSecretKey: SecretKey,
});
const statusFor = async (keys: Credential) => (await service.call('irs/list', {}, { headers: keys })).status;

/** Reads the audit rows about a client, oldest first. */
const auditRowsOf = ({ PublicKey }: NewClient) =>
  service.database.query<{ action: string; actor: string }>(
    `select action, actor, client_id, host(address) as address, request_id, details from anagrafe.audit_log
      where details ->> 'publicKey' = $1 order by id`,
    [PublicKey],
  );
const officeId = async () => {
  const { body } = await admin<{ ID: number; PublicKey: string }>('GET clients', office);
  return body.result?.records.find(({ PublicKey }) => PublicKey === office.SyncPublicKey)?.ID;
};

describe('API clients', () => {
  it('are created with the fields sent and a secret that works at once', async () => {
    const fields = {
      Name: 'Gestionale "Rossi"',
      Scopes: ['sync:read', 'sync:read'],
      Networks: ['127.0.0.0/8', '::1'],
      KnownByAddress: false,
    };
    const answer = await admin('POST clients', office, fields);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body.result).toMatchObject({ totalCount: 0, count: 0, records: [] });
    const made = recordOf<NewClient>(answer);
    expect(made).toEqual({
      ID: expect.any(Number),
      PublicKey: expect.stringMatching(/^agp_\w{16}$/),
      Name: 'Gestionale "Rossi"',
      Scopes: ['sync:read'],
      Networks: ['127.0.0.0/8', '::1/128'],
      KnownByAddress: false,
      Tags: null,
      CreatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      RevokedAt: null,
      SecretKey: expect.stringMatching(/^ags_\w{49}$/),
    });
    expect(await statusFor(keysOf(made))).toBe(200);
    const written = await service.call('irs/insert', [{ Name: 'x' }], { headers: keysOf(made) });
    expect(written.status).toBe(403);
  });

  it('may read and write from any address by default', async () => {
    expect(await create({ Scopes: null, Networks: null, KnownByAddress: null })).toMatchObject({
      Scopes: ['sync:write', 'sync:read'],
      Networks: [],
      KnownByAddress: false,
    });
  });

  it('are listed without their secrets, including revoked clients', async () => {
    const { SecretKey, ...made } = await create({ Name: 'listed' });
    await admin(`DELETE clients/${made.PublicKey}`, office);
    const { status, body, text } = await admin('GET clients', office);
    expect(status).toBe(200);
    expect(body.result?.records.at(-1)).toEqual({ ...made, RevokedAt: expect.any(String) });
    const count = body.result?.records.length;
    expect(body.result).toMatchObject({ totalCount: count, count, totalPages: 1, page: 1 });
    expect(text).not.toMatch(/ags_|Secret|digest/i);
    expect(text).not.toContain(SecretKey);
  });

  it('get a new secret on rotation, and the old one stays valid for the grace period', async () => {
    const made = await create();
    const first = await admin(`POST clients/${made.PublicKey}/rotate`, office);
    const next = recordOf<NewClient & { OldEndsAt: string }>(first);
    expect(Object.keys(next)).toEqual(['PublicKey', 'SecretKey', 'OldEndsAt']);
    const hours = (Date.parse(next.OldEndsAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect(await statusFor(keysOf(made))).toBe(200);
    expect(await statusFor(keysOf(next))).toBe(200);
    const last = await admin(`POST clients/${made.PublicKey}/rotate`, office, { Hours: 0 });
    expect(await statusFor(keysOf(next))).toBe(401);
    expect(await statusFor(keysOf(recordOf<NewClient>(last)))).toBe(200);
  });

  it('get 401 from the next call on after they are revoked', async () => {
    const made = await create();
    const { status, body } = await admin(`DELETE clients/${made.PublicKey}`, office);
    expect([status, body.errorCode, body.result?.record]).toEqual([200, null, null]);
    expect(await statusFor(keysOf(made))).toBe(401);
  });

  it.each(['POST clients/%/rotate', 'DELETE clients/%'])(
    'get CLIENT_NOT_FOUND if they are revoked or unknown: %s',
    async (call) => {
      const made = await create();
      await admin(`DELETE clients/${made.PublicKey}`, office);
      for (const key of [made.PublicKey, 'agp_unknown', encodeURIComponent("' or true --"), '%00']) {
        const { status, body } = await admin(call.replace('%', key), office);
        expect([status, body.errorCode, body.result]).toEqual([422, 'CLIENT_NOT_FOUND', null]);
      }
      expect(await auditRowsOf(made)).toHaveLength(2);
    },
  );
});

describe('invalid input for a client', () => {
  it.each<[string, unknown, string]>([
    ['no name', {}, 'INVALID_PARAMETER'],
    ['an empty name', { Name: '' }, 'INVALID_PARAMETER'],
    ['a name that is not a string', { Name: 7 }, 'INVALID_PARAMETER'],
    ['a long name', { Name: 'x'.repeat(256) }, 'INVALID_PARAMETER'],
    ['an unknown scope', { Name: 'x', Scopes: ['root'] }, 'INVALID_PARAMETER'],
    ['no scope', { Name: 'x', Scopes: [] }, 'INVALID_PARAMETER'],
    ['scopes as one string', { Name: 'x', Scopes: 'admin' }, 'INVALID_PARAMETER'],
    ['an invalid network', { Name: 'x', Networks: ['office'] }, 'INVALID_PARAMETER'],
    [
      'an address with bits outside its network',
      { Name: 'x', Networks: ['10.0.0.1/8'] },
      'INVALID_PARAMETER',
    ],
    ['a network that is not a string', { Name: 'x', Networks: [10] }, 'INVALID_PARAMETER'],
    ['too many networks', { Name: 'x', Networks: Array(101).fill('10.0.0.1') }, 'INVALID_PARAMETER'],
    ['a flag that is not a boolean', { Name: 'x', KnownByAddress: 'yes' }, 'INVALID_PARAMETER'],
    ['an unknown field', { Name: 'x', Colour: 'red' }, 'INVALID_PARAMETER'],
    ['a misspelt field', { Name: 'x', networks: ['10.0.0.0/8'] }, 'INVALID_PARAMETER'],
    ['a public key chosen by the caller', { Name: 'x', SecretKey: 'ags_mine' }, 'INVALID_PARAMETER'],
    ['an array', [{ Name: 'x' }], 'INVALID_BODY'],
    ['a body that is not JSON', '{"Name":', 'INVALID_JSON'],
    ['a duplicate field', '{"Name":"x","Name":"y"}', 'INVALID_JSON'],
    ['very many values', { Name: 'x', Networks: Array(300).fill('10.0.0.1') }, 'BODY_TOO_LARGE'],
  ])('is refused: %s', async (_about, body, code) => {
    const before = await service.database.query('select id from anagrafe.clients');
    const answer = await admin('POST clients', office, body);
    expect([answer.status, answer.body.errorCode]).toEqual([code === 'BODY_TOO_LARGE' ? 413 : 400, code]);
    expect(answer.body.message).not.toBe('');
    expect(await service.database.query('select id from anagrafe.clients')).toEqual(before);
  });

  it('is refused with 422 if the fields contradict each other', async () => {
    const refusal = async (fields: Record<string, unknown>) => {
      const { status, body } = await admin('POST clients', office, {
        Name: 'x',
        KnownByAddress: true,
        ...fields,
      });
      return [status, body.errorCode, body.message];
    };
    expect(await refusal({ Name: 'two\nlines' })).toEqual([
      422,
      'INVALID_CLIENT',
      'The name of a client must be one line of text.',
    ]);
    expect((await refusal({}))[2]).toBe(
      'A client that is identified by its IP address needs at least one network.',
    );
    expect((await refusal({ Networks: ['0.0.0.0/0'] }))[2]).toContain('at most 1/128 of all addresses');
    await create({ Networks: ['172.16.0.0/12'], KnownByAddress: true });
    expect((await refusal({ Networks: ['172.16.5.0/24'] })).slice(0, 2)).toEqual([
      422,
      'CLIENT_ADDRESS_TAKEN',
    ]);
  });

  it('is refused as the Hours of a rotation', async () => {
    const made = await create();
    for (const Hours of [-1, 1.5, '24', 10_000, true]) {
      const { status, body } = await admin(`POST clients/${made.PublicKey}/rotate`, office, { Hours });
      expect([Hours, status, body.errorCode]).toEqual([Hours, 400, 'INVALID_PARAMETER']);
    }
  });
});

describe('every change of a client', () => {
  it('is in the audit log with its actor and without secrets', async () => {
    const made = await create({ Name: 'watched', Networks: ['10.0.0.0/8'] });
    const rotated = await admin(`POST clients/${made.PublicKey}/rotate`, office, { Hours: 2 });
    const { SecretKey } = recordOf<NewClient>(rotated);
    await admin(`DELETE clients/${made.PublicKey}`, { ...office, 'x-request-id': 'the-last-one' });
    const by = { actor: 'client', client_id: await officeId(), address: '127.0.0.1' };
    const client = { client: made.ID, publicKey: made.PublicKey };
    expect(await auditRowsOf(made)).toMatchObject([
      { action: 'client.created', ...by, details: { ...client, name: 'watched', networks: ['10.0.0.0/8'] } },
      { action: 'client.rotated', ...by, details: { ...client, oldEndsAt: expect.any(String) } },
      { action: 'client.revoked', ...by, request_id: 'the-last-one', details: client },
    ]);
    const auditLog = JSON.stringify(
      await service.database.query('select audit_log::text as row from anagrafe.audit_log'),
    );
    expect(auditLog).toContain(made.PublicKey);
    for (const secret of [made.SecretKey, SecretKey, office.SyncSecretKey ?? ''])
      expect(auditLog).not.toContain(secret.slice(4, 20));
    expect(service.log.join('')).not.toContain(SecretKey.slice(4, 20));
  });

  it('is rolled back if its audit row cannot be written', async () => {
    const made = await create();
    const { database } = service;
    const closed = `alter table anagrafe.audit_log add constraint closed check (action not like 'client.%') not valid`;
    await database.query(closed);
    try {
      for (const call of [
        'POST clients',
        `POST clients/${made.PublicKey}/rotate`,
        `DELETE clients/${made.PublicKey}`,
      ]) {
        const { status, body } = await admin(
          call,
          office,
          call.endsWith('clients') ? { Name: 'lost' } : undefined,
        );
        expect([call, status, body.errorCode]).toEqual([call, 500, 'INTERNAL']);
      }
    } finally {
      await database.query('alter table anagrafe.audit_log drop constraint closed');
    }
    expect(await statusFor(keysOf(made))).toBe(200);
    expect(await database.query(`select from anagrafe.clients where name = 'lost'`)).toEqual([]);
    const secrets = await database.query('select from anagrafe.client_secrets where client_id = $1', [
      made.ID,
    ]);
    expect(secrets).toHaveLength(1);
  });

  it('has the service as its actor if ANAGRAFE_FIRST_CLIENT creates the client', async () => {
    const other = await startTestService({ ANAGRAFE_FIRST_CLIENT: `deployment.${newSecret()}` });
    expect(
      await other.database.query(`select actor, details ->> 'name' as name from anagrafe.audit_log`),
    ).toEqual([{ actor: 'service', name: 'first' }]);
  });
});

it('the last client with the scope admin can revoke itself', async () => {
  const other = await startTestService();
  const only = await credential(other);
  const call = adminOf(other);
  expect((await call(`DELETE clients/${only.SyncPublicKey}`, only)).status).toBe(200);
  expect((await call('GET clients', only)).status).toBe(401);
});
