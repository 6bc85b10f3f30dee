import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { checkPlatform, inspectBinaries } from './binaries.ts';
import { isMade } from './cluster.ts';
import { explain } from './error.ts';
import { refuseClosed } from './home.ts';
import { holderOf, readLockFile } from './lockfile.ts';
import { chooseOwner } from './owner.ts';

/** How the embedded PostgreSQL is, as far as that can be seen without touching anything. */
export interface EngineState {
  /** Of the package. */
  readonly version: string;
  readonly major: string;
  /** Whether its programs run where they are; the first start copies or links them otherwise. */
  readonly ready: boolean;
  /** Whom it runs as. */
  readonly owner: string;
  readonly cluster: 'none' | 'running' | 'stopped' | 'broken off';
  /** Of the running one. */
  readonly pid: number | null;
}

/** @throws {EngineError} Where it cannot be used, with what to do. */
export async function inspectEngine(dataFolder: string): Promise<EngineState> {
  checkPlatform();
  const data = resolve(dataFolder);
  const cluster = join(data, 'postgres');
  try {
    const owner = await chooseOwner(cluster);
    const home = { data: await nearestFolder(data), cluster, sockets: join(data, 'run'), log: '', owner };
    await refuseClosed(home.data, owner);
    const { version, major, ready } = await inspectBinaries(home);
    const about = { version, major, ready, owner: owner.admitted[0] ?? String(owner.uid), pid: null };
    if (!(await isMade(cluster, major))) return { ...about, cluster: 'none' };
    const lock = await readLockFile(cluster);
    if (!lock) return { ...about, cluster: 'stopped' };
    if ((await holderOf(lock.pid, cluster)) !== 'postgres') return { ...about, cluster: 'broken off' };
    return { ...about, cluster: 'running', pid: lock.pid };
  } catch (error) {
    throw explain(error, data);
  }
}

/** A folder that is yet to be made cannot be worked in. */
export async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? path : nearestFolder(dirname(path));
}
