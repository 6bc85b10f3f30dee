import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { commandLine } from '../lib/operator-error.ts';
import { packageFolder } from '../lib/package-folder.ts';
import type { Connection, Database } from './database.ts';
import { StorageError } from './errors.ts';
import { checkServer } from './server-version.ts';

const folder = new URL('migrations/', packageFolder);
const fileName = /^(\d{4})_([a-z0-9_]+)\.sql$/;
/** Key of the advisory lock that serializes the migrations of nodes starting at once. The number is arbitrary. */
const lockKey = 8420_0001;

/** A migration that a database has. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

interface Migration extends AppliedMigration {
  readonly sql: string;
}

/**
 * Longest wait for the locks of all tables, in milliseconds: the calls of other nodes wait behind it. Less than the time
 * after which PostgreSQL looks for a deadlock (`deadlock_timeout`, a second), so that the migration gives way, not a call.
 */
const lockMs = 800;
const lockNotAvailable = '55P03';
/** Gives a long read of another node, such as an export, at least five minutes to end. */
const attemptsMax = 300;
const retryMs = 1000;

/**
 * Runs the pending migrations, up to a version if it is given, in one transaction, as soon as it gets the locks. Returns
 * their names.
 */
export async function migrate(database: Database, upTo = Number.POSITIVE_INFINITY): Promise<string[]> {
  await checkServer(database);
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrateAtOnce(database, upTo);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== lockNotAvailable) throw error;
      if (attempt === attemptsMax)
        throw new StorageError('the migrations did not get the locks of their tables', {
          code: 'migration_blocked',
          advice: 'end the long transactions of the database, which pg_stat_activity lists, and start again',
        });
      await sleep(retryMs);
    }
  }
}

async function migrateAtOnce(database: Database, upTo: number): Promise<string[]> {
  const migrations = await readMigrations();
  // A migration of a large table, or the wait for the node that runs it, takes longer than a call may.
  const patient = { patient: true };
  return database.transaction(async (connection) => {
    await connection.query('select pg_advisory_xact_lock($1)', [lockKey]);
    const applied = await readApplied(connection);
    refuseNewer(migrations, applied);
    await lockTables(
      connection,
      migrations.filter(({ version }) => !applied.has(version) && version <= upTo),
    );
    const names: string[] = [];
    for (const migration of migrations) {
      const known = applied.get(migration.version);
      if (known && known.checksum !== migration.checksum) {
        throw new StorageError(
          `migration ${migration.name} was changed after it was applied to this database`,
          { code: 'migration_changed' },
        );
      }
      if (known || migration.version > upTo) continue;
      await connection.query(migration.sql);
      await connection.query(
        'insert into anagrafe.migrations (version, name, checksum) values ($1, $2, $3)',
        [migration.version, migration.name, migration.checksum],
      );
      names.push(migration.name);
    }
    return names;
  }, patient);
}

/** Locks the tables that the migrations name before anything is done, so that no migration waits while it holds a lock. */
async function lockTables(connection: Connection, migrations: readonly Migration[]): Promise<void> {
  const tables = await readTables(connection, migrations);
  if (tables.length === 0) return;
  await connection.query(`set local lock_timeout = ${Math.ceil(lockMs / tables.length)}`);
  const names = tables.map(({ name }) => `anagrafe.${name}`).join(', ');
  await connection.query(`lock table ${names} in access exclusive mode`);
}

/** Throws a `StorageError` if migrations are pending. For commands that must not change the schema. */
export async function refuseUnmigrated(database: Database): Promise<void> {
  await checkServer(database);
  if ((await missingMigrations(database)).length > 0) {
    throw new StorageError('the database schema is older than this version of the service', {
      code: 'schema_outdated',
      advice: `run "${commandLine('migrate')}", or start the service`,
    });
  }
}

/** @throws {StorageError} if this version of the service does not have these migrations, or has others in their place. */
export async function refuseUnknown(applied: readonly AppliedMigration[]): Promise<void> {
  const migrations = await readMigrations();
  refuseNewer(migrations, new Map(applied.map((migration) => [migration.version, migration])));
  for (const { version, name, checksum } of applied) {
    if (migrations.find((known) => known.version === version)?.checksum !== checksum)
      throw new StorageError(`migration ${name} differs from that of this version of the service`, {
        code: 'migration_changed',
      });
  }
}

export async function missingMigrations(database: Database): Promise<string[]> {
  return (await pending(database)).map(({ name }) => name);
}

/** A pending migration with the stored tables that it names, and may lock. */
export interface PlannedMigration {
  readonly name: string;
  readonly tables: readonly NamedTable[];
}

interface NamedTable {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/** Returns the pending migrations in their order. Numbers of rows are estimates. */
export async function planMigrations(database: Database): Promise<PlannedMigration[]> {
  await checkServer(database);
  return Promise.all(
    (await pending(database)).map(async (migration) => {
      return { name: migration.name, tables: await readTables(database, [migration]) };
    }),
  );
}

/** Returns the stored tables that the migrations name. */
async function readTables(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<readonly NamedTable[]> {
  const named = migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/\banagrafe\.(\w+)/g)].map(([, relation]) => relation),
  );
  return connection.query(tablesNamed, [named]);
}

/** Selects the tables that have one of the names $1, or an index with one. */
const tablesNamed = `
  select relname as name, greatest(reltuples, 0)::bigint as rows,
         coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree(pg_class.oid)),
                  pg_total_relation_size(pg_class.oid))::bigint as bytes
    from pg_class
   where relnamespace = to_regnamespace('anagrafe') and relkind in ('r', 'p')
     and (relname = any($1) or pg_class.oid in (select indrelid from pg_index join pg_class as index on index.oid = indexrelid
                                        where index.relname = any($1)))
   order by bytes desc, name`;

async function pending(database: Database): Promise<Migration[]> {
  const migrations = await readMigrations();
  const applied: AppliedMigrations = (await hasMigrationsTable(database))
    ? await readMigrationsTable(database)
    : new Map();
  refuseNewer(migrations, applied);
  return migrations.filter(({ version }) => !applied.has(version));
}

function refuseNewer(migrations: readonly Migration[], applied: AppliedMigrations): void {
  const newest = migrations.at(-1)?.version ?? 0;
  for (const [version, { name }] of applied) {
    if (version > newest) {
      throw new StorageError(`the database has migration ${name}, which this version does not have`, {
        code: 'schema_too_new',
        advice: 'upgrade the service',
      });
    }
  }
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

async function readApplied(connection: Connection): Promise<AppliedMigrations> {
  // The check lets a role without the CREATE privilege run a service whose schema is up to date.
  if (!(await hasMigrationsTable(connection))) await createMigrationsTable(connection);
  return readMigrationsTable(connection);
}

type AppliedMigrations = Map<number, AppliedMigration>;

async function hasMigrationsTable(connection: Connection): Promise<boolean> {
  const [found] = await connection.query<{ name: string | null }>(
    `select to_regclass('anagrafe.migrations')::text as name`,
  );
  return found?.name !== null;
}

async function readMigrationsTable(connection: Connection): Promise<AppliedMigrations> {
  const rows = await connection.query<AppliedMigration>(
    'select version, name, checksum from anagrafe.migrations',
  );
  return new Map(rows.map((row) => [row.version, row]));
}

async function createMigrationsTable(connection: Connection): Promise<void> {
  await connection.query('create schema if not exists anagrafe');
  await connection.query(`
    create table if not exists anagrafe.migrations (
      version     integer primary key,
      name        text not null,
      checksum    text not null,
      applied_at  timestamptz not null default now()
    )`);
}
