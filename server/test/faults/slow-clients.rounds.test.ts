import { setTimeout as sleep } from 'node:timers/promises';
import { childStore, startChild } from '@anagrafe/testing/child';
import { range } from '@anagrafe/testing/records';
import { inRounds, randomNumbers } from '@anagrafe/testing/rounds';
import { headOf, openWire } from '@anagrafe/testing/wire';
import { expect, it } from 'vitest';
import { bodyOf, expectStoredOnce, keepInserting, type Model } from './acknowledged.ts';

const clients = 500;
const pieces = 10;
const pauseMs = 500;

/** Begins a call at a random time, sends it in small pieces with pauses, and returns the status of its answer. */
async function sendSlowly(
  url: string,
  name: string,
  { sent, acknowledged }: Model,
  random: () => number,
): Promise<number> {
  const body = JSON.stringify(bodyOf(name));
  const head = headOf(url, 'irs/insert', { 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
  const request = head + body;
  const length = Math.ceil(request.length / pieces);
  sent.add(name);
  await sleep(random() * pieces * pauseMs);
  const wire = await openWire(url);
  for (const n of range(pieces)) {
    wire.socket.write(request.slice(n * length, (n + 1) * length));
    await sleep(pauseMs);
  }
  const status = (await wire.answer())?.status ?? 0;
  if (status === 200) acknowledged.add(name);
  return status;
}

it('a service with 500 clients that send slowly serves other callers meanwhile, and stores each acknowledged call once', async () => {
  const random = randomNumbers();
  const { settings, database } = await childStore();
  const child = await startChild(settings);
  const callers = keepInserting(child.url, 2);
  await inRounds('slow-clients', 10, async (n) => {
    const slow = Promise.all(
      range(clients).map((at) => sendSlowly(child.url, `slow-${n}-${at}`, callers, random)),
    );
    let running = true;
    slow
      .catch(() => {})
      .finally(() => {
        running = false;
      });
    let longest = 0;
    while (running) longest = Math.max(longest, await callers.untilServed());
    const statuses = await slow;
    expect(statuses.filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    expect(statuses).toContain(200);
    await expectStoredOnce(database, callers);
    return longest;
  });
  await callers.stop();
  await expectStoredOnce(database, callers);
  expect(await child.end('SIGTERM')).toBe(0);
});
