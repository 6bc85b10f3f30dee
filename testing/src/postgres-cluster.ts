import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { chooseOsUser } from '../../server/src/embedded-postgres/os-user.ts';
import { dataParent } from './data-parent.ts';
import { until } from './until.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Major version of the PostgreSQL that the project's services run on. */
    postgresVersion: 15 | 18;
    /** Superuser URL of that cluster, without a database name. */
    postgresUrl: string;
  }
}

const packages = {
  18: `@embedded-postgres/${process.platform}-${process.arch}`,
  15: `postgres-15-${process.platform}-${process.arch}`,
};
const password = 'cluster password';
/** Otherwise a client hashes the password 4,096 times for each connection. PostgreSQL 15 does not have the setting. */
const cheapPasswords = ['-c', 'scram_iterations=1'];

/**
 * Starts one PostgreSQL cluster for all test files of a Vitest project, over TCP and with a password, as an
 * external database would be. Every test service gets a database of its own in it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const version = project.config.provide.postgresVersion as 15 | 18;
  const folder = mkdtempSync(join(tmpdir(), `anagrafe-postgres-${version}-`));
  const dataFolder = mkdtempSync(join(dataParent(), `anagrafe-postgres-${version}-data-`));
  const cluster = join(dataFolder, 'cluster');
  const { uid, gid, identity } = await chooseOsUser(cluster);
  for (const owned of [folder, dataFolder]) chownSync(owned, uid, gid);
  const native = copyBinaries(version, folder);
  const options = { cwd: folder, ...identity };
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o644 });
  const initdb = [
    '-D',
    cluster,
    '-U',
    'owner',
    '-A',
    'scram-sha-256',
    '--pwfile',
    passwordFile,
    '-E',
    'UTF8',
    ...(version === 18 ? cheapPasswords : []),
  ];
  execFileSync(join(native, 'bin', 'initdb'), [...initdb, '--locale=C', '--no-sync'], {
    ...options,
    stdio: 'ignore',
  });

  const port = await freePort();
  const settings = [
    'fsync=off',
    'full_page_writes=off',
    'max_connections=500',
    'unix_socket_directories=',
    'listen_addresses=127.0.0.1',
  ];
  const args = ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(native, 'bin', 'postgres'), args, { ...options, stdio: 'ignore' });
  const url = `postgres://owner:${encodeURIComponent(password)}@127.0.0.1:${port}`;
  await until(() => accepts(url, server));
  project.provide('postgresUrl', url);

  return async () => {
    // SIGQUIT: the data is deleted anyway, so PostgreSQL need not write a checkpoint.
    server.kill('SIGQUIT');
    await new Promise((resolve) => (server.exitCode === null ? server.once('exit', resolve) : resolve(null)));
    for (const made of [folder, dataFolder]) rmSync(made, { recursive: true, force: true });
  };
}

/** Copies the binaries, because the user that runs them may have no access to the project's folder. */
export function copyBinaries(version: 15 | 18, folder: string): string {
  const require = createRequire(import.meta.url);
  const source = dirname(dirname(require.resolve(packages[version])));
  const native = join(folder, 'native');
  chmodSync(folder, 0o755);
  cpSync(join(source, 'native'), native, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    const path = join(folder, link.target);
    rmSync(path, { force: true });
    symlinkSync(relative(dirname(link.target), link.source), path);
  }
  return native;
}

/** Returns a TCP port that is free at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function accepts(url: string, server: ChildProcess): Promise<boolean> {
  if (server.exitCode !== null) throw new Error(`PostgreSQL ended with exit code ${server.exitCode}`);
  const client = new pg.Client({ connectionString: `${url}/postgres` });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
