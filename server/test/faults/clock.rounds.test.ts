import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childStore, startChild } from '@anagrafe/testing/child';
import { makeFolder } from '@anagrafe/testing/embedded-postgres';
import { inRounds } from '@anagrafe/testing/rounds';
import { expect, it } from 'vitest';
import { expectStoredOnce, keepInserting } from './acknowledged.ts';

/** Offsets in seconds: an hour and ten days, ahead and behind. */
const offsets = [3600, -3600, 864_000, -864_000];
/** The Debian package `faketime` installs this library, whose clock a file sets while the process runs. */
const library = [
  `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`,
];

it('a node whose clock jumps by an hour or ten days, and is then killed, loses and repeats no call', async () => {
  const preload = library.find(existsSync);
  if (!preload)
    throw new Error('the rounds of the clock need Linux and libfaketime: apt-get install faketime');
  const clock = join(makeFolder(), 'clock');
  await writeFile(clock, '+0');
  const { settings, database } = await childStore();
  const clockSettings = {
    LD_PRELOAD: preload,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  const exact = await startChild(settings);
  const callers = keepInserting(exact.url);
  await inRounds('clock', 20, async (n) => {
    const offset = offsets[n % offsets.length] ?? 0;
    await writeFile(clock, '+0');
    const wrong = await startChild({ ...settings, ...clockSettings });
    callers.url = wrong.url;
    await callers.untilAcknowledged(10);
    const jumped = performance.now();
    await writeFile(clock, `${offset < 0 ? '' : '+'}${offset}`);
    const answered = async () => {
      const { headers } = await fetch(`${wrong.url}/health/live`);
      return Math.abs(Date.parse(headers.get('date') ?? '') - Date.now() - offset * 1000);
    };
    await expect.poll(answered).toBeLessThan(60_000);
    await callers.untilServed();
    const recovery = performance.now() - jumped;
    await callers.untilAcknowledged(20);
    // Another node takes over the interrupted calls; the leases are those of a node with the wrong time.
    await wrong.end('SIGKILL');
    callers.url = exact.url;
    await callers.untilAcknowledged(20);
    await expectStoredOnce(database, callers);
    return recovery;
  });
  await callers.stop();
  expect([...callers.waited].filter((name) => callers.acknowledged.has(name))).not.toEqual([]);
  await expectStoredOnce(database, callers);
  expect(await exact.end('SIGTERM')).toBe(0);
});
