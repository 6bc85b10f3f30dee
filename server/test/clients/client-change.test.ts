import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { atConsole, browserOf } from '@anagrafe/testing/console';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;

beforeAll(async () => {
  service = await startTestService();
  admin = adminOf(service);
  office = await credential(service);
});

const change = ({ SyncPublicKey }: Credential, body: unknown) =>
  admin(`PATCH clients/${SyncPublicKey}`, office, body);
const listed = async ({ SyncPublicKey }: Credential) => {
  const { body } = await admin<{ PublicKey: string }>('GET clients', office);
  return body.result?.records.find(({ PublicKey }) => PublicKey === SyncPublicKey);
};
const auditRowsOf = ({ SyncPublicKey }: Credential) =>
  service.database.query(
    `select actor, details from anagrafe.audit_log
      where action = 'client.changed' and details ->> 'publicKey' = $1 order by id`,
    [SyncPublicKey],
  );

describe('a change of a client', () => {
  it('updates the fields that are sent and no others', async () => {
    const erp = await credential(service, { name: 'erp', scopes: ['sync:read'], networks: ['127.0.0.0/8'] });
    const before = await listed(erp);
    const named = await change(erp, { Name: 'Gestionale', Scopes: null });
    expect(named.status).toBe(200);
    expect(recordOf(named)).toEqual({ ...before, Name: 'Gestionale' });
    const scoped = await change(erp, {
      Scopes: ['sync:write', 'sync:write'],
      Networks: ['127.0.0.1', '::1'],
    });
    const after = {
      ...before,
      Name: 'Gestionale',
      Scopes: ['sync:write'],
      Networks: ['127.0.0.1/32', '::1/128'],
    };
    expect(recordOf(scoped)).toEqual(after);
    expect(await listed(erp)).toEqual(after);
    expect(recordOf(await change(erp, { Networks: [] }))).toEqual({ ...after, Networks: [] });
    expect(recordOf(await change(erp, {}))).toEqual({ ...after, Networks: [] });
  });

  it('takes effect with the next call', async () => {
    const erp = await credential(service, { scopes: ['sync:read'] });
    const read = async () => (await service.call('irs/list', {}, { headers: erp })).status;
    expect(await read()).toBe(200);
    await change(erp, { Scopes: ['sync:write'] });
    expect(await read()).toBe(403);
    await change(erp, { Scopes: ['sync:read'], Networks: ['203.0.113.0/24'] });
    expect(await read()).toBe(401);
    await change(erp, { Networks: ['127.0.0.0/8'] });
    expect(await read()).toBe(200);
  });

  it.each([
    [{ Name: '' }, 400, 'INVALID_PARAMETER'],
    [{ Name: 'two\nlines' }, 422, 'INVALID_CLIENT'],
    [{ Scopes: [] }, 400, 'INVALID_PARAMETER'],
    [{ Scopes: ['root'] }, 400, 'INVALID_PARAMETER'],
    [{ Networks: ['office'] }, 400, 'INVALID_PARAMETER'],
    [{ KnownByAddress: 'yes' }, 400, 'INVALID_PARAMETER'],
    [{ PublicKey: 'agp_mine' }, 400, 'INVALID_PARAMETER'],
    [{ KnownByAddress: true }, 422, 'INVALID_CLIENT'],
    [{ KnownByAddress: true, Networks: ['0.0.0.0/0'] }, 422, 'INVALID_CLIENT'],
    [[], 400, 'INVALID_BODY'],
  ])('is refused without effect if it is invalid: %j', async (body, status, code) => {
    const erp = await credential(service, { name: 'erp' });
    const before = await listed(erp);
    const answer = await change(erp, body);
    expect([answer.status, answer.body.errorCode]).toEqual([status, code]);
    expect(await listed(erp)).toEqual(before);
    expect(await auditRowsOf(erp)).toEqual([]);
  });

  it('cannot assign an address to two clients that are known by address', async () => {
    const one = await credential(service, { networks: ['198.51.100.0/24'], knownByAddress: true });
    const other = await credential(service, { networks: ['198.51.100.0/25'] });
    const taken = await change(other, { KnownByAddress: true });
    expect([taken.status, taken.body.errorCode]).toEqual([422, 'CLIENT_ADDRESS_TAKEN']);
    expect((await change(one, { Networks: ['198.51.100.128/25'] })).status).toBe(200);
    expect((await change(other, { KnownByAddress: true })).status).toBe(200);
    expect((await change(one, { Networks: ['198.51.100.0/24'] })).body.errorCode).toBe(
      'CLIENT_ADDRESS_TAKEN',
    );
    expect((await change(one, { Networks: [] })).body.errorCode).toBe('INVALID_CLIENT');
  });

  it('gets CLIENT_NOT_FOUND if the client is revoked or unknown', async () => {
    const gone = await credential(service);
    await admin(`DELETE clients/${gone.SyncPublicKey}`, office);
    for (const client of [gone, { SyncPublicKey: 'agp_nobody' }, { SyncPublicKey: '%00' }]) {
      const { status, body } = await change(client, { Name: 'x' });
      expect([status, body.errorCode]).toEqual([422, 'CLIENT_NOT_FOUND']);
    }
  });

  it('is in the audit log with its actor and the new values, unless nothing changes', async () => {
    const erp = await credential(service);
    await change(erp, { Name: null });
    await change(erp, { Name: 'x', Scopes: ['sync:read'] });
    expect(await auditRowsOf(erp)).toEqual([
      {
        actor: 'client',
        details: {
          client: expect.any(Number),
          publicKey: erp.SyncPublicKey,
          name: 'x',
          scopes: ['sync:read'],
        },
      },
    ]);
  });

  it('permanently ends the console sessions of the client if it removes the scope admin', async () => {
    const person = await credential(service);
    const headers = await atConsole(service, person);
    const status = async () => (await browserOf(service)('GET /admin/v1/clients', headers)).status;
    await change(person, { Name: 'still admin' });
    expect(await status()).toBe(200);
    await change(person, { Scopes: ['sync:read'] });
    expect(await status()).toBe(401);
    await change(person, { Scopes: ['admin'] });
    expect(await status()).toBe(401);
  });
});
