import { execFile } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type pg from 'pg';
import { type DataFolder, PORT } from './data-folder.ts';
import { EmbeddedPostgresError } from './errors.ts';

/** The file postmaster.pid, which a running PostgreSQL writes into its cluster. */
export interface LockFile {
  readonly text: string;
  readonly pid: number;
  /** The socket folder; undefined until PostgreSQL has written it, and in a file copied from another cluster. */
  readonly sockets: string | undefined;
}

export async function readLockFile(cluster: string): Promise<LockFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [pid, folder, , , sockets] = text.split('\n');
  const here = folder !== undefined && (await sameFolder(folder, cluster));
  // PostgreSQL in single-user mode writes a negative process ID.
  return { text, pid: Math.abs(Number(pid)), sockets: here && sockets ? sockets : undefined };
}

/**
 * Identifies the process of a lock file.
 * `postgres`: PostgreSQL on this cluster. `none`: the process does not exist.
 * `unrelated`: another process that reuses the process ID after PostgreSQL died. Includes a zombie process, and
 * an empty lock file, which a power failure leaves.
 */
export async function holderOf(pid: number, cluster: string): Promise<'postgres' | 'none' | 'unrelated'> {
  if (!(pid > 1)) return 'unrelated';
  if (!isAlive(pid)) return 'none';
  const command = await commandLine(pid);
  // An unreadable command line counts as PostgreSQL, so that the lock file of a running one is never removed.
  if (command === undefined) return isAlive(pid) ? 'postgres' : 'none';
  if (basename(command[0] ?? '') !== 'postgres') return 'unrelated';
  const folder = command.includes('-D') ? (command[command.indexOf('-D') + 1] ?? '') : '';
  if (isAbsolute(folder) && !(await sameFolder(folder, cluster))) return 'unrelated';
  return 'postgres';
}

/**
 * Removes lock files that name an unrelated process, which PostgreSQL would mistake for another PostgreSQL and exit.
 * Keeps them if they have changed since `stale` was read.
 */
export async function removeLockFiles(home: DataFolder, stale: LockFile): Promise<void> {
  const now = await readLockFile(home.cluster);
  if (now?.text !== stale.text) return;
  const socketLock = join(home.sockets, `.s.PGSQL.${PORT}.lock`);
  const text = await readFile(socketLock, 'utf8').catch(() => '');
  if (text.split('\n')[0] === stale.text.split('\n')[0]) await rm(socketLock, { force: true });
  await rm(join(home.cluster, 'postmaster.pid'), { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function commandLine(pid: number): Promise<string[] | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
    return text?.split('\0');
  }
  // `ps` does not separate the arguments; the folder ends at the next option of our command line, `-c`.
  const { stdout } = await promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({
    stdout: undefined,
  }));
  if (stdout === undefined) return undefined;
  const [, program, folder] = /^(.*?) -D (.*?)(?: -c .*)?\n?$/s.exec(stdout) ?? [];
  return program === undefined || folder === undefined ? [stdout.trim()] : [program, '-D', folder];
}

async function sameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one), stat(other)].map((found) => found.catch(() => undefined)));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

// Keys of session-level advisory locks, which PostgreSQL releases when the process that holds them ends in any way.
const LOCK_CLASS = 1634623847;
const SERVICE = 1;
const VISIT = 2;

const POLL_MS = 50;
/** Maximum wait for the lock of a killed service, which PostgreSQL on a busy machine releases late. */
const KILLED_MS = 20_000;
/** Maximum wait for the lock of a service whose process exists, because it may be exiting. */
const LIVING_MS = 1000;

/** Takes the exclusive advisory lock of the service. Throws if another service keeps it. */
export async function lockForService(client: pg.Client, data: string): Promise<void> {
  const since = Date.now();
  while (!(await tryLock(client, SERVICE))) {
    const pid = await serviceProcess(client);
    const maxWaitMs = pid !== undefined && pid !== process.pid && isAlive(pid) ? LIVING_MS : KILLED_MS;
    if (Date.now() - since > maxWaitMs) {
      throw new EmbeddedPostgresError(
        `Another Anagrafe service (process ${pid ?? 'unknown'}) is using ${data}`,
        {
          code: 'data_folder_in_use',
          advice: 'stop that service, or set ANAGRAFE_DATA to another folder.',
        },
      );
    }
    await sleep(POLL_MS);
  }
}

/** Takes the shared advisory lock of CLI commands. Waits only while the last command is stopping PostgreSQL. */
export async function lockForVisit(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1, $2)', [LOCK_CLASS, VISIT]);
}

/**
 * Returns true if a CLI command started PostgreSQL, and no other command or service is connected. The exclusive locks
 * that it then holds keep out any other.
 */
export async function isLastVisit(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select current_setting($1, true) as purpose', [PURPOSE_SETTING]);
  if (rows[0]?.purpose !== 'visit') return false;
  await client.query('select pg_advisory_unlock_shared($1, $2)', [LOCK_CLASS, VISIT]);
  return (await tryLock(client, VISIT)) && (await tryLock(client, SERVICE));
}

async function tryLock(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as taken', [LOCK_CLASS, lock]);
  return rows[0]?.taken === true;
}

/** Returns the process ID of the service that holds the lock, from the `application_name` of its connection. */
async function serviceProcess(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.granted`,
    [LOCK_CLASS, SERVICE],
  );
  const pid = Number(/\d+$/.exec(rows[0]?.name ?? '')?.[0]);
  return pid > 1 ? pid : undefined;
}

/** Custom setting of the server that stores its `Purpose`. */
export const PURPOSE_SETTING = 'anagrafe.started_for';
