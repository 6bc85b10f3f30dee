import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lookInto, startChild } from '@anagrafe/testing/child';
import { makeFolder } from '@anagrafe/testing/embedded-postgres';
import { afterTest } from '@anagrafe/testing/endings';
import { inRounds } from '@anagrafe/testing/rounds';
import { copyStore } from '@anagrafe/testing/store';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import { attempt, expectStoredOnce, keepInserting } from './acknowledged.ts';

const diskMegabytes = 256;
const chunk = Buffer.alloc(2 ** 16);

/** Mounts a small disk in memory, which only root may do, and returns its folder. */
function mountDisk(): string {
  const folder = join(makeFolder(), 'disk');
  mkdirSync(folder, { mode: 0o755 });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tmpfs', folder]);
  afterTest(async () => {
    execFileSync('umount', ['--lazy', folder]);
  });
  return folder;
}

/** Writes a file until the disk has no space left. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (;;) await file.writeFile(chunk);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
  } finally {
    await file.close();
  }
}

it('a service whose disk is full refuses calls, loses none that it acknowledged, and works as soon as there is space', async () => {
  const disk = mountDisk();
  const data = join(disk, 'data');
  const filler = join(disk, 'filler');
  mkdirSync(data);
  await copyStore(data);
  const child = await startChild({ ANAGRAFE_DATA: data });
  const callers = keepInserting(child.url);
  await inRounds('disk-full', 5, async (n) => {
    await callers.untilAcknowledged(20);
    // PostgreSQL writes on in the space that its files have already, so the disk is filled until a call is refused.
    let sent = 0;
    await until(async () => {
      await fill(filler);
      return !(await attempt(callers, `full-${n}-${sent++}`));
    });
    await expect.poll(async () => (await fetch(`${child.url}/health/ready`)).status).toBe(503);
    await rm(filler);
    const recovery = await callers.untilServed();
    await lookInto(data, (database) => expectStoredOnce(database, callers));
    return recovery;
  });
  await callers.stop();
  await lookInto(data, (database) => expectStoredOnce(database, callers));
  expect(await child.end('SIGTERM')).toBe(0);
});
