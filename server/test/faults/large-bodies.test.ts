import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { makeFolder } from '../engine/harness.ts';
import { until } from '../setup/until.ts';
import { childStore, startChild } from './child.ts';
import { newPrincipals } from './jobs.ts';

/** As many as a job may have. */
const users = 100_000;
/** Garbage collection decides how high the peak is, so that a call that is over the limit is sent again. */
const attempts = 3;

const probe = fileURLToPath(new URL('probe.cjs', import.meta.url));

interface Seen {
  /** The largest resident set since the last look, in bytes. */
  readonly peak: number;
  readonly rss: number;
  /** Bytes of the heap and of buffers after a garbage collection. */
  readonly used: number;
}

/** Leaves the chunks of jobs in the queue, so that no work but that of the calls takes memory. */
const postponeChunks = `
  create function public.postpone() returns trigger language plpgsql as
    $$ begin new.start_after := now() + interval '1 day'; return new; end $$;
  create trigger postpone before insert on anagrafe_queue.job
    for each row when (new.name = 'chunks') execute function public.postpone();`;

/** Starts a service in a process of its own that reports its memory. */
async function startWatched() {
  const folder = makeFolder();
  const file = join(folder, 'seen');
  const { settings, database } = await childStore();
  await database.query(postponeChunks);
  const child = await startChild({ ...settings, NODE_OPTIONS: `--require ${probe}`, PROBE: file });
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

async function hashSome({ url }: { url: string }): Promise<void> {
  const body = JSON.stringify([{ Denomination: 'Hashed', Users: range(20).map((n) => newUser(-1 - n)) }]);
  const headers = { 'content-type': 'application/json' };
  const answer = await request(`${url}/api/sync/v1/irs/insert`, { method: 'POST', headers, body });
  expect(answer.statusCode).toBe(200);
  await answer.body.dump();
}

/** Sends the body, and returns what was seen until the answer came. */
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
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  await answer.body.dump({ limit: 100_000_000 });
  const now = await seen();
  expect(answer.statusCode).toBe(status);
  return now;
}

const ways = [
  { query: '?dryRun=true', prefer: '', status: 200, hashes: false },
  { query: '', prefer: 'respond-async', status: 202, hashes: true },
];

/** Bodies of about the same size, and the multiple of it that they may take. The users of a record are in memory together. */
const shapes = [
  { shape: '100,000 records of one user', usersPerRecord: 1, times: 5 },
  { shape: '1,000 records of 100 users', usersPerRecord: 100, times: 5 },
  { shape: 'one record of 100,000 users', usersPerRecord: users, times: 7 },
];

it.each(shapes)(
  '$shape, as a dry run and as a job, take a limited multiple of their size in memory and leave nothing behind',
  async ({ usersPerRecord, times }) => {
    const watched = await startWatched();
    const principals = await newPrincipals(watched.child, 1000);
    const body = bodyOf(principals, usersPerRecord);
    expect(body.length).toBeGreaterThan(15_000_000);
    const limit = body.length * times;
    const before = await watched.seen();
    // The memory of hashing does not depend on the body.
    await hashSome(watched.child);
    const hashing = await watched.seen();
    for (const way of ways) {
      const ground = way.hashes ? hashing.peak : before.rss;
      const taken: number[] = [];
      do taken.push((await watchedCall(watched, body, way)).peak - ground);
      while (taken.length < attempts && taken.every((bytes) => bytes >= limit));
      expect(Math.min(...taken)).toBeLessThan(limit);
    }
    await expect.poll(async () => (await watched.seen()).used - before.used).toBeLessThan(body.length / 2);
  },
);

it('one record of 100,000 users that are all wrong is refused as a dry run and accepted as a job', async () => {
  const watched = await startWatched();
  const wrong = { Email: 'no address', ConfirmPassword: 'another' };
  const Users = range(users).map((n) => ({ ...newUser(n), ...wrong }));
  const body = Buffer.from(JSON.stringify([{ ID: 1, Users }]));
  for (const { query, prefer } of ways)
    await watchedCall(watched, body, { query, prefer, status: prefer === '' ? 422 : 202 });
});
