import { randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { copyFile, link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ImportError, ignoreMissing } from './task.ts';

interface LockOwner {
  readonly host: string;
  readonly process: number;
  /** Start time of the process, in clock ticks since boot; null on systems without `/proc`. */
  readonly startedAt: string | null;
}

interface HeldLock {
  readonly path: string;
  readonly generation: number;
  readonly owner: LockOwner;
}

/**
 * An exclusive lock on an import, held by a file beside its progress file, so that no two processes run it at once.
 *
 * The lock of a process that has ended is not replaced, which could remove the lock of a third process that has just
 * done the same. Instead, its successor creates the file of the next generation, which succeeds for one process only.
 */
export class ImportLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * Takes over the lock of a process that has ended. A process of another machine cannot be checked and counts as
   * ended.
   *
   * @param path Path of the lock files without their generation.
   * @param file The imported file, for the message.
   * @throws {ImportError} If another import holds the lock.
   */
  static async acquire(path: string, file: string): Promise<ImportLock> {
    const owner: LockOwner = { host: hostname(), process: process.pid, startedAt: startOf(process.pid) };
    // A link is created at once with its content: no other process ever sees a lock without an owner.
    const prepared = `${path}-${randomUUID()}`;
    await removeAbandoned(path);
    await writeFile(prepared, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
    try {
      for (;;) {
        const before = await readLocks(path);
        refuseRunning(before, file);
        const generation = 1 + Math.max(0, ...before.map((lock) => lock.generation));
        const own = `${path}.${generation}`;
        if (!(await tryLink(prepared, own))) continue;
        // Another process may have begun while all locks that this one has read were released.
        const others = (await readLocks(path)).filter((lock) => lock.generation !== generation);
        try {
          refuseRunning(others, file);
        } catch (error) {
          await rm(own, { force: true });
          throw error;
        }
        for (const ended of others) await rm(ended.path, { force: true });
        return new ImportLock(own);
      }
    } finally {
      await rm(prepared, { force: true });
    }
  }

  async release(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** Time in milliseconds after which a file without an owner is abandoned: it is written right after it is created. */
const writingMs = 60_000;

/** Deletes the files that a process of this machine has prepared and that were left behind when it was killed. */
async function removeAbandoned(path: string): Promise<void> {
  const prefix = `${basename(path)}-`;
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix) || !uuid.test(name.slice(prefix.length))) continue;
    const prepared = join(dirname(path), name);
    const text = await readFile(prepared, 'utf8').catch(ignoreMissing);
    if (text !== undefined && (await isAbandoned(prepared, text))) await rm(prepared, { force: true });
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function isAbandoned(path: string, text: string): Promise<boolean> {
  if (text === '') {
    const found = await stat(path).catch(ignoreMissing);
    return found !== undefined && found.mtimeMs < Date.now() - writingMs;
  }
  const owner = parseOwner(text, path);
  // A process of another machine cannot be checked, and may still need the file.
  return owner.host === hostname() && !isRunning(owner);
}

/** Returns the locks that exist, including those of processes that have ended. */
async function readLocks(path: string): Promise<HeldLock[]> {
  const prefix = `${basename(path)}.`;
  const locks: HeldLock[] = [];
  for (const name of await readdir(dirname(path))) {
    const generation = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : 0;
    if (!Number.isSafeInteger(generation) || generation < 1) continue;
    const lockPath = join(dirname(path), name);
    const text = await readFile(lockPath, 'utf8').catch(ignoreMissing);
    if (text !== undefined) locks.push({ path: lockPath, generation, owner: parseOwner(text, lockPath) });
  }
  return locks;
}

function parseOwner(text: string, path: string): LockOwner {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ImportError(
      `${path} is not a lock file. Move it to another folder, then run the command again.`,
      {
        cause,
      },
    );
  }
}

/** @throws {ImportError} If the process of one of the locks still runs. */
function refuseRunning(locks: readonly HeldLock[], file: string): void {
  const running = locks.find(({ owner }) => isRunning(owner));
  if (running)
    throw new ImportError(
      `${file} is already being imported by process ${running.owner.process}. Wait until it has ended.`,
    );
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch((error: NodeJS.ErrnoException) => {
      // Some file systems have no hard links.
      if (error.code === 'EEXIST' || error.code === 'ENOENT') throw error;
      return copyFile(from, to, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

/** Returns true if the owner is a process of this machine that still runs. The start time detects a reused ID. */
function isRunning({ host, process: id, startedAt }: LockOwner): boolean {
  return host === hostname() && isAlive(id) && startOf(id) === startedAt;
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startOf(id: number): string | null {
  try {
    // The program name, in parentheses, may contain any character; the start time is the 20th field after it.
    const fields = readFileSync(`/proc/${id}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    // A zombie process has ended; its parent has not collected the exit status yet.
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
