import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import {
  type Connection,
  startEmbeddedPostgres,
} from '../../server/src/embedded-postgres/embedded-postgres.ts';
import { dataParent } from './data-parent.ts';
import { afterTest } from './endings.ts';
import { prepared } from './prepared.ts';
import { until } from './until.ts';

export interface Identity {
  uid?: number;
  gid?: number;
}

export interface Report {
  connection: Connection;
  adopted: boolean;
  error?: string;
  message: string;
  logged: string[];
}

export interface Service {
  readonly process: ChildProcess;
  /** Waits for the next line of output and parses it. */
  next(): Promise<Report>;
  ask(command: 'stop' | 'log'): Promise<Report>;
  kill(): Promise<void>;
}

export interface ServiceOptions {
  way?: 'open' | 'visit';
  identity?: Identity;
  module?: string;
  env?: Record<string, string>;
}

export const asRoot = process.getuid?.() === 0;
const NOBODY: Identity = asRoot ? accountOf('nobody') : {};

/** The operating system users as which a test can start the service. */
export const users: { user: string; identity: Identity }[] = asRoot
  ? [
      { user: 'root', identity: {} },
      { user: 'an ordinary user', identity: NOBODY },
    ]
  : [{ user: 'an ordinary user', identity: {} }];

export const compiledEngine = fileURLToPath(
  new URL('../../server/dist/embedded-postgres/embedded-postgres.js', import.meta.url),
);
const script = fileURLToPath(new URL('embedded-postgres-program.mjs', import.meta.url));

/** Creates a folder that the given user can write to. After the test it is removed, and its PostgreSQL is stopped. */
export function makeFolder(identity: Identity = {}): string {
  const folder = mkdtempSync(join(dataParent(), 'anagrafe-engine-'));
  chmodSync(folder, 0o711);
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid ?? 0);
  afterTest(async () => {
    for (const data of [folder, join(folder, 'data')]) await endPostmaster(data);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  return folder;
}

/**
 * Creates a data folder with an empty, stopped cluster that belongs to the given user. It is a copy of one that is
 * created once per test run, because initdb takes seconds.
 */
export async function makeCluster(identity: Identity = {}): Promise<string> {
  const data = join(makeFolder(identity), 'data');
  const made = await prepared('cluster', async (folder) =>
    (await startEmbeddedPostgres({ dataFolder: folder })).stop(),
  );
  const run = promisify(execFile);
  // -a keeps the owners: PostgreSQL refuses a cluster that belongs to another user.
  await run('cp', ['-a', made, data]);
  if (identity.uid !== undefined) await run('chown', ['-R', `${identity.uid}:${identity.gid}`, data]);
  return data;
}

export function startService(dataFolder: string, options: ServiceOptions = {}): Service {
  const { way = 'open', identity = {}, module = compiledEngine, env = {} } = options;
  const child = spawn(process.execPath, [script, module, way, dataFolder], {
    ...identity,
    cwd: '/',
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the service ended without a word');
    return JSON.parse(value) as Report;
  };
  const service: Service = {
    process: child,
    next,
    ask: (command) => {
      child.stdin.write(`${command}\n`);
      return next();
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
  afterTest(service.kill);
  return service;
}

/** Reads the process ID of PostgreSQL from the lock file in the data folder; undefined if there is no lock file. */
export async function postmasterOf(dataFolder: string): Promise<number | undefined> {
  const text = await readFile(join(dataFolder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text.split('\n')[0]);
}

/** Like `postmasterOf`, but throws without a lock file: a fallback to 0 would signal the own process group. */
export async function requirePostmaster(dataFolder: string): Promise<number> {
  const pid = await postmasterOf(dataFolder);
  if (pid === undefined) throw new Error(`no PostgreSQL runs on ${dataFolder}`);
  return pid;
}

/** Sends a signal to the PostgreSQL that runs on this data folder, and returns its process ID. */
export async function signalPostmaster(dataFolder: string, signal: NodeJS.Signals): Promise<number> {
  const pid = await requirePostmaster(dataFolder);
  process.kill(pid, signal);
  return pid;
}

export async function query(connection: Connection, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

export function isRunning(pid: number): boolean {
  try {
    // A zombie process still accepts signal 0, but its command line is empty.
    process.kill(pid, 0);
    return process.platform !== 'linux' || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

function accountOf(name: string): Identity {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

async function endPostmaster(dataFolder: string): Promise<void> {
  const pid = await postmasterOf(dataFolder);
  if (pid === undefined || !isRunning(pid)) return;
  const command = process.platform === 'linux' ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : dataFolder;
  if (!command.includes(dataFolder)) return;
  process.kill(pid, 'SIGQUIT');
  await until(() => !isRunning(pid));
}
