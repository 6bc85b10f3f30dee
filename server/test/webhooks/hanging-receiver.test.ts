import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { startReceiver } from '@anagrafe/testing/receiver';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWebhookStore } from '../../src/webhooks/webhooks.store.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({
    ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
    ANAGRAFE_WEBHOOK_WAITS: Array(9).fill('0').join(','),
  });
});

const types = ['principal.inserted'] as const;
const page = { page: 1, pageSize: 100, failedOnly: false };

async function startHangingReceiver() {
  const receiver = await startReceiver();
  receiver.answer = () => null;
  return receiver;
}

/** Returns the URL of a port that refuses connections. */
async function refusedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/`;
}

describe('a webhook whose receiver does not answer', () => {
  it('does not delay another webhook, and has one message open at a time', async () => {
    const hanging = await Promise.all(Array.from({ length: 20 }, startHangingReceiver));
    for (const { url } of hanging) await subscribe(service, url, { types });
    // 32 messages are twice the number that the service sends concurrently to a receiver that answers.
    await insertPrincipals(service, 32);
    await expect.poll(() => hanging.filter(({ received }) => received.length > 0)).toHaveLength(20);

    const healthy = await startReceiver();
    await subscribe(service, healthy.url, { types });
    await insertPrincipals(service, 1);
    await expect.poll(() => healthy.received.length).toBeGreaterThan(0);
    expect(hanging.map(({ mostOpen }) => mostOpen)).toEqual(Array(20).fill(1));
  });

  it('is disabled after the last attempt of one delivery, and its other deliveries stay pending', async () => {
    // A new webhook receives every audit row that gets its position later, including rows of an earlier test.
    await allHashed(service);
    const { id } = await subscribe(service, await refusedUrl(), { types });
    await insertPrincipals(service, 32);
    const store = openWebhookStore(service.database);
    await expect
      .poll(async () => (await store.find(id))?.disabledReason)
      .toEqual({ code: 'connection_refused', networkError: 'ECONNREFUSED' });
    const { deliveries } = await store.deliveries(id, page);
    const attempted = deliveries.filter(({ attempts }) => attempts > 0);
    expect(attempted).toMatchObject([{ state: 'failed', attempts: 10 }]);
    expect(deliveries.filter(({ state }) => state === 'pending').length).toBe(31);
  });
});
