import { randomBytes } from 'node:crypto';
import { chown, lchown, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { CommandError, runAsOsUser } from './command.ts';
import { type DataFolder, PORT, sweep } from './data-folder.ts';
import { diskFull, EmbeddedPostgresError, ignoreMissing } from './errors.ts';

/** The name of the role that owns the cluster, and of the database in it. */
export const ROLE = 'anagrafe';

const UNFINISHED = 'postgres.new-';

/** Creates a missing cluster, rejects one of another major version, and writes the connection rules. */
export async function prepareCluster(home: DataFolder, binaries: Binaries, log: (message: string) => void) {
  if (!(await clusterExists(home.cluster, { major: binaries.major, programs: home.programs }))) {
    log(`Creating the PostgreSQL ${binaries.major} database in ${home.cluster}`);
    await makeCluster(home, binaries);
  }
  await handToOwner(home);
  await writeConnectionRules(home);
}

/** Returns true if the cluster exists. Throws if another major version created it. */
export async function clusterExists(
  cluster: string,
  { major, programs }: { readonly major: string; readonly programs: string | null },
): Promise<boolean> {
  const made = await versionOf(cluster);
  if (made === undefined || made === major) return made !== undefined;
  const source = programs === null ? 'this release includes' : `${programs} contains`;
  throw new EmbeddedPostgresError(
    `${cluster} was created by PostgreSQL ${made}, but ${source} PostgreSQL ${major}`,
    {
      code: 'cluster_version_unsupported',
      advice: `set ANAGRAFE_POSTGRES_BIN to the programs of PostgreSQL ${made}, or move the data with "anagrafe dump" there and "anagrafe load" into a new data folder.`,
    },
  );
}

/**
 * Returns the settings of every start, passed on the command line to override the configuration files. The log
 * settings keep the data of statements (names, addresses, hashes) out of the log.
 */
export function settings(home: DataFolder): string[] {
  const values = {
    listen_addresses: '',
    port: PORT,
    unix_socket_directories: `"${home.sockets.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: 250,
    fsync: 'on',
    full_page_writes: 'on',
    shared_buffers: `${sharedBuffersMb(availableMemory())}MB`,
    // The default of 1 GB makes a large import checkpoint every minute. After each checkpoint PostgreSQL logs every page
    // it changes as a whole, and calls wait while the files are synchronised.
    max_wal_size: '4GB',
    // The plan of a prepared statement made while a table was small stays in use until the next autoanalyze. Calls during
    // an import into an empty database would be slow for up to a minute, the default.
    autovacuum_naptime: '10s',
    // The default of 0.1 analyses each table every 10 seconds during an import, in a tenth of its processor time.
    autovacuum_analyze_scale_factor: 0.5,
    // The default of 4 is for disks with moving heads: PostgreSQL would read whole tables instead of using an index.
    random_page_cost: 1.1,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_statement: 'none',
    log_min_duration_statement: -1,
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_parameter_max_length: 0,
    log_parameter_max_length_on_error: 0,
    // A file of the log that is not full is copied after this time, so that a restore loses less.
    ...(home.archive !== null && {
      archive_mode: 'on',
      archive_library: 'basic_archive',
      'basic_archive.archive_directory': home.archive,
      archive_timeout: '5min',
    }),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

const megabyte = 1024 * 1024;

/** Returns the memory of the machine in bytes, or that of the container if it has a limit. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/**
 * Returns the memory in which PostgreSQL keeps pages, in megabytes: an eighth of `memory`, at least PostgreSQL's default
 * of 128 MB, at most 1 GB. With too little, an import writes and reads the pages of its indexes again and again.
 */
export function sharedBuffersMb(memory: number): number {
  return Math.min(Math.max(Math.floor(memory / 8 / megabyte), 128), 1024);
}

async function versionOf(cluster: string): Promise<string | undefined> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(ignoreMissing);
  if (version !== undefined) return version.trim();
  const found = await readdir(cluster).catch(ignoreMissing);
  if (!found || found.length === 0) return undefined;
  throw new EmbeddedPostgresError(`${cluster} contains files, but is not a PostgreSQL database`, {
    code: 'cluster_invalid',
    advice: 'move the folder, or set ANAGRAFE_DATA to another one.',
  });
}

/** Creates the cluster under a temporary name and renames it, so that a killed start leaves no partial cluster. */
async function makeCluster(home: DataFolder, binaries: Binaries): Promise<void> {
  await sweep(home.data, UNFINISHED);
  const unfinished = await mkdtemp(join(home.data, UNFINISHED));
  try {
    await chown(unfinished, home.owner.uid, home.owner.gid);
    await runAsOsUser(home, binaries.initdb, [
      `--pgdata=${unfinished}`,
      `--username=${ROLE}`,
      '--auth-local=peer',
      '--auth-host=reject',
      '--data-checksums',
      '--encoding=UTF8',
      '--locale=C',
      ...(Number(binaries.major) >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
      '--no-instructions',
    ]);
    await rename(unfinished, home.cluster);
    await makeDurable(home.data);
  } catch (error) {
    if (error instanceof CommandError) throw initdbFailed(error, home);
    // A concurrent first start has created the cluster, which is used instead.
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['ENOTEMPTY', 'EEXIST'].includes(code)) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function initdbFailed(error: CommandError, home: DataFolder): EmbeddedPostgresError {
  if (error.output.includes('No space left')) return diskFull(home.data, { cause: error });
  const reason = error.output.split('\n').find((line) => /error|fatal/i.test(line)) ?? error.message;
  return new EmbeddedPostgresError(`PostgreSQL could not create its database in ${home.data}: ${reason}`, {
    code: 'cluster_creation_failed',
    cause: error,
  });
}

async function makeDurable(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

/** Changes the owner of a cluster that root restored from a backup, because PostgreSQL could not read it. */
async function handToOwner({ cluster, owner }: DataFolder): Promise<void> {
  if ((await stat(cluster)).uid === owner.uid) return;
  for (const name of await readdir(cluster, { recursive: true })) {
    await lchown(join(cluster, name), owner.uid, owner.gid);
  }
  await chown(cluster, owner.uid, owner.gid);
}

/** Admits only the owner and root, only over the Unix socket, and only as `ROLE`. `replication` is for backups. */
async function writeConnectionRules(home: DataFolder): Promise<void> {
  const rules = ['all', 'replication'].map((database) => `local ${database} ${ROLE} peer map=${ROLE}\n`);
  await write(home, 'pg_hba.conf', rules.join(''));
  const lines = home.owner.admitted.map((name) => `${ROLE} "${name.replaceAll('"', '""')}" ${ROLE}\n`);
  await write(home, 'pg_ident.conf', [...new Set(lines)].join(''));
}

async function write({ cluster, owner }: DataFolder, name: string, text: string): Promise<void> {
  const path = join(cluster, name);
  if ((await readFile(path, 'utf8').catch(() => '')) === text) return;
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`;
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await handle.chown(owner.uid, owner.gid);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, path);
}
