import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AtEnd } from './endings.ts';

export const program = fileURLToPath(new URL('../../../server/bin/anagrafe.cjs', import.meta.url));

/** Polling interval for the end of a job; shorter polling would add to the load. */
const pollMs = 1000;

export interface MeasuredService {
  readonly url: string;
  readonly pid: number;
  /** The data folder. */
  readonly folder: string;
  /** Sends a call and throws if its status is above 202. */
  call(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Submits a job, waits for its end and returns the seconds from the request to the end. */
  job(path: string, body: unknown): Promise<number>;
  submit(path: string, body: unknown, headers?: Record<string, string>): Promise<Job>;
  /** Waits for the end of a job and returns its time in milliseconds since 1970. */
  end(job: Job): Promise<number>;
  signal(signal: NodeJS.Signals): void;
  /** Stops the service before the end of the benchmark. */
  stop(): Promise<void>;
}

interface Answer {
  readonly statusCode: number;
  readonly result: {
    readonly records: readonly { readonly Item1: number; readonly Item6: Representation }[];
    readonly record: Job;
  };
}

interface Representation {
  readonly Users?: readonly { readonly ID: number }[];
}

interface Job {
  readonly ID: string;
  readonly State: string;
  readonly RecordsFailed: number;
  readonly SubmittedAt: string;
  readonly EndedAt: string | null;
}

export interface ServiceOptions {
  readonly settings?: Record<string, string>;
  /** Zero-based number of the core that the service is pinned to; all cores if it is missing. */
  readonly core?: number;
}

/** Starts the service in a child process, by default on its embedded PostgreSQL in a temporary data folder. */
export async function startService(
  atEnd: AtEnd,
  { settings, core }: ServiceOptions = {},
): Promise<MeasuredService> {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-bench-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const own = { ANAGRAFE_DATA: folder, ANAGRAFE_PORT: '0', ANAGRAFE_LOG_LEVEL: 'warn' };
  const env = { ...process.env, ...own, ...settings };
  const pinned = core === undefined ? [] : ['taskset', '-c', String(core)];
  const [command = '', ...args] = [...pinned, process.execPath, program, 'serve'];
  const child = spawn(command, args, { env, stdio: ['ignore', 'inherit', 'pipe'] });
  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  }
  atEnd(stop);
  const url = await readUrl(child);

  async function send(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const response = await fetch(`${url}/api/sync/v1/${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Answer;
    if (answer.statusCode > 202)
      throw new Error(`the service answered ${JSON.stringify(answer).slice(0, 500)}`);
    return answer;
  }

  async function submit(path: string, body: unknown, headers = {}): Promise<Job> {
    const { result } = await send('POST', path, body, { prefer: 'respond-async', ...headers });
    return result.record;
  }

  async function end({ ID }: Job): Promise<number> {
    for (;;) {
      const { EndedAt } = (await send('GET', `jobs/${ID}?pageSize=1`)).result.record;
      if (EndedAt !== null) return Date.parse(EndedAt);
      await sleep(pollMs);
    }
  }

  return {
    url,
    pid: child.pid ?? 0,
    folder,
    call: (path, body, headers) => send('POST', path, body, headers),
    submit,
    end,
    async job(path, body) {
      const start = Date.now();
      const ended = await end(await submit(path, body));
      return (ended - start) / 1000;
    },
    signal(signal) {
      child.kill(signal);
    },
    stop,
  };
}

function readUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let banner = '';
    child.stderr?.on('data', (piece) => {
      banner += piece;
      const url = /API +(http:\/\/[^/]+)/.exec(banner)?.[1];
      if (url) resolve(url);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the service did not start: ${banner}`)));
  });
}
