import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, ImportError } from '../src/node/index.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anagrafe-lock-'));
  path = join(folder, 'users.csv.progress.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const acquire = async () => acquireLock(path, 'users.csv');

/** Writes a lock as another process would leave it. */
function writeLock(owner: object): void {
  writeFileSync(path, JSON.stringify({ host: hostname(), startedAt: null, ...owner }));
}

describe('the lock of an import', () => {
  it('is held by one of many imports that start at once, and the others fail with a clear message', async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, acquire));
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(failed).toHaveLength(19);
    for (const error of failed) {
      expect(error).toBeInstanceOf(ImportError);
      expect(error.message).toContain(`users.csv is already being imported by process ${process.pid}.`);
    }
    expect(readdirSync(folder)).toEqual(['users.csv.progress.lock']);
  });

  it('can be acquired again after it was released', async () => {
    (await acquire())();
    (await acquire())();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken over from a process that has ended, by one of many imports', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeLock({ process: pid, startedAt: '1' });
    const results = await Promise.allSettled(Array.from({ length: 20 }, acquire));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['users.csv.progress.lock']);
    expect(JSON.parse(readFileSync(path, 'utf8')).process).toBe(process.pid);
  });

  it('is taken over from a process whose ID now belongs to another process', async () => {
    writeLock({ process: process.pid, startedAt: 'long ago' });
    (await acquire())();
  });

  it('is taken over from another machine, whose processes cannot be checked', async () => {
    writeLock({ host: 'another.example', process: process.pid });
    (await acquire())();
  });

  it('stays that of another machine that has taken it over when it is released', async () => {
    const release = await acquire();
    writeLock({ host: 'another.example', process: 1 });
    release();
    expect(JSON.parse(readFileSync(path, 'utf8')).host).toBe('another.example');
  });

  it('cannot be acquired if its file is something else', async () => {
    writeFileSync(path, 'a note');
    await expect(acquire()).rejects.toThrow('is not a lock file. Move it');
    expect(readFileSync(path, 'utf8')).toBe('a note');
  });
});
