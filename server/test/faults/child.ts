import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/storage/database.ts';
import { openStore } from '../../src/store.ts';
import { makeFolder } from '../engine/harness.ts';
import { afterTest } from '../setup/endings.ts';
import { copyStore } from '../setup/store.ts';

export interface Child {
  readonly process: ChildProcess;
  readonly url: string;
  /** What it has written to its log. */
  readonly log: readonly string[];
  /** What it has said to people. */
  readonly said: readonly string[];
  call(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Sends a signal and waits for the end; gives the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

const script = fileURLToPath(new URL('../../bin/anagrafe.cjs', import.meta.url));

/** A data folder on which a service has run before, for the one of this test. */
export async function usedData(): Promise<string> {
  const data = join(makeFolder(), 'data');
  await copyStore(data);
  return data;
}

/** The service as it is run: the command in a process of its own, on its own data folder and a free port. */
export async function startChild(data: string, settings: Record<string, string> = {}): Promise<Child> {
  const child = spawn(process.execPath, [script, 'serve'], {
    cwd: '/',
    env: { PATH: process.env.PATH, ANAGRAFE_DATA: data, ANAGRAFE_PORT: '0', ...settings },
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

/** A look into the database of a running service. */
export async function lookInto<Result>(
  data: string,
  look: (database: Database) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(readConfig({ ANAGRAFE_DATA: data }), { as: 'visitor', log: () => {} });
  return look(store.database).finally(() => store.close());
}

async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
  const ended = () => child.exitCode ?? child.signalCode;
  if (ended() === null) {
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
  return ended() as number | NodeJS.Signals;
}
