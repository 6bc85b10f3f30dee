import { type Child, childStore, startChild } from '@anagrafe/testing/child';
import { type Received, startReceiver } from '@anagrafe/testing/receiver';
import { progressOf, randomNumbers, roundsOf } from '@anagrafe/testing/rounds';
import { until } from '@anagrafe/testing/until';
import { subscribe } from '@anagrafe/testing/webhooks';
import { expect, it } from 'vitest';
import type { CloudEvent } from '../../src/audit/events.ts';
import { readConfig } from '../../src/settings/config.ts';

const recordsPerCall = 1000;
const failureRate = 0.3;

it('webhooks deliver every event when three in ten deliveries fail and nodes are killed, and an event that is sent twice has the same ID', async () => {
  const rounds = roundsOf(4);
  const events = (rounds + 1) * recordsPerCall;
  const report = progressOf('webhook-loss', rounds);
  const random = randomNumbers();
  const store = await childStore();
  const settings = {
    ...store.settings,
    ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
    ANAGRAFE_WEBHOOK_WAITS: Array(40).fill('1').join(','),
    ANAGRAFE_LOG_LEVEL: 'error',
  };
  const node = () => startChild(settings);
  const nodes: [Child, Child] = [await node(), await node()];

  const receiver = await startReceiver();
  /** The message IDs of each accepted event, by event ID. */
  const accepted = new Map<string, Set<string>>();
  /** The receiver accepts this many events before the next kill. */
  let allowed = 0;
  receiver.answer = (message: Received) => {
    receiver.received.length = 0;
    if (accepted.size >= allowed || random() < failureRate) return 500;
    const { id } = JSON.parse(message.body) as CloudEvent;
    accepted.set(id, (accepted.get(id) ?? new Set()).add(String(message.headers['webhook-id'])));
    return 200;
  };
  const { id: webhook } = await subscribe(
    { config: readConfig(settings), database: store.database },
    receiver.url,
    { types: ['principal.inserted'] },
  );

  let kills = 0;
  const killing = (async () => {
    while (kills < rounds) {
      allowed = (kills + 0.5) * recordsPerCall;
      await until(
        () => accepted.size >= allowed,
        () => `${allowed} events; there are ${accepted.size}`,
      );
      const at = kills % 2;
      await nodes[at]?.end('SIGKILL');
      kills++;
      nodes[at] = await node();
      report(kills);
    }
    allowed = Number.POSITIVE_INFINITY;
  })();
  killing.catch(() => undefined);
  try {
    for (let sent = 0; sent < events; sent += recordsPerCall) {
      const records = Array.from({ length: recordsPerCall }, (_, n) => ({ ExternalKey: `${sent + n}` }));
      const key = { 'idempotency-key': `call-${sent}` };
      // A node may be killed during the call; the idempotency key makes a retry safe.
      const send = () =>
        nodes[0].call('irs/insert', records, key).then(
          ({ status }) => status,
          () => 0,
        );
      await expect.poll(send, { interval: 300 }).toBe(200);
    }
    await expect.poll(() => accepted.size, { timeout: 60_000 + events * 15 }).toBeGreaterThanOrEqual(events);
  } finally {
    await killing;
  }
  expect(kills).toBe(rounds);
  expect(accepted.size).toBe(events);
  expect([...accepted.values()].filter((ids) => ids.size !== 1)).toEqual([]);
  const pending = () =>
    store.database.query(`select from anagrafe.deliveries where state <> 'delivered' and webhook_id = $1`, [
      webhook,
    ]);
  await expect.poll(pending).toEqual([]);
});
