import { adminOf, type Credential, credential } from '@anagrafe/testing/admin';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { beforeEach, describe, expect, it } from 'vitest';

let service: TestService;
let office: Credential;
let erp: Credential;

beforeEach(async () => {
  service = await startTestService();
  office = await credential(service);
  erp = await credential(service, { name: 'erp', scopes: ['sync:read'], networks: ['192.0.2.0/24'] });
});

const list = async (headers: Record<string, string>) =>
  (await service.call('irs/list', {}, { headers })).status;

/** Waits for `count` audit rows about denied clients: the service writes them without delaying the answer. */
async function denied(count: number) {
  const rows = () =>
    service.database.query<{ details: object; client_id: number | null; address: string }>(
      `select details, client_id, host(address) as address from anagrafe.audit_log where action = 'client.denied' order by id`,
    );
  let found = await rows();
  await until(
    async () => {
      found = await rows();
      return found.length >= count;
    },
    () => `${count} rows; there are ${found.length}`,
  );
  return found;
}

async function idOf({ SyncPublicKey }: Credential): Promise<number | undefined> {
  const { body } = await adminOf(service)<{ ID: number; PublicKey: string }>('GET clients', office);
  return body.result?.records.find(({ PublicKey }) => PublicKey === SyncPublicKey)?.ID;
}

describe('a wrong secret of a client', () => {
  it('is in the audit log with the client, the address and no part of the secret', async () => {
    expect(await list({ ...office, SyncSecretKey: 'ags_a-wrong-secret' })).toBe(401);
    const rows = await denied(1);
    const publicKey = office.SyncPublicKey;
    const details = { client: await idOf(office), publicKey, why: 'secret', attempts: 1 };
    expect(rows).toEqual([{ client_id: null, address: '127.0.0.1', details }]);
    expect(JSON.stringify(rows)).not.toContain('wrong-secret');
  });

  it('is in the audit log for attempts 1, 10 and 100 only, so that a flood does not fill it', async () => {
    const wrong = { ...office, SyncSecretKey: 'ags_a-wrong-secret' };
    for (let n = 0; n < 105; n++) expect(await list(wrong)).toBe(401);
    expect((await denied(3)).map(({ details }) => details)).toMatchObject([
      { attempts: 1 },
      { attempts: 10 },
      { attempts: 100 },
    ]);
  });

  it('is in the audit log if it was sent to the console', async () => {
    const response = await fetch(`${service.url}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.url },
      body: JSON.stringify({ PublicKey: office.SyncPublicKey, SecretKey: 'ags_a-wrong-secret' }),
    });
    expect(response.status).toBe(401);
    expect(await denied(1)).toMatchObject([{ details: { why: 'secret' } }]);
  });
});

describe('a valid secret from an address outside the networks of its client', () => {
  it('is in the audit log with the reason address', async () => {
    expect(await list(erp)).toBe(401);
    expect(await denied(1)).toMatchObject([{ details: { client: await idOf(erp), why: 'address' } }]);
  });
});
