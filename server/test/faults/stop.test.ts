import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Child, childStore, failuresIn, lookInto, startChild, usedData } from '@anagrafe/testing/child';
import { isRunning, postmasterOf, requirePostmaster } from '@anagrafe/testing/embedded-postgres';
import { storedUsernames } from '@anagrafe/testing/figures';
import { until } from '@anagrafe/testing/until';
import { Agent, request } from 'undici';
import { expect, it } from 'vitest';
import type { Envelope } from '../../src/http/envelope.ts';
import type { Tuple } from '../../src/records/read/tuple.ts';
import { newPrincipals, newRecords } from './jobs.ts';
import { embeddedConnection, lockPrincipals } from './row-lock.ts';

async function refusesConnections(child: Child): Promise<boolean> {
  const { hostname, port } = new URL(child.url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    expect(['ECONNREFUSED', 'ECONNRESET']).toContain(code);
    // The system resets a connection that it accepted while the service closed its port.
    return code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}

it.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s the service finishes its calls, closes idle connections at once, accepts no new one and leaves no process',
  async (signal) => {
    const data = await usedData();
    const child = await startChild({ ANAGRAFE_DATA: data });
    const principals = await newPrincipals(child, 1);
    const { port } = new URL(child.url);
    const idle = new Agent({ keepAliveTimeout: 600_000 });
    const idleEnded = once(idle, 'disconnect');
    await (await request(`${child.url}/health/live`, { dispatcher: idle })).body.text();
    const unused = connect(Number(port), '127.0.0.1').on('error', () => {});
    await once(unused, 'connect');
    const unusedEnded = once(unused, 'close');

    const records = newRecords(principals, { hashed: 2, imported: 20 });
    const lock = await lockPrincipals(embeddedConnection(data), principals);
    let answered = false;
    const answer = child.call('irs/update', records).then((got) => {
      answered = true;
      return got;
    });
    await lock.blocked(1);
    const postmaster = await requirePostmaster(data);
    const end = child.end(signal);
    await until(() => refusesConnections(child));
    // A stop that waited for idle connections would keep them open until the call is answered.
    await Promise.all([idleEnded, unusedEnded]);
    expect(answered).toBe(false);
    await lock.release();

    const finished = await answer;
    expect(finished.status).toBe(200);
    expect(((await finished.json()) as Envelope<Tuple>).result?.records[0]).toMatchObject({ Item3: true });
    // This header makes the client close the connection, so the stop need not wait for it.
    expect(finished.headers.get('connection')).toBe('close');
    expect(await end).toBe(0);
    expect(isRunning(postmaster)).toBe(false);
    expect(await postmasterOf(data)).toBeUndefined();
    expect(failuresIn(child)).toEqual([]);
    await idle.destroy();

    const names = records.flatMap(({ Users }) => Users.map(({ Username }) => Username));
    expect(await lookInto(data, storedUsernames)).toEqual(new Set(names));
  },
);

it('the service treats a signal that npm and a terminal both send as one signal', async () => {
  const { settings, url } = await childStore();
  const child = await startChild(settings);
  const principals = await newPrincipals(child, 1);
  const lock = await lockPrincipals(url, principals);
  const answer = child.call('irs/update', newRecords(principals, { imported: 1 }));
  await lock.blocked(1);
  child.process.kill('SIGTERM');
  const end = child.end('SIGTERM');
  await until(() => child.log.some((line) => line.includes('shutting down')));
  await lock.release();
  expect((await answer).status).toBe(200);
  expect(await end).toBe(0);
});

it('the service stops although its standard output and error are closed', async () => {
  const data = await usedData();
  const child = await startChild({ ANAGRAFE_DATA: data });
  const postmaster = await requirePostmaster(data);
  child.process.stdout?.destroy();
  child.process.stderr?.destroy();
  // A stop that hangs ends with exit code 1 after ANAGRAFE_STOP_SECONDS.
  expect(await child.end('SIGTERM')).toBe(0);
  expect(isRunning(postmaster)).toBe(false);
});

it('after an uncaught error the service ends within seconds, although a call is running', async () => {
  const { settings, url } = await childStore();
  const thrower = fileURLToPath(new URL('throw-on-signal.cjs', import.meta.url));
  const child = await startChild({ ...settings, NODE_OPTIONS: `--require ${thrower}` });
  const principals = await newPrincipals(child, 1);
  const lock = await lockPrincipals(url, principals);
  const call = child.call('irs/update', newRecords(principals, { imported: 1 })).catch(() => 'none');
  await lock.blocked(1);
  expect(await child.end('SIGUSR2')).toBe(1);
  expect(await call).toBe('none');
  expect(child.log.join('\n')).toContain('running requests did not finish within 5 seconds and were aborted');
  await lock.release();
});
