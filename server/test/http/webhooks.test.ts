import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../client/src/index.ts';
import type { CloudEvent } from '../../src/core/events/event.ts';
import { theOperator } from '../../src/core/journal/journal.ts';
import { openWebhooks } from '../../src/storage/webhooks.ts';
import { allSealed } from '../setup/journal.ts';
import { registerUsers, rightPassword } from '../setup/login.ts';
import { type Received, startReceiver } from '../setup/receiver.ts';
import { startTestService, type TestService } from '../setup/service.ts';
import { subscribe } from '../setup/webhooks.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({
    ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
    ANAGRAFE_WEBHOOK_WAITS: '0,1,1',
  });
});

const eventOf = ({ body }: Received) => JSON.parse(body) as CloudEvent;
const idOf = ({ headers }: Received) => headers['webhook-id'];
const store = () => openWebhooks(service.database);
const page = { page: 1, pageSize: 100, failedOnly: false };

describe('a webhook', () => {
  it('is told of each user, signed by Standard Webhooks, without anything secret', async () => {
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
      await expect(verifyWebhook(`${body} `, headers, secret)).rejects.toMatchObject({ code: 'wrong' });
      const tomorrow = new Date(Date.now() + 86_400_000);
      await expect(verifyWebhook(body, headers, secret, tomorrow)).rejects.toMatchObject({ code: 'expired' });
      await expect(verifyWebhook(body, {}, secret)).rejects.toMatchObject({ code: 'missing' });
    }
    const users = receiver.received.map((message) => eventOf(message).data);
    expect(users.map(({ UserID }) => UserID).toSorted()).toEqual(ids);
    expect(new Set(users.map(({ IRID }) => IRID))).toEqual(new Set([principal]));
    expect(new Set(receiver.received.map(idOf)).size).toBe(2);
  });

  it('is told once of all users of a record, or of the call alone, as it likes', async () => {
    const [byRecord, byJob] = [await startReceiver(), await startReceiver()];
    // Rows that get their place in the journal only after the subscription would be delivered, too.
    await allSealed(service);
    // Not every type: a webhook of another test may be disabled meanwhile.
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

  it('is told again under the same id when it fails, and what came of it is written down', async () => {
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

  it('is disabled when a delivery is given up, with an event; by hand it goes on', async () => {
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
      disabledWhy: 'the receiver answered 302',
    });
    await registerUsers(service);
    receiver.answer = () => 200;
    await store().change(id, { enabled: true }, theOperator);
    await expect.poll(() => receiver.received.length).toBe(5);
    expect(await store().replay(id, null, theOperator)).toBe(1);
    await expect.poll(() => receiver.received.length).toBe(6);
    expect(idOf(receiver.received[5] as Received)).toBe(idOf(receiver.received[0] as Received));
  });

  it('is told nothing any more once it is removed', async () => {
    const receiver = await startReceiver();
    const { id } = await subscribe(service, receiver.url);
    expect(await store().remove(id, theOperator)).toBe(true);
    expect(await store().remove(id, theOperator)).toBe(false);
    await registerUsers(service);
    await allSealed(service);
    expect(receiver.received).toEqual([]);
  });

  it('has its secret nowhere in plain', async () => {
    const { secret } = await subscribe(service, 'https://example.invalid/hook', {
      types: ['webhook.disabled'],
    });
    const rows = await service.database.query('select t::text as row from anagrafe.webhooks as t');
    const hex = Buffer.from(secret).toString('hex');
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6, 30));
    expect(JSON.stringify(rows)).not.toContain(hex.slice(12, 60));
  });
});
