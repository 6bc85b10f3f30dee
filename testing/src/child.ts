import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase } from '../../server/src/db/database.ts';
import { readConfig } from '../../server/src/settings/config.ts';
import { openStore } from '../../server/src/store.ts';
import { makeFolder } from './embedded-postgres.ts';
import { afterTest } from './endings.ts';
import { copyStore, newStore } from './store.ts';

type Settings = Record<string, string>;

export interface Child {
  readonly process: ChildProcess;
  readonly url: string;
  /** Lines of its standard output: its log, as JSON. */
  readonly log: readonly string[];
  /** Lines of its standard error. */
  readonly said: readonly string[];
  call(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Sends a signal and waits for the exit; returns the exit code, or the signal that ended the process. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

export interface ChildStore {
  readonly settings: Settings;
  readonly url: string;
  /** Connections of the test itself, which the services do not use. */
  readonly database: Database;
}

const script = fileURLToPath(new URL('../../server/bin/anagrafe.cjs', import.meta.url));

/** Creates a database of the shared cluster for services in child processes; it is deleted after the test. */
export async function childStore(create: typeof newStore = newStore): Promise<ChildStore> {
  const { settings, discard } = await create();
  afterTest(discard);
  const url = settings.ANAGRAFE_DATABASE_URL ?? '';
  const database = openTestDatabase(url);
  return { settings, url, database };
}

/** Opens connections for the test itself and closes them when the test ends. */
export function openTestDatabase(url: string): Database {
  const connection = { connectionString: url };
  const database = openDatabase({ connection, poolSize: 3, onLostConnection: () => {} });
  afterTest(() => database.close());
  return database;
}

/** Creates a data folder with an embedded PostgreSQL on which a service has run before. */
export async function usedData(): Promise<string> {
  const data = join(makeFolder(), 'data');
  await copyStore(data);
  return data;
}

/** Starts the service in a process of its own, on a free port and with one hash thread. */
export async function startChild(settings: Settings): Promise<Child> {
  const child = spawn(process.execPath, [script, 'serve'], {
    cwd: '/',
    env: {
      PATH: process.env.PATH,
      ANAGRAFE_PORT: '0',
      ANAGRAFE_HASH_CONCURRENCY: '1',
      ANAGRAFE_DATA: settings.ANAGRAFE_DATA ?? makeFolder(),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  afterTest(async () => {
    await endOf(child, 'SIGKILL');
  });
  const log: string[] = [];
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => log.push(line));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      const found = /API\s+(http:\/\/[^/\s]+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', () => reject(new Error(`the service did not start: ${said.join('\n')}`)));
  });
  return {
    process: child,
    url,
    log,
    said,
    call: (path, body, headers = {}) =>
      fetch(`${url}/api/sync/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    end: (signal) => endOf(child, signal),
  };
}

/** Connects to the embedded PostgreSQL of a data folder while `look` runs; starts PostgreSQL if it does not run. */
export async function lookInto<Result>(
  data: string,
  look: (database: Database) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(readConfig({ ANAGRAFE_DATA: data }), { mode: 'existing', log: () => {} });
  return look(store.database).finally(() => store.close());
}

export const failuresIn = ({ log }: Child) => log.filter((line) => /"level":"(warn|error|fatal)"/.test(line));

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
  const ended = () => child.exitCode ?? child.signalCode;
  if (ended() === null) {
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
  return ended() as number | NodeJS.Signals;
}
