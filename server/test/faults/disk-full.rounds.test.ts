import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lookInto, startChild } from '@anagrafe/testing/child';
import { makeFolder } from '@anagrafe/testing/embedded-postgres';
import { afterTest } from '@anagrafe/testing/endings';
import { inRounds } from '@anagrafe/testing/rounds';
import { copyStore } from '@anagrafe/testing/store';
import { expect, it } from 'vitest';
import { expectStoredOnce, keepInserting } from './acknowledged.ts';

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
  await inRounds('disk-full', 5, async () => {
    await callers.untilAcknowledged(20);
    // PostgreSQL may free a segment of its log and use it, so the disk is filled until calls are refused.
    const ready = async () => {
      await fill(filler);
      return (await fetch(`${child.url}/health/ready`)).status;
    };
    await expect.poll(ready).toBe(503);
    const refused = await child.call('irs/insert', [{ Denomination: 'refused' }]);
    expect(refused.status).toBe(503);
    await rm(filler);
    const recovery = await callers.untilServed();
    await lookInto(data, (database) => expectStoredOnce(database, callers));
    return recovery;
  });
  await callers.stop();
  await lookInto(data, (database) => expectStoredOnce(database, callers));
  expect(await child.end('SIGTERM')).toBe(0);
});
