import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { type Receiver, startReceiver } from '@anagrafe/testing/receiver';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CloudEvent } from '../../src/audit/events.ts';
import type { Scope } from '../../src/clients/permissions.ts';

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;

beforeAll(async () => {
  service = await startTestService({
    ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
    ANAGRAFE_WEBHOOK_WAITS: '3600',
  });
  admin = adminOf(service);
  office = await credential(service);
});

interface Webhook {
  readonly ID: number;
  readonly DisabledWhy: string | null;
  readonly DisabledReason: string | null;
}

async function createWebhook(owner: Credential, { url }: Receiver, ...Types: string[]): Promise<number> {
  // A new webhook receives every audit row that gets its position later, including rows of an earlier test.
  await allHashed(service);
  const made = await admin('POST webhooks', owner, { URL: `${url}?token=secret`, Types });
  return recordOf<Webhook>(made).ID;
}

const setScopes = ({ SyncPublicKey }: Credential, ...Scopes: Scope[]) =>
  admin(`PATCH clients/${SyncPublicKey}`, office, { Scopes });
const enable = (id: number) => admin<Webhook>(`PATCH webhooks/${id}`, office, { Enabled: true });
const insert = () => service.call('irs/insert', [{ Denomination: 'Rossi Srl' }], { headers: office });
const deliveries = async (id: number) => (await admin(`GET webhooks/${id}/deliveries`, office)).body.result;
const countDeliveries = async (id: number) => (await deliveries(id))?.totalCount;
async function disabledFields(id: number) {
  const { body } = await admin<Webhook>('GET webhooks', office);
  const found = body.result?.records.find(({ ID }) => ID === id);
  return [found?.DisabledReason, found?.DisabledWhy];
}
const disabledRows = (id: number) =>
  service.database.query(
    `select actor, details from anagrafe.audit_log
      where action = 'webhook.disabled' and (details ->> 'webhook')::bigint = $1`,
    [id],
  );

/** Inserts two principals one after the other. When the second is delivered, every delivery of the first was sent. */
async function insertAndDeliver(): Promise<void> {
  const witness = await startReceiver();
  const id = await createWebhook(office, witness, 'principal.inserted');
  await insert();
  await expect.poll(() => witness.received.length).toBe(1);
  await insert();
  await expect.poll(() => witness.received.length).toBe(2);
  await admin(`DELETE webhooks/${id}`, office);
}

const lostScope = ['client_lost_admin', 'the client no longer has the scope admin'];

describe('a webhook whose client loses the scope admin', () => {
  it('is disabled with an audit row and an event, and receives nothing', async () => {
    const [owner, receiver, witness] = [
      await credential(service),
      await startReceiver(),
      await startReceiver(),
    ];
    await createWebhook(office, witness, 'webhook.disabled');
    const id = await createWebhook(owner, receiver, 'principal.inserted');
    await setScopes(owner, 'sync:read');
    await insertAndDeliver();
    expect([await countDeliveries(id), receiver.received]).toEqual([0, []]);
    const why = 'the client no longer has the scope admin';
    const reason = 'client_lost_admin';
    expect(await disabledFields(id)).toEqual([reason, why]);
    expect(await disabledRows(id)).toEqual([
      { actor: 'client', details: { webhook: id, url: receiver.url.replace(/hook$/, '…'), why, reason } },
    ]);
    const events = () => witness.received.map(({ body }) => (JSON.parse(body) as CloudEvent).data);
    await expect.poll(events).toContainEqual({ WebhookID: id, URL: receiver.url.replace(/hook$/, '…') });
  });

  it('cannot be enabled until its client has the scope again', async () => {
    const [owner, receiver] = [await credential(service), await startReceiver()];
    const id = await createWebhook(owner, receiver, 'principal.inserted');
    await setScopes(owner, 'sync:write', 'sync:read');
    const refused = await enable(id);
    expect([refused.status, refused.body.errorCode]).toEqual([403, 'FORBIDDEN']);
    expect(await disabledFields(id)).toEqual(lostScope);
    await setScopes(owner, 'admin');
    expect(await disabledFields(id)).toEqual(lostScope);
    expect((await enable(id)).status).toBe(200);
    await insert();
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  });

  it('receives neither new events nor pending deliveries, even if it is not marked as disabled', async () => {
    const [owner, receiver] = [await credential(service), await startReceiver()];
    receiver.answer = () => 500;
    const id = await createWebhook(owner, receiver, 'principal.inserted');
    await insert();
    await expect.poll(() => deliveries(id)).toMatchObject({ records: [{ Attempts: 1, State: 'pending' }] });
    await setScopes(owner, 'sync:read');
    // This state occurs if a webhook.create is authorised before the client changes and commits after it.
    await service.database.query('update anagrafe.webhooks set disabled_at = null where id = $1', [id]);
    await service.database.query('update anagrafe.deliveries set next_at = now() where webhook_id = $1', [
      id,
    ]);
    await insertAndDeliver();
    expect([await countDeliveries(id), receiver.received.length]).toEqual([1, 1]);
  });
});

describe('a webhook whose client is revoked', () => {
  it('is disabled with an audit row, and cannot be enabled', async () => {
    const [owner, receiver] = [await credential(service), await startReceiver()];
    const id = await createWebhook(owner, receiver, 'principal.inserted');
    await admin(`DELETE clients/${owner.SyncPublicKey}`, office);
    const why = 'the client was revoked';
    const reason = 'client_revoked';
    expect(await disabledRows(id)).toEqual([
      { actor: 'client', details: { webhook: id, url: receiver.url.replace(/hook$/, '…'), why, reason } },
    ]);
    expect((await enable(id)).status).toBe(403);
    expect(await disabledFields(id)).toEqual([reason, why]);
  });
});
