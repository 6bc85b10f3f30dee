import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, tryConnect } from './connection.ts';
import { EngineError } from './error.ts';
import type { Home } from './home.ts';
import { holderOf, readLockFile, removeLockFiles } from './lockfile.ts';
import {
  type Postmaster,
  type Purpose,
  startFailure,
  startPostmaster,
  stopPostmaster,
} from './postmaster.ts';

const POLL_MS = 10;
/** How long the traces of a PostgreSQL that was killed may stand in the way. */
const PATIENCE_MS = 10_000;
/** How long our own PostgreSQL may take until it listens; a recovery, which follows, may take any time. */
const START_MS = 60_000;
/** How long a lock file must name a stranger, unchanged, before it is removed. */
const STRANGER_MS = 1000;
const RETRY_MS = 200;

export type Reached = Exclude<Answer, string> & { readonly started: boolean };

/** Connects to the PostgreSQL of this home; starts it if none runs. */
export async function reach(home: Home, purpose: Purpose, log: (message: string) => void): Promise<Reached> {
  let ours: Postmaster | undefined;
  let limit = Date.now() + PATIENCE_MS;
  let nextReport = limit;
  try {
    for (;;) {
      const answer = await tryConnect(home);
      if (typeof answer === 'object') return { ...answer, started: await isRunning(home, ours) };
      if (answer === 'busy') {
        limit = Date.now() + PATIENCE_MS;
        if (Date.now() > nextReport) {
          log('PostgreSQL is starting up or shutting down; waiting for it');
          nextReport = limit;
        }
      } else if (ours === undefined) {
        ours = await startIfFree(home, purpose, log);
      } else if (ours.exited()) {
        const failure = startFailure(home, await ours.lastWords(), { final: Date.now() > limit });
        if (failure !== undefined) throw failure;
        ours = undefined;
        await sleep(RETRY_MS);
      }
      if (Date.now() > (ours === undefined ? limit : ours.since + START_MS)) throw await silence(home);
      await sleep(POLL_MS);
    }
  } catch (error) {
    if (await isRunning(home, ours)) await stopPostmaster(home).catch(() => undefined);
    throw error;
  }
}

async function isRunning(home: Home, ours: Postmaster | undefined): Promise<boolean> {
  return ours !== undefined && (await readLockFile(home.cluster))?.pid === ours.pid;
}

async function startIfFree(
  home: Home,
  purpose: Purpose,
  log: (message: string) => void,
): Promise<Postmaster | undefined> {
  const lock = await readLockFile(home.cluster);
  const holder = lock === undefined ? 'no one' : await holderOf(lock.pid, home.cluster);
  if (holder === 'no one') return startPostmaster(home, purpose, log);
  if (lock !== undefined && holder === 'a stranger') {
    await sleep(STRANGER_MS);
    await removeLockFiles(home, lock);
  }
  return undefined;
}

async function silence(home: Home): Promise<EngineError> {
  const pid = (await readLockFile(home.cluster))?.pid;
  return new EngineError(
    `PostgreSQL (process ${pid ?? 'unknown'}) holds ${home.cluster} and does not answer at ${home.sockets}: end it with kill -INT ${pid ?? '<process>'} and start again.`,
  );
}
