import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { chooseOwner } from '../../src/engine/owner.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    store: 'embedded' | 'outside';
    /** A superuser's URL of the outside cluster, without the name of a database. */
    outsideUrl: string;
  }
}

const password = 'outside';

/**
 * A PostgreSQL that is not ours: the oldest version that we promise to run on, over TCP, with a password.
 * It lives in a folder of its own and goes with the tests.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-outside-'));
  const { uid, gid, identity } = await chooseOwner(join(folder, 'cluster'));
  chownSync(folder, uid, gid);
  const native = copyPostgres(folder);
  const options = { cwd: folder, ...identity };
  writeFileSync(join(folder, 'password'), password, { mode: 0o644 });
  const cluster = join(folder, 'cluster');
  const initdb = [
    '-D',
    cluster,
    '-U',
    'owner',
    '-A',
    'scram-sha-256',
    '--pwfile',
    join(folder, 'password'),
    '-E',
    'UTF8',
  ];
  execFileSync(join(native, 'bin', 'initdb'), [...initdb, '--locale=C', '--no-sync'], {
    ...options,
    stdio: 'ignore',
  });

  const port = await freePort();
  const settings = [
    'fsync=off',
    'max_connections=200',
    `unix_socket_directories=`,
    'listen_addresses=127.0.0.1',
  ];
  const args = ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(native, 'bin', 'postgres'), args, { ...options, stdio: 'ignore' });
  const url = `postgres://owner:${password}@127.0.0.1:${port}`;
  await answering(url, server);
  project.provide('outsideUrl', url);

  return async () => {
    server.kill('SIGINT');
    await new Promise((resolve) => (server.exitCode === null ? server.once('exit', resolve) : resolve(null)));
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Copied, because the user that runs it may not be allowed to look into the project's folder. */
function copyPostgres(folder: string): string {
  const require = createRequire(import.meta.url);
  const source = dirname(dirname(require.resolve(`postgres-15-${process.platform}-${process.arch}`)));
  const native = join(folder, 'native');
  cpSync(join(source, 'native'), native, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    const at = join(folder, link.target);
    rmSync(at, { force: true });
    symlinkSync(relative(dirname(link.target), link.source), at);
  }
  return native;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const client = new pg.Client({ connectionString: `${url}/postgres` });
    try {
      await client.connect();
      return;
    } catch {
      if (server.exitCode !== null) break;
      await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw new Error('the outside PostgreSQL did not start');
}
