import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cost } from '../bare.ts';
import type { AtEnd } from '../running/endings.ts';
import { startPostgres } from '../running/postgres.ts';
import { answers, ready, startProgram } from '../running/program.ts';
import type { Contestant } from './contestant.ts';
import { install, type Peer } from './installation.ts';
import { freePort } from './port.ts';
import { connections, cores, environment } from './terms.ts';

export const betterAuth: Peer = {
  name: 'Better Auth',
  version: '1.7.7',
  dependencies: { 'better-auth': '1.7.7', '@node-rs/argon2': '2.2.1', pg: '8.23.1' },
};

const serverSource = fileURLToPath(new URL('../../peers/better-auth-server.mjs', import.meta.url));
const callsAtATime = 8 * cores;

/** Starts a minimal server around Better Auth, which is a library; its admin plugin creates one user per call. */
export async function startBetterAuth(atEnd: AtEnd): Promise<Contestant[]> {
  const folder = await install(atEnd, betterAuth);
  const program = join(folder, 'server.mjs');
  copyFileSync(serverSource, program);
  const admin = { email: 'admin@example.com', password: randomBytes(16).toString('hex') };
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    url,
    port,
    admin,
    database: { ...(await startPostgres(atEnd)), max: connections },
    cost,
  };
  const env = {
    ...environment,
    BETTER_AUTH_SECRET: randomBytes(32).toString('hex'),
    SETTINGS: JSON.stringify(settings),
  };
  const server = startProgram(atEnd, process.execPath, [program], { cwd: folder, env });
  await ready(server, () => answers(`${url}/api/auth/ok`));

  const session = await post(`${url}/api/auth/sign-in/email`, admin);
  const cookie = session.headers.getSetCookie().map((line) => line.split(';')[0]);
  return [
    {
      name: betterAuth.name,
      version: betterAuth.version,
      way: `in ${callsAtATime} calls at a time`,
      users: 350,
      url,
      ping: '/api/auth/ok',
      async register(users) {
        const left = users.values();
        async function sender(): Promise<void> {
          for (const { Username, Password } of left) {
            const body = { email: `${Username}@example.com`, name: Username, password: Password };
            await post(`${url}/api/auth/admin/create-user`, body, { cookie: cookie.join('; ') });
          }
        }
        await Promise.all(Array.from({ length: callsAtATime }, sender));
      },
    },
  ];
}

async function post(url: string, body: unknown, headers = {}): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin, ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`it answered ${response.status} ${text}`);
  return response;
}
