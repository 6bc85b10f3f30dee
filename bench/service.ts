import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../server/bin/anagrafe.cjs', import.meta.url));

export interface MeasuredService {
  readonly url: string;
  call(path: string, body: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly statusCode: number;
  readonly result: { readonly records: readonly { readonly Item1: number }[] };
}

/** The service as people run it: a process of its own, on its own PostgreSQL, in a folder that goes afterwards. */
export async function startService(): Promise<MeasuredService> {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-bench-'));
  const env = { ...process.env, ANAGRAFE_DATA: folder, ANAGRAFE_PORT: '0', ANAGRAFE_LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'inherit', 'pipe'] });
  const url = await readUrl(child);
  return {
    url,
    async call(path, body) {
      const response = await fetch(`${url}/api/sync/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as Answer;
      if (answer.statusCode !== 200) throw new Error(`the service answered ${JSON.stringify(answer)}`);
      return answer;
    },
    async stop() {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
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
    child.once('exit', () => reject(new Error(`the service did not start: ${banner}`)));
  });
}
