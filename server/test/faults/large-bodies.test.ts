import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childStore, startChild } from '@anagrafe/testing/child';
import { makeFolder } from '@anagrafe/testing/embedded-postgres';
import { range } from '@anagrafe/testing/records';
import { until } from '@anagrafe/testing/until';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { newPrincipals } from './jobs.ts';

/** Half of the largest number of users in a job. */
const users = 50_000;
/**
 * Heap limit of the service in MB, enough for these calls; without a call it uses about 50. A service that needs more
 * ends with an error. Unlike a measured peak, this does not depend on when garbage is collected.
 */
const heapLimit = 110;

const probe = fileURLToPath(new URL('probe.cjs', import.meta.url));

/** Keeps the chunks of jobs in the queue for a day, so that only the calls use memory. */
const postponeChunks = `
  create function public.postpone() returns trigger language plpgsql as
    $$ begin new.start_after := now() + interval '1 day'; return new; end $$;
  create trigger postpone before insert on anagrafe_queue.job
    for each row when (new.name = 'chunks') execute function public.postpone();`;

/** Starts a service in a child process with a small heap and a probe that reports its memory use. */
async function startProbed(heap = heapLimit) {
  const folder = makeFolder();
  const file = join(folder, 'seen');
  const { settings, database } = await childStore();
  await database.query(postponeChunks);
  const options = `--max-old-space-size=${heap} --require ${probe}`;
  const child = await startChild({ ...settings, NODE_OPTIONS: options, PROBE: file });
  return {
    child,
    /** Bytes of the heap and of buffers after a garbage collection. */
    async usedBytes(): Promise<number> {
      rmSync(file, { force: true });
      child.process.kill('SIGUSR2');
      let text = '';
      await until(() => {
        try {
          text = readFileSync(file, 'utf8');
        } catch {}
        return text !== '';
      });
      return Number(text);
    },
  };
}

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

async function send(
  { child }: Awaited<ReturnType<typeof startProbed>>,
  body: Buffer,
  { query, prefer }: Pick<(typeof ways)[number], 'query' | 'prefer'>,
  operation = 'update',
): Promise<number> {
  const answer = await request(`${child.url}/api/sync/v1/irs/${operation}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer },
    body,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  await answer.body.dump({ limit: 100_000_000 });
  return answer.statusCode;
}

const ways = [
  { query: '?dryRun=true', prefer: '', status: 200, whenWrong: 422 },
  { query: '', prefer: 'respond-async', status: 202, whenWrong: 202 },
];

/** Bodies of about the same size. */
const shapes = [
  { shape: '50,000 records of one user', usersPerRecord: 1 },
  { shape: '5 records of 10,000 users', usersPerRecord: 10_000 },
];

it(`calls with 50,000 users, as a dry run and as a job, fit into a heap of ${heapLimit} MB and free their memory`, async () => {
  const probed = await startProbed();
  const principals = await newPrincipals(probed.child, 1000);
  const before = await probed.usedBytes();
  for (const { shape, usersPerRecord } of shapes) {
    const body = bodyOf(principals, usersPerRecord);
    expect(body.length).toBeGreaterThan(7_500_000);
    for (const way of ways) expect(await send(probed, body, way), shape).toBe(way.status);
    await expect
      .poll(async () => (await probed.usedBytes()) - before, { message: shape })
      .toBeLessThan(body.length / 2);
  }
});

it('a record with 10,000 invalid users gets 422 as a dry run and 202 as a job', async () => {
  const probed = await startProbed();
  const wrong = { Email: 'no address', ConfirmPassword: 'another' };
  const Users = range(10_000).map((n) => ({ ...newUser(n), ...wrong }));
  const body = Buffer.from(JSON.stringify([{ ID: 1, Users }]));
  for (const way of ways) expect(await send(probed, body, way)).toBe(way.whenWrong);
});

/** Users of whom each has 20 attributes, and almost no two have the same names. Written as text: objects would be slow. */
function usersWithOtherNames(): Buffer {
  const userText = (n: number) => {
    const names = range(20).map((attribute) => `"name${(n * 7 + attribute * 491) % 9900}":"x"`);
    return `${JSON.stringify(newUser(n)).slice(0, -1)},"Attributes":{${names.join(',')}}}`;
  };
  const records = range(200).map((record) => {
    const userTexts = range(100).map((at) => userText(record * 100 + at));
    return `{"ExternalKey":"key ${record}","Denomination":"Principal","Users":[${userTexts.join(',')}]}`;
  });
  return Buffer.from(`[${records.join(',')}]`);
}

it('users with attributes of other names fit into a heap of 160 MB', async () => {
  const probed = await startProbed(160);
  const dryRun = { query: '?dryRun=true', prefer: '' };
  expect(await send(probed, usersWithOtherNames(), dryRun, 'upsert')).toBe(200);
});
