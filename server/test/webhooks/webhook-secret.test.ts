import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { type Received, type Receiver, startReceiver } from '@anagrafe/testing/receiver';
import { removeAllExpired } from '@anagrafe/testing/retention';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../client/src/index.ts';

let service: TestService;
let admin: ReturnType<typeof adminOf>;
let office: Credential;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1', ANAGRAFE_WEBHOOK_WAITS: '0' });
  admin = adminOf(service);
  office = await credential(service);
});

interface Made {
  readonly ID: number;
  readonly Secret: string;
}

async function endpoint(): Promise<{ receiver: Receiver } & Made> {
  const receiver = await startReceiver();
  const made = await admin('POST webhooks', office, { URL: receiver.url, Types: ['principal.inserted'] });
  return { receiver, ...recordOf<Made>(made) };
}

const test = async (id: number) => recordOf(await admin(`POST webhooks/${id}/test`, office));
const deliveries = async (id: number) =>
  (await admin(`GET webhooks/${id}/deliveries`, office)).body.result?.records ?? [];
const verified = ({ body, headers }: Received, secret: string) => verifyWebhook(body, headers, secret);

describe('a test of a webhook', () => {
  it('sends one signed message at once, and returns the answer of the receiver', async () => {
    const { receiver, ID, Secret } = await endpoint();
    const tested = await test(ID);
    expect(tested).toEqual({
      ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      Delivered: true,
      Status: 204,
      Failure: null,
      FailureCode: null,
      FailureDetails: null,
      Answer: null,
      Milliseconds: expect.any(Number),
    });
    expect(receiver.received).toHaveLength(1);
    const [message] = receiver.received as [Received];
    expect(message.headers['webhook-id']).toBe(tested.ID);
    expect(await verified(message, Secret)).toEqual({
      specversion: '1.0',
      id: tested.ID,
      source: '/api/sync/v1',
      type: 'webhook.test',
      subject: `webhooks/${ID}`,
      time: expect.any(String),
      datacontenttype: 'application/json',
      data: { WebhookID: ID },
    });
  });

  it('is listed among the deliveries, and is neither retried nor replayed', async () => {
    const { receiver, ID } = await endpoint();
    receiver.answer = () => ({ status: 500, body: 'out of order' });
    const Answer = 'out of order';
    const FailureCode = 'http_status';
    expect(await test(ID)).toMatchObject({
      Delivered: false,
      Status: 500,
      Failure: null,
      FailureCode,
      Answer,
    });
    const [delivery] = await deliveries(ID);
    expect(delivery).toMatchObject({
      Type: 'webhook.test',
      State: 'failed',
      Attempts: 1,
      Status: 500,
      NextAt: null,
      AttemptedAt: expect.any(String),
    });
    expect(recordOf(await admin(`POST webhooks/${ID}/replay`, office))).toEqual({ Replayed: 0 });
    expect((await admin(`POST webhooks/${ID}/deliveries/${delivery?.ID}/replay`, office)).status).toBe(404);
    // The final failure of any other delivery would disable the webhook.
    const listed = (await admin<Made>('GET webhooks', office)).body.result?.records ?? [];
    expect(listed.find((webhook) => webhook.ID === ID)).toMatchObject({ DisabledAt: null });
    expect(receiver.received).toHaveLength(1);
  });

  it('creates no event, and is sent to a disabled webhook', async () => {
    const { receiver, ID } = await endpoint();
    await admin(`PATCH webhooks/${ID}`, office, { Enabled: false });
    expect(await test(ID)).toMatchObject({ Delivered: true });
    expect(receiver.received).toHaveLength(1);
    const rows = await service.database.query(`select from anagrafe.audit_log where action = 'webhook.test'`);
    expect(rows).toEqual([]);
    const { status } = await admin('POST webhooks', office, { URL: receiver.url, Types: ['webhook.test'] });
    expect(status).toBe(400);
  });

  it('fails for an address that is internal by now, and reports the failure', async () => {
    const { id: ID } = await subscribe(service, 'https://10.0.0.1/hook');
    expect(await test(ID)).toMatchObject({ Delivered: false, Status: null, FailureCode: 'internal_address' });
    expect((await admin('POST webhooks/999999/test', office)).body.errorCode).toBe('WEBHOOK_NOT_FOUND');
    const wrong = await admin(`POST webhooks/${ID}/rotate`, office, { Days: 1 });
    expect([wrong.status, wrong.body.errorCode]).toEqual([400, 'INVALID_PARAMETER']);
  });
});

describe('the secret of a webhook', () => {
  it('can be rotated, and the old secret signs messages as well until it expires', async () => {
    const { receiver, ID, Secret: old } = await endpoint();
    const before = Date.now();
    const { Secret, OldEndsAt, ...rest } = recordOf<Made & { OldEndsAt: string }>(
      await admin(`POST webhooks/${ID}/rotate`, office),
    );
    expect(rest).toEqual({ ID });
    expect(Secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Math.round((Date.parse(OldEndsAt) - before) / 3_600_000)).toBe(24);
    await test(ID);
    await service.call('irs/insert', [{ Denomination: 'Nuova Srl' }], { headers: office });
    await expect.poll(() => receiver.received.length).toBe(2);
    for (const message of receiver.received) {
      expect(String(message.headers['webhook-signature']).split(' ')).toHaveLength(2);
      for (const secret of [Secret, old]) await verified(message, secret);
    }
    await service.database.query('update anagrafe.webhooks set old_secret_ends_at = now()');
    await test(ID);
    const last = receiver.received[2] as Received;
    await verified(last, Secret);
    await expect(verified(last, old)).rejects.toThrow('signature');
  });

  it('stops signing at once with Hours 0, and after the second rotation at the latest', async () => {
    const { receiver, ID, Secret: first } = await endpoint();
    const rotate = async (Hours: number) =>
      recordOf<Made>(await admin(`POST webhooks/${ID}/rotate`, office, { Hours })).Secret;
    const second = await rotate(1);
    const third = await rotate(1);
    await test(ID);
    const [message] = receiver.received as [Received];
    await verified(message, second);
    await verified(message, third);
    await expect(verified(message, first)).rejects.toThrow('signature');
    const fourth = await rotate(0);
    await test(ID);
    const last = receiver.received[1] as Received;
    await verified(last, fourth);
    await expect(verified(last, third)).rejects.toThrow('signature');
  });

  it('is stored only encrypted, its rotation is in the audit log, and an expired secret is deleted', async () => {
    const { ID } = await endpoint();
    const { Secret } = recordOf<Made>(await admin(`POST webhooks/${ID}/rotate`, office, { Hours: 0 }));
    const rows = await service.database.query(
      `select actor, audit_log::text as row from anagrafe.audit_log
        where action = 'webhook.rotated' and (details ->> 'webhook')::bigint = $1`,
      [ID],
    );
    expect(rows).toMatchObject([{ actor: 'client' }]);
    const stored = await service.database.query('select t::text as row from anagrafe.webhooks as t');
    expect(JSON.stringify([rows, stored, service.log])).not.toContain(Secret.slice(6, 30));
    await removeAllExpired(service.database);
    const kept = await service.database.query(
      'select from anagrafe.webhooks where id = $1 and old_secret is not null',
      [ID],
    );
    expect(kept).toEqual([]);
    expect((await admin('POST webhooks/999999/rotate', office)).body.errorCode).toBe('WEBHOOK_NOT_FOUND');
  });
});
