import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { ReadOnlyServer } from '../../src/storage/failures.ts';
import { openReadiness } from '../../src/storage/readiness.ts';
import { startOutside } from '../faults/outside.ts';
import { startTestService, type TestService } from '../setup/service.ts';
import { masterKey } from '../setup/store.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

/** The real database, with a note of how often it was asked. */
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

it('asks the database once for all that ask within half a second, and then again', async () => {
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

it('is not ready once a stop is under way, whatever the database said before', async () => {
  const { database, asked } = counted();
  const readiness = openReadiness(database);
  expect(await readiness.check()).toBeNull();
  readiness.stopping();
  expect(await readiness.check()).toBe('The service is stopping.');
  expect(asked()).toBe(1);
});

/** One connection, so that the next statement meets the same session. */
function openSingle(options: { writable: boolean }): Database {
  const connection = { connectionString: service.config.DATABASE_URL ?? '' };
  const database = openDatabase({ connection, poolSize: 1, onLostConnection: () => {}, ...options });
  onTestFinished(() => database.close());
  return database;
}

const standby = 'The database is a standby and takes no writes.';
const sessionOf = async (database: Database) =>
  (await database.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;

it('the service is not ready on a connection that takes no writes, which is then replaced', async () => {
  const database = openSingle({ writable: true });
  const before = await sessionOf(database);
  await database.query('set default_transaction_read_only = on');
  const readiness = openReadiness(database);
  expect(await readiness.check()).toBe(standby);
  await expect.poll(() => readiness.check()).toBeNull();
  expect(await sessionOf(database)).not.toBe(before);
});

it('the service is not ready while every new connection leads to a server that takes no writes', async () => {
  const name = new URL(service.config.DATABASE_URL ?? '').pathname.slice(1);
  await service.database.query(`alter database "${name}" set default_transaction_read_only = on`);
  const [writing, reading] = [openSingle({ writable: true }), openSingle({ writable: false })];
  const readiness = openReadiness(writing);
  await expect.poll(() => readiness.check()).toBe(standby);
  await expect(writing.query('select 1')).rejects.toThrow(ReadOnlyServer);
  expect(await reading.query('select 1 as one')).toEqual([{ one: 1 }]);
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
  await expect.poll(() => readiness.check()).toBe('The database does not answer.');
  await standbys('');
  await expect.poll(() => readiness.check()).toBeNull();
});
