import { setTimeout as sleep } from 'node:timers/promises';
import { childStore, failuresIn, startChild } from '@anagrafe/testing/child';
import { inRounds, randomNumbers } from '@anagrafe/testing/rounds';
import { expect, it } from 'vitest';
import { expectStoredOnce, keepInserting } from './acknowledged.ts';

it('a service that SIGTERM stops under load ends without a failure, and stores each acknowledged call once', async () => {
  const random = randomNumbers();
  const { settings, database } = await childStore();
  let child = await startChild(settings);
  const callers = keepInserting(child.url);
  await inRounds('sigterm', 100, async () => {
    await callers.untilAcknowledged(20);
    await sleep(random() * 200);
    const stopped = performance.now();
    expect(await child.end('SIGTERM')).toBe(0);
    expect(failuresIn(child)).toEqual([]);
    child = await startChild(settings);
    callers.url = child.url;
    await callers.untilServed();
    const recovery = performance.now() - stopped;
    await expectStoredOnce(database, callers);
    return recovery;
  });
  await callers.stop();
  await expectStoredOnce(database, callers);
  expect(await child.end('SIGTERM')).toBe(0);
});
