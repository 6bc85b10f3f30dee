import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { endless, type Received, type Receiver, startReceiver, stuck } from '@anagrafe/testing/receiver';
import { removeAllExpired } from '@anagrafe/testing/retention';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { Anagrafe, type DeliveryDetails } from '../../../client/src/index.ts';

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

async function endpoint(
  receiver: Receiver,
  fields: { Types: string[]; Granularity?: string } = { Types: ['principal.inserted'] },
): Promise<Made> {
  return recordOf<Made>(await admin('POST webhooks', office, { URL: receiver.url, ...fields }));
}

const insert = (records: unknown[] = [{ Denomination: 'Nuova Srl' }]) =>
  service.call<{ Item1: number }>('irs/insert', records, { headers: office });
const listed = async (id: number) =>
  (await admin<DeliveryDetails>(`GET webhooks/${id}/deliveries`, office)).body.result?.records ?? [];
const open = (id: number, delivery = '') => admin(`GET webhooks/${id}/deliveries/${delivery}`, office);

/** Waits until the only delivery of a webhook is delivered or failed, and reads it. */
async function ended(id: number): Promise<DeliveryDetails> {
  const states = async () => (await listed(id)).map(({ State }) => State);
  await expect.poll(states).toEqual([expect.stringMatching(/delivered|failed/)]);
  const [delivery] = await listed(id);
  return recordOf<DeliveryDetails>(await open(id, delivery?.ID));
}

