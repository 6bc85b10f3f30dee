import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { makeFolder, until } from '../engine/harness.ts';
import { startChild, usedData } from './child.ts';
import { newPrincipals } from './jobs.ts';

const users = 100_000;
/** The event loop may be held for this part of what nothing but `JSON.parse` of the body takes on this machine in one go. */
const part = 3 / 4;
/** The first attempts are slower, since nothing is compiled yet, and a test must not fail because of a neighbour. */
const attempts = 3;

const probe = fileURLToPath(new URL('probe.cjs', import.meta.url));

interface Seen {
  readonly longest: number;
  readonly peak: number;
  readonly rss: number;
  /** What is in use after a collection of garbage. */
  readonly used: number;
}

/** A service in a process of its own, with someone inside who watches. */
async function startWatched() {
  const folder = makeFolder();
  const file = join(folder, 'seen');
  const child = await startChild(await usedData(), { NODE_OPTIONS: `--require ${probe}`, PROBE: file });
  return {
    child,
    async seen(): Promise<Seen> {
      rmSync(file, { force: true });
      child.process.kill('SIGUSR2');
      let text = '';
      await until(() => {
        try {
          text = readFileSync(file, 'utf8');
        } catch {}
        return text !== '';
      });
      return JSON.parse(text);
    },
  };
}

/** Bodies of the same size, and how many times their size they may take. The users of one record stand in memory together. */
const shapes = [
  { shape: '100,000 records of one user', usersPerRecord: 1, times: 5 },
  { shape: '1,000 records of 100 users', usersPerRecord: 100, times: 5 },
  { shape: 'one record of 100,000 users', usersPerRecord: users, times: 7 },
];

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

function newUser(n: number) {
  const Password = `the long password ${n}`;
  const Email = `user.number.${n}@example.com`;
  return { Username: `user number ${n}`, Email, Password, ConfirmPassword: Password };
}

function bodyOf(principals: readonly number[], usersPerRecord: number): Buffer {
  const records = range(users / usersPerRecord).map((n) => ({
    ID: principals[n % principals.length],
    Users: range(usersPerRecord).map((at) => newUser(n * usersPerRecord + at)),
  }));
  return Buffer.from(JSON.stringify(records));
}

/** The longest that the event loop may be held, in milliseconds of work. */
function barOf(body: Buffer): number {
  const times = range(3).map(() => {
    const start = performance.now();
    JSON.parse(body.toString());
    return performance.now() - start;
  });
  return Math.min(...times) * part;
}

async function hashSome({ url }: { url: string }): Promise<void> {
  const body = JSON.stringify([{ Denomination: 'Hashed', Users: range(20).map((n) => newUser(-1 - n)) }]);
  const headers = { 'content-type': 'application/json' };
  const answer = await request(`${url}/api/sync/v1/irs/insert`, { method: 'POST', headers, body });
  expect(answer.statusCode).toBe(200);
  await answer.body.dump();
}

/** Sends the body; what was seen until the answer came, and not what the work on it does afterwards. */
async function watchedCall(
  { child, seen }: Awaited<ReturnType<typeof startWatched>>,
  body: Buffer,
  { query, prefer, status }: Pick<(typeof ways)[number], 'query' | 'prefer' | 'status'>,
): Promise<Seen> {
  await seen();
  const answer = await request(`${child.url}/api/sync/v1/irs/update${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer },
    body,
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
  });
  await answer.body.dump({ limit: 100_000_000 });
  const now = await seen();
  expect(answer.statusCode).toBe(status);
  const { location } = answer.headers;
  // Not to have it all hashed.
  if (location) await (await request(`${child.url}${location}`, { method: 'DELETE' })).body.dump();
  return now;
}

const ways = [
  { query: '?dryRun=true', prefer: '', status: 200, hashes: false },
  { query: '', prefer: 'respond-async', status: 202, hashes: true },
];

it.each(shapes)(
  '$shape, tried and as a job, do not hold up others nor take much memory, and leave nothing behind',
  async ({ usersPerRecord, times }) => {
    const watched = await startWatched();
    const body = bodyOf(await newPrincipals(watched.child, 1000), usersPerRecord);
    expect(body.length).toBeGreaterThan(15_000_000);
    const bar = barOf(body);
    const before = await watched.seen();
    // What hashing takes, whatever is hashed, has nothing to do with the body.
    await hashSome(watched.child);
    const hashing = await watched.seen();
    for (const way of ways) {
      const all: Seen[] = [];
      do all.push(await watchedCall(watched, body, way));
      while (all.length < attempts && all.every(({ longest }) => longest >= bar));
      const ground = way.hashes ? hashing.peak : before.rss;
      expect(Math.min(...all.map(({ longest }) => longest))).toBeLessThan(bar);
      expect(Math.min(...all.map(({ peak }) => peak)) - ground).toBeLessThan(body.length * times);
    }
    await expect
      .poll(async () => (await watched.seen()).used - before.used, { interval: 500 })
      .toBeLessThan(body.length / 2);
  },
);

it('one record of 100,000 users that are all wrong, tried and as a job, does not hold up others', async () => {
  const watched = await startWatched();
  const Users = range(users).map((n) => ({ ...newUser(n), Email: 'no address', ConfirmPassword: 'another' }));
  const body = Buffer.from(JSON.stringify([{ ID: 1, Users }]));
  const bar = barOf(body);
  for (const { query, prefer } of ways) {
    const longest: number[] = [];
    const status = prefer === '' ? 422 : 202;
    do longest.push((await watchedCall(watched, body, { query, prefer, status })).longest);
    while (longest.length < attempts && longest.every((one) => one >= bar));

    expect(Math.min(...longest)).toBeLessThan(bar);
  }
});
