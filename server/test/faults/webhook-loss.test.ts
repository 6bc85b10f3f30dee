import { childStore, startChild } from '@anagrafe/testing/child';
import { type Received, startReceiver } from '@anagrafe/testing/receiver';
import { subscribe } from '@anagrafe/testing/webhooks';
import { expect, it } from 'vitest';
import type { CloudEvent } from '../../src/audit/events.ts';
import { readConfig } from '../../src/settings/config.ts';
import { expireHeartbeats, newPrincipals } from './jobs.ts';

const events = 30;

it('webhooks deliver every event when the endpoint fails and the sending node is killed, and an event that is sent twice has the same ID', async () => {
  const { settings: storeSettings, database } = await childStore();
  const settings = {
    ...storeSettings,
    ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
    ANAGRAFE_WEBHOOK_WAITS: Array(40).fill('1').join(','),
  };
  const receiver = await startReceiver();
  /** Message IDs of each event in the order received, by event ID. */
  const received = new Map<string, string[]>();
  const accepted = new Set<string>();
  const held = new Set<string>();
  let holds = true;
  receiver.answer = (message: Received) => {
    const { id } = JSON.parse(message.body) as CloudEvent;
    const earlier = received.get(id) ?? [];
    received.set(id, [...earlier, String(message.headers['webhook-id'])]);
    // Every third event fails at first. The next ones get no answer until the node that sent them is killed.
    if (received.size % 3 === 0 && earlier.length === 0) return 500;
    if (holds && accepted.size >= 5) {
      held.add(id);
      return null;
    }
    accepted.add(id);
    return 200;
  };

  const first = await startChild(settings);
  const { id: webhook } = await subscribe({ config: readConfig(settings), database }, receiver.url, {
    types: ['principal.inserted'],
  });
  expect(await newPrincipals(first, events)).toHaveLength(events);
  await expect.poll(() => held.size).toBeGreaterThan(0);
  expect(await first.end('SIGKILL')).toBe('SIGKILL');
  holds = false;
  await startChild(settings);
  await expireHeartbeats(database);

  await expect.poll(() => accepted.size).toBe(events);
  const pending = () =>
    database.query(`select from anagrafe.deliveries where state <> 'delivered' and webhook_id = $1`, [
      webhook,
    ]);
  await expect.poll(pending).toEqual([]);
  expect(received.size).toBe(events);
  expect([...received.values()].filter((ids) => new Set(ids).size !== 1)).toEqual([]);
  for (const id of held) expect(received.get(id)?.length).toBeGreaterThanOrEqual(2);
});
