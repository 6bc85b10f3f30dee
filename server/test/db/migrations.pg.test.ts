import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { emptyStore } from '@anagrafe/testing/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeSchema } from '../../../scripts/describe-schema.mjs';
import { StorageError } from '../../src/db/errors.ts';
import { migrate } from '../../src/db/migrations.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore, type Store } from '../../src/store.ts';

const names = readdirSync(new URL('../../migrations/', import.meta.url))
  .filter((file) => file.endsWith('.sql'))
  .map((file) => file.replace(/\.sql$/, ''))
  .sort();

let empty: Awaited<ReturnType<typeof emptyStore>>;
let stores: Store[];
/** The migrations that each of five nodes has run; they all start at the same time on one empty database. */
let runs: string[][];

beforeAll(async () => {
  empty = await emptyStore();
  const config = readConfig({ ...empty.settings, ANAGRAFE_DATABASE_CONNECTIONS: '2' });
  stores = await Promise.all(
    Array.from({ length: 5 }, () => openStore(config, { mode: 'create', log: () => {} })),
  );
  runs = await Promise.all(stores.map((store) => migrate(store.database)));
});

afterAll(async () => {
  for (const store of stores) await store.close();
  await empty.discard();
});

function database() {
  const [store] = stores;
  if (!store) throw new Error('no store was opened');
  return store.database;
}

describe('migrations', () => {
  it('run once and in order when five nodes start at the same time on an empty database', async () => {
    expect(runs.filter((run) => run.length > 0)).toEqual([names]);
    const applied = await database().query('select version, name from anagrafe.migrations order by version');
    expect(applied).toEqual(names.map((name) => ({ version: Number(name.slice(0, 4)), name })));
  });

  it('do not run a second time', async () => {
    const before = await database().query('select * from anagrafe.migrations order by version');
    expect(await migrate(database())).toEqual([]);
    expect(await database().query('select * from anagrafe.migrations order by version')).toEqual(before);
  });

  it('are numbered from 1 without gaps', () => {
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, index) => index + 1));
  });

  it('fail if one that was already run has changed since', async () => {
    const [{ checksum } = { checksum: '' }] = await database().query<{ checksum: string }>(
      'select checksum from anagrafe.migrations where version = 1',
    );
    await database().query("update anagrafe.migrations set checksum = 'other' where version = 1");
    await expect(migrate(database())).rejects.toThrow(StorageError);
    await expect(migrate(database())).rejects.toMatchObject({
      code: 'migration_changed',
      problem: `migration ${names[0]} was changed after it was applied to this database`,
    });
    await database().query('update anagrafe.migrations set checksum = $1 where version = 1', [checksum]);
    expect(await migrate(database())).toEqual([]);
  });

  it('fail on a database that is newer than this version', async () => {
    await database().query(
      "insert into anagrafe.migrations (version, name, checksum) values (9999, '9999_from_the_future', '')",
    );
    await expect(migrate(database())).rejects.toThrow(StorageError);
    await expect(migrate(database())).rejects.toMatchObject({
      code: 'schema_too_new',
      problem: 'the database has migration 9999_from_the_future, which this version does not have',
      advice: 'upgrade the service',
    });
    await database().query('delete from anagrafe.migrations where version = 9999');
    expect(await migrate(database())).toEqual([]);
  });

  it('are all rolled back if one of them fails', async () => {
    const other = await emptyStore();
    const store = await openStore(readConfig(other.settings), { mode: 'create', log: () => {} });
    // An existing table with the same name makes a migration fail halfway.
    await store.database.query('create schema anagrafe');
    await store.database.query('create table anagrafe.clients (in_the_way int)');
    await expect(migrate(store.database)).rejects.toThrow(/already exists/);
    const tables = await store.database.query(
      "select tablename as name from pg_tables where schemaname = 'anagrafe'",
    );
    expect(tables).toEqual([{ name: 'clients' }]);
    await store.database.query('drop table anagrafe.clients');
    expect(await migrate(store.database)).toEqual(names);
    await store.close();
    await other.discard();
  });
});

describe('the schema', () => {
  it('equals server/schema.sql', async () => {
    const file = new URL('../../schema.sql', import.meta.url);
    const committed = existsSync(file) ? readFileSync(file, 'utf8') : '(there is no such file)';
    const advice = 'server/schema.sql is not what the migrations make: run `npm run generate` and commit it';
    expect(await describeSchema(database()), advice).toBe(committed);
  });

  it('is described with its columns and with qualified names', async () => {
    const described = await describeSchema(database());
    await database().query('alter table anagrafe.users add column more text');
    expect(await describeSchema(database())).not.toBe(described);
    await database().query('alter table anagrafe.users drop column more');
    expect(await describeSchema(database())).toBe(described);
    expect(described).toContain('REFERENCES anagrafe.users(id)');
  });
});
