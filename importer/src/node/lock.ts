import { constants, copyFileSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { ImportError } from './task.ts';

interface LockOwner {
  readonly host: string;
  readonly process: number;
  /** Start time of the process, in clock ticks since boot; null on systems without `/proc`. */
  readonly startedAt: string | null;
}

/**
 * Acquires the exclusive lock on an import, a file beside its progress file, so that no two processes run it at once.
 * Takes over the lock of a process that has ended. A process of another machine cannot be checked and counts as ended.
 *
 * @param path Path of the lock file.
 * @param file The imported file, for the message.
 * @returns A function that releases the lock.
 * @throws {ImportError} If another import holds the lock.
 */
export function acquireLock(path: string, file: string): () => void {
  const owner: LockOwner = { host: hostname(), process: process.pid, startedAt: startOf(process.pid) };
  const ownText = JSON.stringify(owner);
  while (!create(path, ownText)) {
    const text = read(path);
    const held = text === null ? null : ownerOf(text, path);
    if (held && isRunning(held))
      throw new ImportError(
        `${file} is already being imported by process ${held.process}. Wait until it has ended.`,
      );
    if (text !== null) removeEnded(path, text);
  }
  return () => {
    // Another machine may have taken over the lock.
    if (read(path) === ownText) rmSync(path, { force: true });
  };
}

/** Creates the file with its content at once, so that no process ever sees a lock without an owner. Returns false if it exists. */
function create(path: string, text: string): boolean {
  const written = `${path}.${process.pid}.new`;
  try {
    writeFileSync(written, text, { mode: 0o600 });
    linkOrCopy(written, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(written, { force: true });
  }
}

/** Some file systems have no hard links. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** Returns null if the file does not exist. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

/**
 * Removes the lock of an ended process. It is renamed first, because another process may have replaced it by its own
 * since it was read: that one is put back.
 */
function removeEnded(path: string, text: string): void {
  const renamed = `${path}.${process.pid}`;
  try {
    renameSync(path, renamed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return;
  }
  if (read(renamed) === text) rmSync(renamed, { force: true });
  else renameSync(renamed, path);
}

function ownerOf(text: string, path: string): LockOwner {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const advice = 'Move it to another folder, then run the command again.';
    throw new ImportError(`${path} is not a lock file. ${advice}`, { cause });
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
    // A process that has ended, and whose parent has not collected its exit status, still has a start time.
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
