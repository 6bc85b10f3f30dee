import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { checkPlatform, inspectBinaries } from './binaries.ts';
import { clusterExists } from './cluster.ts';
import { type ConnectedServer, connectOrStart } from './connect-or-start.ts';
import {
  type ClusterOptions,
  type DataFolder,
  hasCluster,
  prepareDataFolder,
  refuseClosed,
  unfinishedRestore,
} from './data-folder.ts';
import { EmbeddedPostgresError, explain, ignoreMissing } from './errors.ts';
import { holderOf, isLastVisit, lockForService, lockForVisit, readLockFile } from './locks.ts';
import { chooseOsUser } from './os-user.ts';
import { type Connection, type Purpose, stopPostmaster } from './postmaster.ts';

export { EmbeddedPostgresError } from './errors.ts';
export type { Connection } from './postmaster.ts';

export interface EmbeddedPostgres {
  /** Connection settings for `pg`: socket folder, port, database, user. */
  readonly connection: Connection;
  /** True if the service took over a PostgreSQL that was already running, for example that of a killed service. */
  readonly adopted: boolean;
  /** Stops PostgreSQL if this process is responsible for it. Idempotent. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions extends ClusterOptions {
  readonly dataFolder: string;
  readonly log?: (message: string) => void;
}

const ATTEMPTS = 5;
const RETRY_MS = 2000;

/** For the service: starts or adopts PostgreSQL, and takes the lock that excludes a second service on the folder. */
export async function startEmbeddedPostgres({
  dataFolder,
  log = ignore,
  ...options
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  checkPlatform();
  const home = await prepareDataFolder(dataFolder, options).catch(rethrow(dataFolder));
  await refuseUnfinishedRestore(home);
  let current: ConnectedServer | undefined = await connectAndLock(home, 'service', log).catch(
    rethrow(home.data),
  );
  let recovery = Promise.resolve();
  let stopped: Promise<void> | undefined;

  /** Starts PostgreSQL again if it ends while the service is running. */
  function watch({ client }: ConnectedServer): void {
    client.once('end', () => {
      current = undefined;
      if (stopped === undefined) recovery = recover();
    });
  }
  async function recover(): Promise<void> {
    log('The connection to PostgreSQL was lost; restarting it');
    while (current === undefined && stopped === undefined) {
      try {
        current = await connectAndLock(home, 'service', log);
        watch(current);
      } catch (error) {
        log(`PostgreSQL could not be restarted. ${explain(error, home.data).message}`);
        await sleep(RETRY_MS);
      }
    }
  }
  async function stop(): Promise<void> {
    await recovery;
    if (current === undefined) return;
    const { client } = current;
    await stopPostmaster(home).catch(rethrow(home.data));
    await disconnect(client);
  }

  watch(current);
  return {
    connection: current.connection,
    adopted: !current.started,
    stop: () => (stopped ??= stop()),
  };
}

export interface VisitOptions extends EmbeddedPostgresOptions {
  readonly mayCreate?: boolean;
}

/** For a CLI command: uses the running PostgreSQL, or starts it for the duration of the command. */
export async function visitEmbeddedPostgres({
  dataFolder,
  log = ignore,
  mayCreate = true,
  ...options
}: VisitOptions): Promise<EmbeddedPostgres> {
  checkPlatform();
  if (!mayCreate && !(await hasCluster(dataFolder))) {
    throw new EmbeddedPostgresError(`There is no database in ${dataFolder}`, {
      code: 'store_missing',
      advice: 'start the service once, or set ANAGRAFE_DATA to the data folder of the service.',
    });
  }
  const home = await prepareDataFolder(dataFolder, options).catch(rethrow(dataFolder));
  const { client, connection } = await connectAndLock(home, 'visit', log).catch(rethrow(home.data));
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    // The query fails if PostgreSQL has already stopped.
    const last = await isLastVisit(client).catch(() => false);
    if (last) await stopPostmaster(home).catch(rethrow(home.data));
    await disconnect(client);
  }
  return { connection, adopted: false, stop: () => (stopped ??= stop()) };
}

/**
 * Connects to PostgreSQL and takes the advisory lock of the service or of a command, which the connection keeps until
 * it ends. Connects again if another process stops PostgreSQL between the connect and the lock.
 */
async function connectAndLock(
  home: DataFolder,
  purpose: Purpose,
  log: (message: string) => void,
): Promise<ConnectedServer> {
  for (let attempt = 1; ; attempt += 1) {
    const reached = await connectOrStart(home, purpose, log);
    try {
      await (purpose === 'service'
        ? lockForService(reached.client, home.data)
        : lockForVisit(reached.client));
      return reached;
    } catch (error) {
      await disconnect(reached.client);
      if (error instanceof EmbeddedPostgresError || attempt === ATTEMPTS) throw error;
    }
  }
}

async function disconnect(client: pg.Client): Promise<void> {
  await client.end().catch(ignore);
}

async function refuseUnfinishedRestore({ cluster }: DataFolder): Promise<void> {
  const found = await stat(join(cluster, unfinishedRestore)).catch(ignoreMissing);
  if (found === undefined) return;
  throw new EmbeddedPostgresError(`The restore into ${cluster} was interrupted`, {
    code: 'restore_unfinished',
    advice: 'delete that folder, then restore again.',
  });
}

function rethrow(dataFolder: string): (error: unknown) => never {
  return (error) => {
    throw explain(error, dataFolder);
  };
}

function ignore(): void {}

/** The state of the embedded PostgreSQL, read without changing anything. */
export interface EmbeddedPostgresState {
  readonly version: string;
  readonly major: string;
  /** True if the programs run already; otherwise the first start copies or links them. */
  readonly ready: boolean;
  /** The folder of the programs; null for the npm package. */
  readonly programs: string | null;
  /** The libraries in the npm package that scanners may report, such as `OpenSSL 1.1`. */
  readonly bundled: readonly string[];
  readonly owner: string;
  /** `crashed`: a lock file exists, but PostgreSQL is not running, for example after a crash. */
  readonly cluster: 'none' | 'running' | 'stopped' | 'crashed';
  readonly pid: number | null;
}

/** @throws {EmbeddedPostgresError} PostgreSQL cannot be used; the message says what to do. */
export async function inspectEmbeddedPostgres(
  dataFolder: string,
  programs: string | null,
): Promise<EmbeddedPostgresState> {
  checkPlatform();
  const data = resolve(dataFolder);
  const cluster = join(data, 'postgres');
  try {
    const owner = await chooseOsUser(cluster);
    const home = {
      data: await nearestFolder(data),
      cluster,
      sockets: join(data, 'run'),
      log: '',
      owner,
      archive: null,
      programs,
    };
    await refuseClosed(home.data, owner);
    const { version, major, ready, bundled } = await inspectBinaries(home);
    const about = {
      version,
      major,
      ready,
      bundled,
      programs,
      owner: owner.admitted[0] ?? String(owner.uid),
      pid: null,
    };
    if (!(await clusterExists(cluster, { major, programs }))) return { ...about, cluster: 'none' };
    const lock = await readLockFile(cluster);
    if (!lock) return { ...about, cluster: 'stopped' };
    if ((await holderOf(lock.pid, cluster)) !== 'postgres') return { ...about, cluster: 'crashed' };
    return { ...about, cluster: 'running', pid: lock.pid };
  } catch (error) {
    throw explain(error, data);
  }
}

/** Returns the path or its nearest existing parent, because a missing folder cannot be a working directory. */
export async function nearestFolder(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? path : nearestFolder(dirname(path));
}
