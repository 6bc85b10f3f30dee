import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Binaries, findBinaries } from './binaries.ts';
import { prepareCluster, ROLE, settings } from './cluster.ts';
import { spawnOptions } from './command.ts';
import { type DataFolder, PORT } from './data-folder.ts';
import { diskFull, EmbeddedPostgresError } from './errors.ts';
import { holderOf, PURPOSE_SETTING, readLockFile } from './locks.ts';

/** The starter of PostgreSQL. If a CLI command (`visit`) started it, the last command stops it. */
export type Purpose = 'service' | 'visit';

const LARGEST_LOG = 10 * 1024 * 1024;
const LONGEST_SHUTDOWN_MS = 60_000;

export interface Postmaster {
  readonly pid: number;
  /** The start time, a value of `Date.now()`. */
  readonly since: number;
  exited(): boolean;
  /** Returns the last lines that it has written to the log, at most five. */
  lastWords(): Promise<string>;
}

export async function startPostmaster(
  home: DataFolder,
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

/** Stops PostgreSQL by a fast shutdown (SIGINT) and waits until it has exited. Does nothing if it is not running. */
export async function stopPostmaster(home: DataFolder): Promise<void> {
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
      throw new EmbeddedPostgresError(`PostgreSQL (process ${found.pid}) is still shutting down`, {
        code: 'postgres_shutting_down',
        advice: 'wait until it has ended, then start again.',
      });
    await sleep(10);
  }
}

/** Returns the error of a PostgreSQL that exited at its start; undefined if a retry may help and `final` is false. */
export function startFailure(
  home: DataFolder,
  logTail: string,
  { final }: { final: boolean },
): EmbeddedPostgresError | undefined {
  // A killed PostgreSQL releases its lock file and shared memory late; or a concurrent start was faster.
  const transient = /lock file ".*" already exists|pre-existing shared memory block/.test(logTail);
  if (transient && !final) return undefined;
  if (logTail.includes('No space left on device')) return diskFull(home.data);
  return new EmbeddedPostgresError(
    `PostgreSQL did not start. Its log, ${home.log}, ends with: ${logTail || '(empty)'}`,
    { code: 'postgres_start_failed' },
  );
}

/** Starts PostgreSQL in its own session, so that Ctrl-C reaches only the service, which then stops it in order. */
async function run(
  home: DataFolder,
  binaries: Binaries,
  purpose: Purpose,
  output: FileHandle,
): Promise<ChildProcess> {
  const args = ['-D', home.cluster, ...settings(home), '-c', `${PURPOSE_SETTING}=${purpose}`];
  const stdio = ['ignore', output.fd, output.fd] as const;
  const child = spawn(binaries.postgres, args, { ...spawnOptions(home), stdio: [...stdio], detached: true });
  await once(child, 'spawn');
  child.unref();
  return child;
}

async function openLog({ log, owner }: DataFolder): Promise<FileHandle> {
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

export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Set explicitly, because `pg` would otherwise read PGSSLMODE, and a Unix socket does not support TLS. */
  readonly ssl: false;
}

/**
 * The result of one attempt to connect.
 * `silence`: no server accepts the connection.
 * `busy`: the server is starting or stopping, or its database was just created; try again.
 */
export type Answer = { client: pg.Client; connection: Connection } | 'silence' | 'busy';

const NO_SUCH_DATABASE = '3D000';
const TOO_MANY_CONNECTIONS = '53300';
const STARTING_OR_STOPPING = new Set(['57P01', '57P02', '57P03']);
const DUPLICATE = new Set(['42P04', '23505']);

/** Tries to connect once. Creates the database if it does not exist, as on a first start. */
export async function tryConnect(home: DataFolder): Promise<Answer> {
  const answer = await tryConnectAt(home.sockets);
  if (answer !== 'silence') return answer;
  // A PostgreSQL that was started with another TMPDIR may listen in another folder, which its lock file names.
  const elsewhere = (await readLockFile(home.cluster))?.sockets;
  return elsewhere === undefined || elsewhere === home.sockets ? 'silence' : tryConnectAt(elsewhere);
}

async function tryConnectAt(host: string): Promise<Answer> {
  const connection: Connection = { host, port: PORT, database: ROLE, user: ROLE, ssl: false };
  try {
    return { client: await connect(connection), connection };
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === NO_SUCH_DATABASE) return makeDatabase(connection);
    if (STARTING_OR_STOPPING.has(code)) return 'busy';
    if (code === 'EACCES') throw error;
    if (!(error instanceof pg.DatabaseError) || code === TOO_MANY_CONNECTIONS) return 'silence';
    throw new EmbeddedPostgresError(`PostgreSQL in ${host} refused the connection: ${message}`, {
      code: 'postgres_connection_rejected',
      cause: error,
    });
  }
}

async function connect(connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: 5000,
    application_name: `anagrafe engine ${process.pid}`,
  });
  // Without a listener, the error event of an idle connection that breaks would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function makeDatabase(connection: Connection): Promise<'busy'> {
  const client = await connect({ ...connection, database: 'postgres' });
  try {
    await client.query(`create database ${ROLE}`);
  } catch (error) {
    if (!DUPLICATE.has((error as { code?: string }).code ?? '')) throw error;
  } finally {
    await client.end();
  }
  return 'busy';
}
