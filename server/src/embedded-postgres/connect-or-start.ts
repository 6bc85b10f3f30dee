import { setTimeout as sleep } from 'node:timers/promises';
import type { DataFolder } from './data-folder.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { holderOf, readLockFile, removeLockFiles } from './locks.ts';
import {
  type Answer,
  type Postmaster,
  type Purpose,
  startFailure,
  startPostmaster,
  stopPostmaster,
  tryConnect,
} from './postmaster.ts';

const POLL_MS = 10;
/** Maximum wait until the lock file and the shared memory of a killed PostgreSQL are released. */
const PATIENCE_MS = 10_000;
/** Maximum time until a PostgreSQL started here listens. Crash recovery comes after that and has no limit. */
const START_MS = 60_000;
/** Time for which a lock file must name an unrelated process, unchanged, before it is removed. */
const STALE_LOCK_MS = 1000;
const RETRY_MS = 200;

/** An open connection. `started` is true if this process started the PostgreSQL, false if it was running. */
export type ConnectedServer = Exclude<Answer, string> & { readonly started: boolean };

export async function connectOrStart(
  home: DataFolder,
  purpose: Purpose,
  log: (message: string) => void,
): Promise<ConnectedServer> {
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
          log('Waiting for PostgreSQL to start up or shut down');
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
      if (Date.now() > (ours === undefined ? limit : ours.since + START_MS)) throw await noAnswerError(home);
      await sleep(POLL_MS);
    }
  } catch (error) {
    if (await isRunning(home, ours)) await stopPostmaster(home).catch(() => undefined);
    throw error;
  }
}

async function isRunning(home: DataFolder, ours: Postmaster | undefined): Promise<boolean> {
  return ours !== undefined && (await readLockFile(home.cluster))?.pid === ours.pid;
}

async function startIfFree(
  home: DataFolder,
  purpose: Purpose,
  log: (message: string) => void,
): Promise<Postmaster | undefined> {
  const lock = await readLockFile(home.cluster);
  const holder = lock === undefined ? 'none' : await holderOf(lock.pid, home.cluster);
  if (holder === 'none') return startPostmaster(home, purpose, log);
  if (lock !== undefined && holder === 'unrelated') {
    await sleep(STALE_LOCK_MS);
    await removeLockFiles(home, lock);
  }
  return undefined;
}

async function noAnswerError(home: DataFolder): Promise<EmbeddedPostgresError> {
  const pid = (await readLockFile(home.cluster))?.pid;
  return new EmbeddedPostgresError(
    `PostgreSQL (process ${pid ?? 'unknown'}) is using ${home.cluster}, but does not accept connections in ${home.sockets}`,
    {
      code: 'postgres_not_responding',
      advice: `stop it with "kill -INT ${pid ?? '<process>'}", then start again.`,
    },
  );
}
