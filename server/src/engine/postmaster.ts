import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, findBinaries } from './binaries.ts';
import { prepareCluster, settings } from './cluster.ts';
import { surroundings } from './command.ts';
import { diskFull, EngineError } from './error.ts';
import type { Home } from './home.ts';
import { holderOf, readLockFile } from './lockfile.ts';

/** Whom PostgreSQL was started for: one that was started for a visit ends with the last visit. */
export type Purpose = 'service' | 'visit';

export const PURPOSE_SETTING = 'anagrafe.started_for';

const LARGEST_LOG = 10 * 1024 * 1024;
const LONGEST_SHUTDOWN_MS = 60_000;

/** A PostgreSQL that this process has started. */
export interface Postmaster {
  readonly pid: number;
  readonly since: number;
  exited(): boolean;
  /** The last lines that it has written. */
  lastWords(): Promise<string>;
}

export async function startPostmaster(
  home: Home,
  purpose: Purpose,
  log: (message: string) => void,
): Promise<Postmaster> {
  const binaries = await findBinaries(home);
  await prepareCluster(home, binaries, log);
  const output = await openLog(home);
  try {
    const { size } = await output.stat();
    const child = await run(home, binaries, purpose, output);
    return {
      pid: child.pid ?? 0,
      since: Date.now(),
      exited: () => child.exitCode !== null || child.signalCode !== null,
      lastWords: () => readEnd(home.log, size),
    };
  } finally {
    await output.close();
  }
}

/** Ends PostgreSQL by a fast shutdown and waits until it is gone. Does nothing where none runs. */
export async function stopPostmaster(home: Home): Promise<void> {
  const found = await readLockFile(home.cluster);
  if (found === undefined || (await holderOf(found.pid, home.cluster)) !== 'postgres') return;
  try {
    process.kill(found.pid, 'SIGINT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  const limit = Date.now() + LONGEST_SHUTDOWN_MS;
  while ((await holderOf(found.pid, home.cluster)) === 'postgres') {
    if (Date.now() > limit)
      throw new EngineError(`PostgreSQL (process ${found.pid}) is still shutting down.`);
    await sleep(10);
  }
}

/** Why a PostgreSQL ended at its start; undefined when trying again may help and this was not the final try. */
export function startFailure(
  home: Home,
  lastWords: string,
  { final }: { final: boolean },
): EngineError | undefined {
  // The traces of one that was killed take a moment to go; and another start may have been faster.
  const passing = /lock file ".*" already exists|pre-existing shared memory block/.test(lastWords);
  if (passing && !final) return undefined;
  if (lastWords.includes('No space left on device')) return diskFull(home.data);
  return new EngineError(`PostgreSQL ended at its start; ${home.log} says: ${lastWords || '(nothing)'}`);
}

/** In a session of its own, so that Ctrl-C in the terminal reaches only the service, which then stops it in order. */
async function run(
  home: Home,
  binaries: Binaries,
  purpose: Purpose,
  output: FileHandle,
): Promise<ChildProcess> {
  const args = ['-D', home.cluster, ...settings(home), '-c', `${PURPOSE_SETTING}=${purpose}`];
  const stdio = ['ignore', output.fd, output.fd] as const;
  const child = spawn(binaries.postgres, args, { ...surroundings(home), stdio: [...stdio], detached: true });
  await once(child, 'spawn');
  child.unref();
  return child;
}

async function openLog({ log, owner }: Home): Promise<FileHandle> {
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LARGEST_LOG) await rename(log, `${log}.1`);
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const handle = await open(log, flags, 0o600);
  if (owner.identity.uid !== undefined) await handle.chown(owner.uid, owner.gid);
  return handle;
}

async function readEnd(path: string, from: number): Promise<string> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const start = Math.max(from, size - 4096);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, start);
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-5).join(' | ');
  } finally {
    await handle.close();
  }
}
