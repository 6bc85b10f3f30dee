import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { expect, it } from 'vitest';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/http/tuple.ts';
import { isRunning, postmasterOf, until } from '../engine/harness.ts';
import { newUser } from '../setup/service.ts';
import { type Child, startChild, usedData } from './child.ts';

const users = 60;
/** So that the call is still at work when the service has heard the signal, on a machine with many cores too. */
const slowly = { ANAGRAFE_HASH_CONCURRENCY: '1', ANAGRAFE_HASH_PASSES: '8' };
/** What a container or a service manager commonly waits before it kills. */
const patienceMs = 10_000;

async function hashing(child: Child): Promise<boolean> {
  const metrics = await (await fetch(`${child.url}/metrics`)).text();
  return Number(/^anagrafe_hashes_running (\d+)/m.exec(metrics)?.[1]) > 0;
}

async function refusesConnections(child: Child): Promise<boolean> {
  const { hostname, port } = new URL(child.url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ECONNREFUSED');
    return true;
  } finally {
    socket.destroy();
  }
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  'finishes the call at work on %s, takes no new one, and leaves nothing running',
  async (signal) => {
    const data = await usedData();
    const child = await startChild(data, slowly);
    const inserted = await child.call('irs/insert', [{ Denomination: 'Rossi' }]);
    const ID = ((await inserted.json()) as Envelope<Tuple>).result?.records[0]?.Item1;
    // A connection that is kept open and idle must not hold up the stop.
    const idle = new Agent({ keepAliveTimeout: 600_000 });
    await (await request(`${child.url}/health/live`, { dispatcher: idle })).body.text();
    // Nor one that was opened and never used.
    const unused = connect(Number(new URL(child.url).port), '127.0.0.1').on('error', () => {});
    await once(unused, 'connect');

    const names = Array.from({ length: users }, (_, n) => `user ${n}`);
    let answered = false;
    const answer = child
      .call('irs/update', [{ ID, Users: names.map((name) => newUser(name)) }])
      .then((got) => {
        answered = true;
        return got;
      });
    await until(() => hashing(child));
    const postmaster = (await postmasterOf(data)) ?? 0;
    const end = child.end(signal);
    await until(() => refusesConnections(child));
    expect(answered).toBe(false);

    const finished = await answer;
    expect(finished.status).toBe(200);
    expect(((await finished.json()) as Envelope<Tuple>).result?.records[0]).toMatchObject({ Item3: true });
    // The connection of the call must not be waited for once its answer is out: it says that it ends.
    expect(finished.headers.get('connection')).toBe('close');
    expect(await Promise.race([end, sleep(patienceMs, 'still running')])).toBe(0);
    expect(isRunning(postmaster)).toBe(false);
    expect(await postmasterOf(data)).toBeUndefined();
    expect(child.log.filter((line) => /"level":"(warn|error|fatal)"/.test(line))).toEqual([]);
    await idle.destroy();
    unused.destroy();

    const next = await startChild(data);
    const page = await next.call('irs/users', { PageSize: 1000 });
    const found = ((await page.json()) as Envelope<{ Username: string }>).result?.records ?? [];
    expect(found.map((user) => user.Username)).toEqual(names);
    expect(await next.end(signal)).toBe(0);
  },
);

it('takes a signal that comes twice in a moment for one, as npm and a terminal send it', async () => {
  const child = await startChild(await usedData(), { ANAGRAFE_HASH_CONCURRENCY: '1' });
  await child.call('irs/insert', [{ Denomination: 'Rossi' }]);
  const names = Array.from({ length: 30 }, (_, n) => `user ${n}`);
  const answer = child.call('irs/update', [{ ID: 1, Users: names.map((name) => newUser(name)) }]);
  await until(() => hashing(child));
  child.process.kill('SIGTERM');
  const end = child.end('SIGTERM');
  expect((await answer).status).toBe(200);
  expect(await end).toBe(0);
});

it('stops although nobody reads its log any more', async () => {
  const data = await usedData();
  const child = await startChild(data);
  const postmaster = (await postmasterOf(data)) ?? 0;
  child.process.stdout?.destroy();
  child.process.stderr?.destroy();
  expect(await Promise.race([child.end('SIGTERM'), sleep(patienceMs, 'still running')])).toBe(0);
  expect(isRunning(postmaster)).toBe(false);
});
