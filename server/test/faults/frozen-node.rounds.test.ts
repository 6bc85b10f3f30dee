import { setTimeout as sleep } from 'node:timers/promises';
import { childStore, startChild } from '@anagrafe/testing/child';
import { inRounds, randomNumbers } from '@anagrafe/testing/rounds';
import { expect, it } from 'vitest';
import { leaseMs } from '../../src/idempotency/idempotency.ts';
import { expectStoredOnce, keepInserting } from './acknowledged.ts';

it('a node that SIGSTOP halts for longer than a lease repeats no call that another node has taken over', async () => {
  const random = randomNumbers();
  const { settings, database } = await childStore();
  const [frozen, other] = [await startChild(settings), await startChild(settings)];
  const callers = keepInserting(frozen.url);
  await inRounds('frozen-node', 20, async () => {
    callers.url = frozen.url;
    await callers.untilAcknowledged(20);
    await sleep(random() * 100);
    frozen.process.kill('SIGSTOP');
    try {
      callers.url = other.url;
      const recovery = await callers.untilServed();
      await sleep(leaseMs + 2000);
      await callers.untilAcknowledged(20);
      return recovery;
    } finally {
      frozen.process.kill('SIGCONT');
      await expect.poll(async () => (await fetch(`${frozen.url}/health/ready`)).status).toBe(200);
      await expectStoredOnce(database, callers);
    }
  });
  await callers.stop();
  expect([...callers.waited].filter((name) => callers.acknowledged.has(name))).not.toEqual([]);
  await expectStoredOnce(database, callers);
  for (const node of [frozen, other]) expect(await node.end('SIGTERM')).toBe(0);
});
