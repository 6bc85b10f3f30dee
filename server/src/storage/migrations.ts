import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Connection, Database } from './database.ts';

const folder = new URL('../../migrations/', import.meta.url);
const fileName = /^(\d{4})_([a-z0-9_]+)\.sql$/;
/** Any fixed number will do: nodes that start at once take this lock and migrate one after the other. */
const lockKey = 8420_0001;

export class MigrationError extends Error {}

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Brings the schema to the newest version; returns the names of the migrations that were run. */
export async function migrate(database: Database): Promise<string[]> {
  const migrations = await readMigrations();
  return database.transaction(async (connection) => {
    await connection.query('select pg_advisory_xact_lock($1)', [lockKey]);
    const applied = await readApplied(connection);
    const newest = migrations.at(-1)?.version ?? 0;
    for (const [version, { name }] of applied) {
      if (version > newest) {
        throw new MigrationError(
          `the database has migration ${name}, which this version does not know: upgrade the service`,
        );
      }
    }
    const run: string[] = [];
    for (const migration of migrations) {
      const known = applied.get(migration.version);
      if (known && known.checksum !== migration.checksum) {
        throw new MigrationError(
          `migration ${migration.name} differs from the one that was run on this database`,
        );
      }
      if (known) continue;
      await connection.query(migration.sql);
      await connection.query(
        'insert into anagrafe.migrations (version, name, checksum) values ($1, $2, $3)',
        [migration.version, migration.name, migration.checksum],
      );
      run.push(migration.name);
    }
    return run;
  });
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => fileName.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { version: Number(name.slice(0, 4)), name: name.replace(/\.sql$/, ''), sql, checksum };
    }),
  );
}

async function readApplied(connection: Connection): Promise<Map<number, { name: string; checksum: string }>> {
  // Asked first: a role that may not create anything can still run a service whose schema is up to date.
  const [found] = await connection.query<{ table: string | null }>(
    `select to_regclass('anagrafe.migrations')::text as table`,
  );
  if (!found?.table) await createLedger(connection);
  const rows = await connection.query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from anagrafe.migrations',
  );
  return new Map(rows.map((row) => [row.version, row]));
}

async function createLedger(connection: Connection): Promise<void> {
  await connection.query('create schema if not exists anagrafe');
  await connection.query(`
    create table if not exists anagrafe.migrations (
      version     integer primary key,
      name        text not null,
      checksum    text not null,
      applied_at  timestamptz not null default now()
    )`);
}
