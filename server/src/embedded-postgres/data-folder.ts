import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { EmbeddedPostgresError } from './errors.ts';
import { chooseOsUser, closedParent, mayEnter, type OsUser } from './os-user.ts';

export interface DataFolder {
  readonly data: string;
  readonly cluster: string;
  readonly sockets: string;
  readonly log: string;
  readonly owner: OsUser;
  /** PostgreSQL copies each complete file of its write-ahead log into this folder; null if it does not. */
  readonly archive: string | null;
  /** The folder of other programs of PostgreSQL than those of the npm package; null for those. */
  readonly programs: string | null;
}

export interface ClusterOptions {
  /** PostgreSQL archives its write-ahead log, for backups. */
  readonly archivesLog?: boolean;
  /** See `DataFolder.programs`. */
  readonly programs?: string | null;
}

export const PORT = 5432;

/** Maximum length in bytes of the path of a socket. Operating systems allow 103 or 107 bytes. */
const LONGEST_SOCKET_PATH = 100;

export async function prepareDataFolder(
  dataFolder: string,
  { archivesLog = false, programs = null }: ClusterOptions,
): Promise<DataFolder> {
  const data = await makeDataFolder(resolve(dataFolder));
  const cluster = join(data, 'postgres');
  const owner = await chooseOsUser(cluster);
  await openToOwner(data, owner);
  const sockets = await makeSocketFolder(data, owner);
  const archive = archivesLog ? await makePrivateFolder(archiveIn(data), owner) : null;
  return { data, cluster, sockets, log: join(data, 'postgres.log'), owner, archive, programs };
}

/** Returns the folder into which PostgreSQL copies its write-ahead log, if it does. */
export function archiveIn(dataFolder: string): string {
  return join(dataFolder, 'log-archive');
}

export async function hasCluster(dataFolder: string): Promise<boolean> {
  return stat(join(resolve(dataFolder), 'postgres')).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Lets other users traverse but not list the data folder of root; its contents have their own modes. */
async function makeDataFolder(path: string): Promise<string> {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  await makeFolders(path, mode);
  const data = await realpath(path);
  await refuseSharedFolder(data);
  return data;
}

/** Creates a folder and those above it. `mkdir` with `recursive` never ends for a folder in `/proc`. */
async function makeFolders(path: string, mode: number): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(found instanceof Error)) {
    if (!found.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR', path });
    return;
  }
  if (found.code !== 'ENOENT') throw found;
  await makeFolders(dirname(path), mode);
  // Another first start may have created it a moment ago.
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  // A strict umask would deny the owner of the cluster access.
  await chmod(path, mode);
}

/** Rejects a folder that other users may write to: they could replace the master key and the cluster in it. */
async function refuseSharedFolder(data: string): Promise<void> {
  const { mode, gid } = await stat(data);
  const groupMayWrite = (mode & 0o020) !== 0 && gid !== process.getgid?.();
  if ((mode & 0o002) === 0 && !groupMayWrite) return;
  throw new EmbeddedPostgresError(
    `Other users can write to ${data}, which contains the database and the master key`,
    {
      code: 'data_folder_writable_by_others',
      advice: `run "chmod go-w ${data}", then start again.`,
    },
  );
}

async function openToOwner(data: string, owner: OsUser): Promise<void> {
  if (owner.identity.uid === undefined) return;
  await refuseClosed(data, owner);
  const folder = await stat(data);
  if (!mayEnter(folder, owner)) await chmod(data, (folder.mode & 0o777) | 0o011);
}

export async function refuseClosed(data: string, owner: OsUser): Promise<void> {
  const closed = owner.identity.uid === undefined ? undefined : await closedParent(data, owner);
  if (closed === undefined) return;
  throw new EmbeddedPostgresError(
    `PostgreSQL runs as user ${owner.admitted[0]}, who cannot access ${closed}`,
    {
      code: 'data_folder_not_accessible',
      advice: 'set ANAGRAFE_DATA to /var/lib/anagrafe, or to another folder that this user can access.',
    },
  );
}

async function makeSocketFolder(data: string, owner: OsUser): Promise<string> {
  const near = join(data, 'run');
  if (fits(near)) return makePrivateFolder(near, owner);
  const hash = createHash('sha256').update(data).digest('hex').slice(0, 8);
  for (const parent of new Set([tmpdir(), '/tmp'])) {
    const far = join(await realpath(parent).catch(() => '/tmp'), `anagrafe-${owner.uid}-${hash}`);
    if (fits(far) && (await closedParent(far, owner)) === undefined) return makePrivateFolder(far, owner);
  }
  throw new EmbeddedPostgresError(`The path ${data} is too long for a Unix socket`, {
    code: 'socket_path_too_long',
    advice: 'set ANAGRAFE_DATA to a shorter path.',
  });
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`)) <= LONGEST_SOCKET_PATH;
}

/** Rejects an existing folder of another user, who could have created it first in a shared folder such as `/tmp`. */
async function makePrivateFolder(path: string, owner: OsUser): Promise<string> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(path);
  const ours = found.uid === owner.uid || found.uid === process.getuid?.();
  if (!found.isDirectory() || !ours) {
    throw new EmbeddedPostgresError(`${path} is not a folder owned by user ${owner.admitted[0]}`, {
      code: 'data_folder_entry_invalid',
      advice: 'delete it, then start again.',
    });
  }
  if ((found.mode & 0o777) !== 0o700) await chmod(path, 0o700);
  if (found.uid !== owner.uid) await chown(path, owner.uid, owner.gid);
  return path;
}

/** A file in a cluster whose restore has not ended: IDs were not skipped, and deletions not repeated. */
export const unfinishedRestore = 'anagrafe_restore_unfinished';

const ABANDONED_MS = 10 * 60_000;

/** Removes temporary folders of killed starts. Keeps those younger than 10 minutes, which a running start may use. */
export async function sweep(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(folder, name);
    if (Date.now() - (await lastChange(path)) > ABANDONED_MS)
      await rm(path, { recursive: true, force: true });
  }
}

/** Returns the time of the last change of a folder or of a file directly in it, such as a large archive. */
async function lastChange(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const times = [folder, ...names.map((name) => join(folder, name))].map((path) =>
    lstat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}
