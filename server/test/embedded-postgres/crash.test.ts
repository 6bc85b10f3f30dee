import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
} from '@anagrafe/testing/embedded-postgres';
import { until } from '@anagrafe/testing/until';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';

/** Starts an unrelated process as the user of PostgreSQL, and returns its process ID. */
async function startUnrelatedProcess(data: string): Promise<number> {
  const { uid, gid } = await stat(join(data, 'postgres'));
  const unrelated = spawn('sleep', ['3600'], { uid, gid });
  await once(unrelated, 'spawn');
  onTestFinished(() => void unrelated.kill());
  return unrelated.pid ?? 0;
}

async function killPostmaster(data: string): Promise<number> {
  const pid = await signalPostmaster(data, 'SIGKILL');
  await until(() => !isRunning(pid));
  return pid;
}

describe.each(users)('a service started by $user', ({ identity }) => {
  test('adopts the PostgreSQL of a killed service', async () => {
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

  test('restarts PostgreSQL with all committed data after both were killed', async () => {
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

  test('restarts PostgreSQL when it crashes while the service runs', async () => {
    const data = await makeCluster(identity);
    const service = startService(data, { identity });
    const { connection } = await service.next();
    const killed = await killPostmaster(data);
    await until(
      async () => (await postmasterOf(data)) !== killed && (await postmasterOf(data)) !== undefined,
    );
    await until(() => query(connection, 'select 1').then(Boolean, () => false));
    expect((await service.ask('log')).logged).toContain(
      'The connection to PostgreSQL was lost; restarting it',
    );
    const second = await startService(data, { identity }).next();
    expect(second.message).toMatch(/^Another Anagrafe service/);
    await service.ask('stop');
    expect(await postmasterOf(data)).toBeUndefined();
  });
});

test('a service waits for a PostgreSQL that is shutting down, and then starts a new one', async () => {
  const data = await makeCluster();
  const first = startService(data);
  const { connection } = await first.next();
  await first.kill();
  await query(connection, 'create table bulk as select generate_series(1, 300000) as n');
  const pid = await signalPostmaster(data, 'SIGINT');
  const engine = await startEmbeddedPostgres({ dataFolder: data });
  expect(engine.adopted).toBe(false);
  expect(await postmasterOf(data)).not.toBe(pid);
  await engine.stop();
});

test('a service ignores a lock file whose process ID belongs to an unrelated process', async () => {
  const data = await makeCluster();
  const first = startService(data);
  await first.next();
  await first.kill();
  await killPostmaster(data);
  const unrelated = await startUnrelatedProcess(data);
  for (const path of [join(data, 'postgres', 'postmaster.pid'), join(data, 'run', '.s.PGSQL.5432.lock')]) {
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace(/^\d+/, String(unrelated)));
  }
  const engine = await startEmbeddedPostgres({ dataFolder: data });
  expect(engine.adopted).toBe(false);
  expect(await postmasterOf(data)).not.toBe(unrelated);
  await engine.stop();
  expect(isRunning(unrelated)).toBe(true);
});

test('a service starts despite an empty lock file, which a power failure can leave', async () => {
  const data = await makeCluster();
  await (await startEmbeddedPostgres({ dataFolder: data })).stop();
  await writeFile(join(data, 'postgres', 'postmaster.pid'), '');
  await (await startEmbeddedPostgres({ dataFolder: data })).stop();
});

test('a service on a copied data folder does not use the PostgreSQL of the original', async () => {
  const data = await makeCluster();
  const original = await startEmbeddedPostgres({ dataFolder: data });
  await query(original.connection, 'checkpoint');
  const copied = join(makeFolder(), 'data');
  const filter = (source: string) => !source.includes(join(data, 'run'));
  await cp(data, copied, { recursive: true, preserveTimestamps: true, filter });
  const copy = await startEmbeddedPostgres({ dataFolder: copied });
  expect(copy.adopted).toBe(false);
  expect(copy.connection.host).not.toBe(original.connection.host);
  await query(copy.connection, 'create table only_in_the_copy ()');
  await expect(query(original.connection, 'select from only_in_the_copy')).rejects.toThrow(/does not exist/);
  await copy.stop();
  await original.stop();
});

/** Kills services during their first start, each on a new folder, until one has an incomplete cluster. */
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

test('a service creates a complete cluster after a first start that was killed', async () => {
  const data = await killFirstStart();
  expect(await readdir(data)).toContainEqual(expect.stringMatching(/^postgres\.new-/));
  const engine = await startEmbeddedPostgres({ dataFolder: data });
  expect(await query(engine.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  await engine.stop();
});
