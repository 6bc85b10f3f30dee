import { openTestDatabase, startChild } from '@anagrafe/testing/child';
import { startPatroni } from '@anagrafe/testing/patroni';
import { inRounds } from '@anagrafe/testing/rounds';
import { masterKey } from '@anagrafe/testing/store';
import { expect, it } from 'vitest';
import { expectStoredOnce, keepInserting } from './acknowledged.ts';

it('a failover loses and repeats no acknowledged call, and needs no restart', async () => {
  const cluster = await startPatroni();
  const settings = { ANAGRAFE_DATABASE_URL: cluster.url, ANAGRAFE_MASTER_KEY: masterKey };
  const child = await startChild(settings);
  const database = openTestDatabase(cluster.url);
  const callers = keepInserting(child.url);
  await inRounds('failover', 20, async (n) => {
    await callers.untilAcknowledged(20);
    const killed = performance.now();
    await cluster.killPrimary(n % 4 === 0 ? 'machine' : 'postgres');
    await callers.untilServed();
    const recovery = performance.now() - killed;
    await cluster.untilSynchronous();
    await expect.poll(() => expectStoredOnce(database, callers)).toBeUndefined();
    return recovery;
  });
  await callers.stop();
  await expectStoredOnce(database, callers);
  expect(child.process.exitCode).toBeNull();
});
