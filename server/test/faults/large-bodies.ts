import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childStore, startChild } from '@anagrafe/testing/child';
import { makeFolder } from '@anagrafe/testing/embedded-postgres';
import { range } from '@anagrafe/testing/records';
import { until } from '@anagrafe/testing/until';
import { request } from 'undici';
import { expect } from 'vitest';
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
export async function startProbed(heap = heapLimit) {
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

export function newUser(n: number) {
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

export async function send(
  { child }: Awaited<ReturnType<typeof startProbed>>,
  body: Buffer,
  { query, prefer }: { readonly query: string; readonly prefer: string },
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

export const ways = [
  { query: '?dryRun=true', prefer: '', status: 200, whenWrong: 422 },
  { query: '', prefer: 'respond-async', status: 202, whenWrong: 202 },
] as const;

/** Bodies of 50,000 users, of about the same size. */
export const shapes = [
  { shape: '50,000 records of one user', usersPerRecord: 1 },
  { shape: '5 records of 10,000 users', usersPerRecord: 10_000 },
] as const;

/** Sends each shape in each of its ways, and expects the service not to exceed its heap and to free the memory. */
export async function expectToFit(
  calls: readonly {
    readonly shape: (typeof shapes)[number];
    readonly by: readonly (typeof ways)[number][];
  }[],
): Promise<void> {
  const probed = await startProbed();
  const principals = await newPrincipals(probed.child, 1000);
  const before = await probed.usedBytes();
  for (const {
    shape: { shape, usersPerRecord },
    by,
  } of calls) {
    const body = bodyOf(principals, usersPerRecord);
    expect(body.length).toBeGreaterThan(7_500_000);
    for (const way of by) expect(await send(probed, body, way), shape).toBe(way.status);
    await expect
      .poll(async () => (await probed.usedBytes()) - before, { message: shape })
      .toBeLessThan(body.length / 2);
  }
}
