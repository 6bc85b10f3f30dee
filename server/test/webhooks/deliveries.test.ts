import { allHashed } from '@anagrafe/testing/audit-chain';
import { registerUsers, rightPassword } from '@anagrafe/testing/login';
import { type Received, startReceiver } from '@anagrafe/testing/receiver';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../client/src/index.ts';
import { operatorActor } from '../../src/audit/audit-log.ts';
import type { CloudEvent } from '../../src/audit/events.ts';
import { openWebhookStore } from '../../src/webhooks/webhooks.store.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({
    ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
    ANAGRAFE_WEBHOOK_WAITS: '0,1,1',
  });
});

const eventOf = ({ body }: Received) => JSON.parse(body) as CloudEvent;
const idOf = ({ headers }: Received) => headers['webhook-id'];
const store = () => openWebhookStore(service.database);
const page = { page: 1, pageSize: 100, failedOnly: false };

describe('a webhook', () => {
  it('receives an event for each user, signed as in Standard Webhooks, without secrets', async () => {
    const receiver = await startReceiver();
    const { secret } = await subscribe(service, receiver.url, { types: ['user.registered'] });
    const { principal, ids } = await registerUsers(service, 'hook one', 'hook two');
    await expect.poll(() => receiver.received.length).toBe(2);
    for (const { headers, body } of receiver.received) {
      const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
      expect(verified).toMatchObject({ specversion: '1.0', type: 'user.registered' });
      expect(headers['content-type']).toBe('application/cloudevents+json');
      expect(headers['user-agent']).toMatch(/^Anagrafe\//);
      expect(body).not.toContain(rightPassword);
      expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
      expect(await verifyWebhook(body, headers, secret)).toEqual(verified);
      await expect(verifyWebhook(`${body} `, headers, secret)).rejects.toMatchObject({
        code: 'INVALID_SIGNATURE',
      });
      const tomorrow = new Date(Date.now() + 86_400_000);
      await expect(verifyWebhook(body, headers, secret, tomorrow)).rejects.toMatchObject({ code: 'EXPIRED' });
      await expect(verifyWebhook(body, {}, secret)).rejects.toMatchObject({ code: 'MISSING_HEADER' });
    }
    const users = receiver.received.map((message) => eventOf(message).data);
    expect(users.map(({ UserID }) => UserID).toSorted()).toEqual(ids);
    expect(new Set(users.map(({ IRID }) => IRID))).toEqual(new Set([principal]));
    expect(new Set(receiver.received.map(idOf)).size).toBe(2);
  });

  it('receives one message per record or one per call, according to its granularity', async () => {
    const [byRecord, byJob] = [await startReceiver(), await startReceiver()];
    // A new webhook also receives earlier audit rows that get their position after it was created.
    await allHashed(service);
    // The list excludes webhook.disabled, because a webhook of another test may be disabled at this time.
    const types = ['principal.inserted', 'user.registered', 'call.completed'] as const;
    await subscribe(service, byRecord.url, { types, granularity: 'record' });
    await subscribe(service, byJob.url, { types, granularity: 'job' });
    const { principal, ids } = await registerUsers(service, 'three', 'four', 'five');
    await expect.poll(() => byRecord.received.length).toBe(4);
    await expect.poll(() => byJob.received.length).toBe(2);
    const registered = byRecord.received.map(eventOf).find(({ type }) => type === 'user.registered');
    expect(registered).toMatchObject({
      subject: `principals/${principal}`,
      data: { IRID: principal, Users: ids.map((UserID) => ({ UserID, Email: null })) },
    });
    expect(byJob.received.map((message) => eventOf(message).type)).toEqual([
      'call.completed',
      'call.completed',
    ]);
  });

  it('receives a failed delivery again with the same ID, and the result is stored', async () => {
    const receiver = await startReceiver();
    let failures = 2;
    receiver.answer = () => (failures-- > 0 ? 500 : 200);
    const { id } = await subscribe(service, receiver.url, { types: ['principal.inserted'] });
    await registerUsers(service);
    await expect.poll(() => receiver.received.length).toBe(3);
    expect(new Set(receiver.received.map(idOf)).size).toBe(1);
    const seen = async () => (await store().deliveries(id, page)).deliveries;
    await expect.poll(seen).toMatchObject([{ state: 'delivered', attempts: 3, status: 200, failure: null }]);
  });

  it('is disabled with an event after the last attempt of a delivery, and can be enabled again', async () => {
    const [receiver, witness] = [await startReceiver(), await startReceiver()];
    await subscribe(service, witness.url, { types: ['webhook.disabled'] });
    receiver.answer = () => ({ status: 302, headers: { location: witness.url } });
    const { id } = await subscribe(service, receiver.url, { types: ['principal.inserted'] });
    await registerUsers(service);
    const disabled = () => witness.received.map((message) => eventOf(message).data);
    await expect.poll(disabled).toContainEqual({ WebhookID: id, URL: receiver.url.replace(/hook$/, '…') });
    expect(receiver.received).toHaveLength(4);
    expect(await store().find(id)).toMatchObject({
      disabledAt: expect.any(Date),
      disabledReason: { code: 'http_status', status: 302 },
    });
    await registerUsers(service);
    receiver.answer = () => 200;
    await store().change(id, { enabled: true }, operatorActor);
    await expect.poll(() => receiver.received.length).toBe(5);
    expect(await store().replay(id, null, operatorActor)).toBe(1);
    await expect.poll(() => receiver.received.length).toBe(6);
    expect(idOf(receiver.received[5] as Received)).toBe(idOf(receiver.received[0] as Received));
  });

  it('receives nothing after it is removed', async () => {
    const receiver = await startReceiver();
    const { id } = await subscribe(service, receiver.url);
    expect(await store().remove(id, operatorActor)).toBe(true);
    expect(await store().remove(id, operatorActor)).toBe(false);
    await registerUsers(service);
    await allHashed(service);
    expect(receiver.received).toEqual([]);
  });

  it('has its secret stored only in encrypted form', async () => {
    const { secret } = await subscribe(service, 'https://example.invalid/hook', {
      types: ['webhook.disabled'],
    });
    const rows = await service.database.query('select t::text as row from anagrafe.webhooks as t');
    const hex = Buffer.from(secret).toString('hex');
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6, 30));
    expect(JSON.stringify(rows)).not.toContain(hex.slice(12, 60));
  });
});
