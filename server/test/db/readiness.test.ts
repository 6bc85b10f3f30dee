import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterTest } from '@anagrafe/testing/endings';
import { startOutside } from '@anagrafe/testing/outside';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { masterKey } from '@anagrafe/testing/store';
import pg from 'pg';
import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { ReadOnlyServer } from '../../src/db/errors.ts';
import { openReadiness } from '../../src/db/readiness.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** Wraps the database of the service so that its queries are counted. */
function counted(): { database: Database; asked: () => number } {
  let asked = 0;
  const { database } = service;
  return {
    asked: () => asked,
    database: {
      ...database,
      query(sql, values) {
        asked++;
        return database.query(sql, values);
      },
    },
  };
}

it('the readiness check queries the database once for all requests within half a second', async () => {
  const { database, asked } = counted();
  const readiness = openReadiness(database);
  const answers = await Promise.all(Array.from({ length: 500 }, () => readiness.check()));
  expect(new Set(answers)).toEqual(new Set([null]));
  expect(asked()).toBe(1);
  const askAgain = async () => {
    expect(await readiness.check()).toBeNull();
    return asked();
  };
  await expect.poll(askAgain).toBe(2);
});

it('the service is not ready while it stops, without another query', async () => {
  const { database, asked } = counted();
  const readiness = openReadiness(database);
  expect(await readiness.check()).toBeNull();
  readiness.stopping();
  expect(await readiness.check()).toBe('The service is stopping.');
  expect(asked()).toBe(1);
});

/** Opens a pool of one connection, so that all statements use the same session. */
function openSingle(options: { writable: boolean }): Database {
  const connection = { connectionString: service.config.DATABASE_URL ?? '' };
  const database = openDatabase({ connection, poolSize: 1, onLostConnection: () => {}, ...options });
  onTestFinished(() => database.close());
  return database;
}

const standby = 'The database is a standby server and does not accept writes.';
const sessionOf = async (database: Database) =>
  (await database.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;

it('the service is not ready on a read-only connection, which is then replaced', async () => {
  const database = openSingle({ writable: true });
  const before = await sessionOf(database);
  await database.query('set default_transaction_read_only = on');
  const readiness = openReadiness(database);
  expect(await readiness.check()).toBe(standby);
  await expect.poll(() => readiness.check()).toBeNull();
  expect(await sessionOf(database)).not.toBe(before);
});

it('the service is not ready while every new connection leads to a read-only server', async () => {
  const name = new URL(service.config.DATABASE_URL ?? '').pathname.slice(1);
  await service.database.query(`alter database "${name}" set default_transaction_read_only = on`);
  const [writer, reader] = [openSingle({ writable: true }), openSingle({ writable: false })];
  const readiness = openReadiness(writer);
  await expect.poll(() => readiness.check()).toBe(standby);
  await expect(writer.query('select 1')).rejects.toThrow(ReadOnlyServer);
  expect(await reader.query('select 1 as one')).toEqual([{ one: 1 }]);
  await service.database.query(`alter database "${name}" reset default_transaction_read_only`);
  await expect.poll(() => readiness.check()).toBeNull();
});

it('the readiness check writes a temporary file, which needs free space on the disk', async () => {
  const readiness = openReadiness(service.database);
  const written = async () => {
    expect(await readiness.check()).toBeNull();
    const [row] = await service.database.query<{ bytes: number }>(
      'select temp_bytes as bytes from pg_stat_database where datname = current_database()',
    );
    return row?.bytes ?? 0;
  };
  const before = await written();
  await expect.poll(written).toBeGreaterThanOrEqual(before + 200_000);
});

/** True if this user may mount file systems, like root outside of a container. */
const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

/** Creates a database on a file system of 64 MiB, and returns a function that fills the file system. */
async function databaseOnSmallDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]);
  const name = `full_${randomBytes(6).toString('hex')}`;
  const server = new pg.Client({ connectionString: `${inject('postgresUrl')}/postgres` });
  await server.connect();
  afterTest(async () => {
    await server.query(`drop database if exists ${name} with (force)`);
    await server.query(`drop tablespace if exists ${name}`);
    await server.end();
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  const { rows } = await server.query<{ folder: string }>(
    "select current_setting('data_directory') as folder",
  );
  const { uid, gid } = statSync(rows[0]?.folder ?? '');
  const tables = join(folder, 'tables');
  mkdirSync(tables);
  for (const owned of [folder, tables]) chownSync(owned, uid, gid);
  await server.query(`create tablespace ${name} location '${tables}'`);
  await server.query(`create database ${name} tablespace ${name}`);
  const filler = join(folder, 'filler');
  return {
    url: `${inject('postgresUrl')}/${name}`,
    fill() {
      try {
        for (;;) appendFileSync(filler, Buffer.alloc(65_536));
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' });
      }
    },
    empty: () => rmSync(filler),
  };
}

it.runIf(mayMount)('the service is not ready while the disk of the database is full', async () => {
  const disk = await databaseOnSmallDisk();
  const { url, stop } = await startTestService({
    ANAGRAFE_DATABASE_URL: disk.url,
    ANAGRAFE_MASTER_KEY: masterKey,
  });
  const ready = async () => {
    const answer = await fetch(`${url}/health/ready`);
    return [answer.status, await answer.json()];
  };
  await expect.poll(ready).toEqual([200, { status: 'ready' }]);
  const readyAfterFilling = () => {
    disk.fill();
    return ready();
  };
  const reason = 'The disk of the database is full.';
  await expect.poll(readyAfterFilling).toEqual([503, { status: 'not ready', reason }]);
  disk.empty();
  await expect.poll(ready).toEqual([200, { status: 'ready' }]);
  await stop();
});

it('the service is not ready while commits wait for a synchronous standby that does not answer', async () => {
  const outside = await startOutside();
  const { database } = await startTestService({
    ANAGRAFE_DATABASE_URL: outside.url,
    ANAGRAFE_MASTER_KEY: masterKey,
  });
  const readiness = openReadiness(database);
  await expect.poll(() => readiness.check()).toBeNull();
  const standbys = async (names: string) => {
    await database.query(`alter system set synchronous_standby_names = '${names}'`);
    await database.query('select pg_reload_conf()');
  };
  await standbys('absent');
  await expect.poll(() => readiness.check()).toBe('The database does not respond.');
  await standbys('');
  await expect.poll(() => readiness.check()).toBeNull();
});
