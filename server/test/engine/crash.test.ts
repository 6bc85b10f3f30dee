import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../src/engine/engine.ts';
import { until } from '../setup/until.ts';
import {
  isRunning,
  makeCluster,
  makeFolder,
  postmasterOf,
  query,
  requirePostmaster,
  signalPostmaster,
  startService,
  users,
} from './harness.ts';

/** Starts a process as the user of PostgreSQL, like one that got the process ID of a PostgreSQL that died. */
async function startStranger(data: string): Promise<number> {
  const { uid, gid } = await stat(join(data, 'postgres'));
  const stranger = spawn('sleep', ['3600'], { uid, gid });
  await once(stranger, 'spawn');
  onTestFinished(() => void stranger.kill());
  return stranger.pid ?? 0;
}

async function killPostmaster(data: string): Promise<number> {
  const pid = await signalPostmaster(data, 'SIGKILL');
  await until(() => !isRunning(pid));
  return pid;
}

describe.each(users)('started by $user', ({ identity }) => {
  test('adopts the PostgreSQL of a service that was killed', async () => {
    const data = await makeCluster(identity);
    const first = startService(data, { identity });
    const { connection } = await first.next();
    await query(connection, 'create table kept ()');
    const pid = await requirePostmaster(data);
    await first.kill();

    const second = startService(data, { identity });
    const report = await second.next();
    expect(report.adopted).toBe(true);
    expect(await postmasterOf(data)).toBe(pid);
    await query(report.connection, 'select from kept');
    await second.ask('stop');
    expect(isRunning(pid)).toBe(false);
  });

  test('starts again, with all that was committed, when both were killed', async () => {
    const data = await makeCluster(identity);
    const first = startService(data, { identity });
    const { connection } = await first.next();
    await query(connection, 'create table kept as select 7 as n');
    await first.kill();
    const killed = await signalPostmaster(data, 'SIGKILL');

    const second = startService(data, { identity });
    const report = await second.next();
    expect(report.adopted).toBe(false);
    expect(await postmasterOf(data)).not.toBe(killed);
    expect(await query(report.connection, 'select n from kept')).toEqual([{ n: 7 }]);
    await second.ask('stop');
  });

  test('starts PostgreSQL again when it dies under the service', async () => {
    const data = await makeCluster(identity);
    const service = startService(data, { identity });
    const { connection } = await service.next();
    const killed = await killPostmaster(data);
    await until(
      async () => (await postmasterOf(data)) !== killed && (await postmasterOf(data)) !== undefined,
    );
    await until(() => query(connection, 'select 1').then(Boolean, () => false));
    expect((await service.ask('log')).logged).toContain(
      'The connection to PostgreSQL was lost; starting it again',
    );
    const second = await startService(data, { identity }).next();
    expect(second.message).toMatch(/^Another service/);
    await service.ask('stop');
    expect(await postmasterOf(data)).toBeUndefined();
  });
});

test('waits for a PostgreSQL that is shutting down and then starts its own', async () => {
  const data = await makeCluster();
  const first = startService(data);
  const { connection } = await first.next();
  await first.kill();
  await query(connection, 'create table bulk as select generate_series(1, 300000) as n');
  const pid = await signalPostmaster(data, 'SIGINT');
  const engine = await openEngine({ dataFolder: data });
  expect(engine.adopted).toBe(false);
  expect(await postmasterOf(data)).not.toBe(pid);
  await engine.stop();
});

test('is not deceived by a lock file whose process number now belongs to a stranger', async () => {
  const data = await makeCluster();
  const first = startService(data);
  await first.next();
  await first.kill();
  await killPostmaster(data);
  const stranger = await startStranger(data);
  for (const path of [join(data, 'postgres', 'postmaster.pid'), join(data, 'run', '.s.PGSQL.5432.lock')]) {
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/^\d+/, String(stranger)));
  }
  const engine = await openEngine({ dataFolder: data });
  expect(engine.adopted).toBe(false);
  expect(await postmasterOf(data)).not.toBe(stranger);
  await engine.stop();
  expect(isRunning(stranger)).toBe(true);
});

test('starts over an empty lock file, which a power cut can leave', async () => {
  const data = await makeCluster();
  await (await openEngine({ dataFolder: data })).stop();
  await writeFile(join(data, 'postgres', 'postmaster.pid'), '');
  await (await openEngine({ dataFolder: data })).stop();
});

test('tells a copied data folder from the running original', async () => {
  const data = await makeCluster();
  const original = await openEngine({ dataFolder: data });
  await query(original.connection, 'checkpoint');
  const copied = join(makeFolder(), 'data');
  const filter = (source: string) => !source.includes(join(data, 'run'));
  await cp(data, copied, { recursive: true, preserveTimestamps: true, filter });
  const copy = await openEngine({ dataFolder: copied });
  expect(copy.adopted).toBe(false);
  expect(copy.connection.host).not.toBe(original.connection.host);
  await query(copy.connection, 'create table only_in_the_copy ()');
  await expect(query(original.connection, 'select from only_in_the_copy')).rejects.toThrow(/does not exist/);
  await copy.stop();
  await original.stop();
});

/** Kills first starts, each on a folder of its own, until one was killed before its cluster was complete. */
async function killFirstStart(): Promise<string> {
  for (;;) {
    const data = join(makeFolder(), 'data');
    const names = (): Promise<string[]> => readdir(data).catch(() => []);
    const first = startService(data);
    await until(async () => (await names()).some((name) => name.startsWith('postgres')));
    await first.kill();
    if (!(await names()).includes('postgres')) return data;
  }
}

test('makes a whole cluster after a first start that was killed half way', async () => {
  const data = await killFirstStart();
  expect(await readdir(data)).toContainEqual(expect.stringMatching(/^postgres\.new-/));
  const engine = await openEngine({ dataFolder: data });
  expect(await query(engine.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await engine.stop();
});