describe('a delivery', () => {
  it('shows the exact message that was sent and the answer of the receiver', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => ({ status: 202, body: '{"taken": true}' });
    const { ID } = await endpoint(receiver, { Types: ['user.registered'] });
    await insert([
      { Denomination: 'Nuova Srl', Users: [newUser('delivered.one'), newUser('delivered.two')] },
    ]);
    const delivery = await ended(ID);
    const [message] = receiver.received as [Received];
    expect(delivery).toEqual({
      ID: message.headers['webhook-id'],
      Type: 'user.registered',
      State: 'delivered',
      Attempts: 1,
      CreatedAt: expect.any(String),
      NextAt: null,
      AttemptedAt: expect.any(String),
      Status: 202,
      Failure: null,
      FailureCode: null,
      FailureDetails: null,
      Message: message.body,
      Answer: '{"taken": true}',
      Milliseconds: expect.any(Number),
    });
    expect(message.body).toContain('delivered.two');
  });

  it('shows the message of one event if the granularity is user', async () => {
    const receiver = await startReceiver();
    const { ID } = await endpoint(receiver, { Types: ['user.registered'], Granularity: 'user' });
    await insert([{ Denomination: 'Nuova Srl', Users: [newUser('each.one'), newUser('each.two')] }]);
    await expect.poll(() => receiver.received.length).toBe(2);
    for (const { headers, body } of receiver.received) {
      const { Message } = recordOf(await open(ID, String(headers['webhook-id'])));
      expect(Message).toBe(body);
    }
  });

  it('contains at most 1,000 users of a record; the other users are in further messages', async () => {
    const receiver = await startReceiver();
    const { ID } = await endpoint(receiver, { Types: ['user.registered', 'user.updated'] });
    const usernames = Array.from({ length: 2100 }, (_, n) => `many.${n}`);
    const ExternalKey = 'W-1';
    const Users = usernames.map((username) => importedUser(username));
    await finished(service, await submit(service, 'irs/insert', [{ ExternalKey, Users }], office), office);
    const edits = usernames.map((Username) => ({
      Operation: 'edit',
      Username,
      Phone: '1',
      State: 'disabled',
    }));
    const edited = await submit(service, 'irs/update', [{ ExternalKey, Users: edits }], office);
    await finished(service, edited, office);
    await expect.poll(() => receiver.received.length).toBe(6);
    const events = receiver.received.map(({ body }) => JSON.parse(body));
    for (const type of ['user.registered', 'user.updated']) {
      const messages = events.filter((event) => event.type === type).map(({ data }) => data.Users);
      expect(messages.map(({ length }) => length).toSorted((one, other) => one - other)).toEqual([
        100, 1000, 1000,
      ]);
      expect(new Set(messages.flat().map(({ Username }) => Username))).toEqual(new Set(usernames));
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(6);
    const [{ headers, body }] = receiver.received as [Received];
    expect(recordOf(await open(ID, String(headers['webhook-id'])))).toMatchObject({ Message: body });
  });

  it('that failed shows the last answer, and after a replay the answer to the replay', async () => {
    const receiver = await startReceiver();
    let attempt = 0;
    receiver.answer = () => ({ status: 500, body: `failed for the ${++attempt}. time` });
    const { ID } = await endpoint(receiver);
    await insert();
    const failed = await ended(ID);
    expect(failed).toMatchObject({ State: 'failed', Status: 500, Answer: 'failed for the 2. time' });
    receiver.answer = () => 204;
    await admin(`PATCH webhooks/${ID}`, office, { Enabled: true });
    await admin(`POST webhooks/${ID}/deliveries/${failed.ID}/replay`, office);
    expect(await ended(ID)).toMatchObject({ ID: failed.ID, State: 'delivered', Answer: null });
  });

  it('of a test shows the test message', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => ({ status: 401, body: 'who are you?' });
    const { ID } = await endpoint(receiver);
    expect(recordOf(await admin(`POST webhooks/${ID}/test`, office))).toMatchObject({
      Answer: 'who are you?',
    });
    const [message] = receiver.received as [Received];
    expect(await ended(ID)).toMatchObject({
      Type: 'webhook.test',
      Status: 401,
      Message: message.body,
      Answer: 'who are you?',
    });
  });

  it('has no message if its audit row was deleted, and no answer if the receiver gave none', async () => {
    // The setting allowed the address when the webhook was created.
    const { id: ID } = await subscribe(service, 'https://10.0.0.1/hook', { types: ['principal.inserted'] });
    await insert();
    const { ID: id, Milliseconds } = await ended(ID);
    expect(Milliseconds).toBeGreaterThanOrEqual(0);
    // The retention of the audit log deletes rows, so a delivery may refer to a position that is gone.
    await service.database.query('update anagrafe.deliveries set position = 999999999 where id = $1', [id]);
    expect(recordOf(await open(ID, id))).toMatchObject({
      Status: null,
      Failure: 'the address is internal and not in ANAGRAFE_WEBHOOK_NETWORKS',
      FailureCode: 'internal_address',
      FailureDetails: { Status: null, NetworkError: null, TimeoutMs: null },
      Message: null,
      Answer: null,
    });
  });

  it('that is pending when its audit row is deleted fails, and its webhook stays enabled', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => 500;
    const { ID } = await endpoint(receiver);
    await insert();
    const { ID: id } = await ended(ID);
    await admin(`POST webhooks/${ID}/replay`, office);
    await service.database.query('update anagrafe.deliveries set position = 999999999 where id = $1', [id]);
    await admin(`PATCH webhooks/${ID}`, office, { Enabled: true });
    expect(await ended(ID)).toMatchObject({
      State: 'failed',
      Failure: 'the event has been deleted after its retention period',
      FailureCode: 'event_expired',
    });
    const [webhook] =
      (await admin<Made>('GET webhooks', office)).body.result?.records.filter((other) => other.ID === ID) ??
      [];
    expect(webhook).toMatchObject({ DisabledAt: null, DisabledReason: null });
    await admin(`DELETE webhooks/${ID}`, office);
  });

  it('can be read with the client library', async () => {
    const receiver = await startReceiver();
    const { ID } = await endpoint(receiver);
    await insert();
    const delivery = await ended(ID);
    const { SyncPublicKey: publicKey = '', SyncSecretKey: secretKey = '' } = office;
    const { webhooks } = new Anagrafe({ url: service.url, publicKey, secretKey }).admin;
    expect(await webhooks.delivery(ID, delivery.ID)).toEqual(delivery);
  });

  it('shows neither the secret nor the signature, and is deleted after its retention time', async () => {
    const receiver = await startReceiver();
    receiver.answer = ({ headers }) => ({ status: 500, body: JSON.stringify(headers) });
    const { ID, Secret } = await endpoint(receiver);
    await insert();
    const { ID: id } = await ended(ID);
    const { text } = await open(ID, id);
    const [message] = receiver.received as [Received];
    expect(text).toContain('webhook-signature');
    expect(text).not.toContain(String(message.headers['webhook-signature']).slice(3, 30));
    expect(text).not.toContain(Secret.slice(6, 30));
    await service.database.query(`update anagrafe.deliveries set created_at = now() - interval '31 days'`);
    await removeAllExpired(service.database);
    expect((await open(ID, id)).status).toBe(404);
  });

  it('gets 404 if it does not exist or belongs to another webhook', async () => {
    const receiver = await startReceiver();
    const [one, other] = [await endpoint(receiver), await endpoint(await startReceiver())];
    await admin(`POST webhooks/${one.ID}/test`, office);
    const { ID: id } = await ended(one.ID);
    const unknownId = '00000000-0000-0000-0000-000000000000';
    const paths = [
      `${other.ID}/deliveries/${id}`,
      `${one.ID}/deliveries/${unknownId}`,
      `${one.ID}/deliveries/x`,
    ];
    for (const path of [...paths, `999999/deliveries/${id}`, `x/deliveries/${id}`]) {
      const { status, body } = await admin(`GET webhooks/${path}`, office);
      expect([path, status, body.errorCode]).toEqual([path, 404, 'WEBHOOK_NOT_FOUND']);
    }
    await admin(`DELETE webhooks/${one.ID}`, office);
    expect((await open(one.ID, id)).status).toBe(404);
  });

  it.each([
    ['never end', () => endless('x'.repeat(10_000)), 'x'.repeat(1000)],
    ['stall', () => stuck('beginning'), 'beginning'],
  ])('does not wait for the answers to other deliveries, even if they %s', async (_, body, Answer) => {
    const receiver = await startReceiver();
    receiver.answer = () => ({ status: 200, body: body() });
    const { ID } = await endpoint(receiver);
    // 100 deliveries exceed the number sent concurrently: waiting for the end of each answer would take minutes.
    await insert(Array.from({ length: 100 }, () => ({ Denomination: 'Nuova Srl' })));
    await expect.poll(() => receiver.received.length).toBe(100);
    const states = async () => new Set((await listed(ID)).map(({ State }) => State));
    await expect.poll(states).toEqual(new Set(['delivered']));
    const [delivery] = await listed(ID);
    expect(recordOf(await open(ID, delivery?.ID))).toMatchObject({ Status: 200, Answer });
  });
});
