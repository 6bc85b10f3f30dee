import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { ReadOnlyServer } from '../../src/db/errors.ts';
import { openReadiness } from '../../src/db/readiness.ts';
import { startOutside } from '../faults/outside.ts';
import { startTestService, type TestService } from '../setup/service.ts';
import { masterKey } from '../setup/store.ts';

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
