import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { childStore } from '@anagrafe/testing/child';
import { anagrafe, expectOneLine, inProcess } from '@anagrafe/testing/command';
import { finished, jobOf } from '@anagrafe/testing/jobs';
import { startTestService } from '@anagrafe/testing/service';
import { emptyStore } from '@anagrafe/testing/store';
import { until } from '@anagrafe/testing/until';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { openAuditStore } from '../../src/audit/audit.store.ts';
import { verifyAuditLog } from '../../src/audit/audit-log.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations.ts';
import { KeyRing } from '../../src/encryption/key-ring.ts';
import { encryptAgain } from '../../src/key-rotation/key-rotation.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore } from '../../src/store.ts';

interface About {
  readonly masterKey: string;
  readonly headers: Record<string, string>;
  readonly auditEnd: string;
  readonly retried: { readonly key: string; readonly body: unknown; readonly records: unknown };
  readonly refreshToken: string;
  readonly job: { readonly id: string; readonly users: number };
  readonly principals: number;
  readonly users: number;
}

const folder = new URL('stores/', import.meta.url);
/** The versions of which `scripts/make-store.mjs` has made a store. */
const versions = readdirSync(folder)
  .filter((name) => name.endsWith('.sql.gz'))
  .map((name) => name.replace('.sql.gz', ''));

/** Loads the store of a version into a new database. What expires has the time left that it had when it was made. */
async function storeOf(version: string) {
  const about: About = JSON.parse(readFileSync(new URL(`${version}.json`, folder), 'utf8'));
  const { url, database } = await childStore(emptyStore);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client
    .query(gunzipSync(readFileSync(new URL(`${version}.sql.gz`, folder))).toString())
    .finally(() => client.end());
  await database.query(
    `update anagrafe.calls set key_expires_at = now() + interval '1 day' where idempotency_key is not null`,
  );
  await database.query(`update anagrafe.sessions set refresh_expires_at = now() + interval '1 day'`);
  const settings = {
    ANAGRAFE_DATABASE_URL: url,
    ANAGRAFE_MASTER_KEY: about.masterKey,
    ANAGRAFE_JOB_DAYS: '3650',
  };
  return { about, database, settings };
}

async function countOf(database: Database, table: string): Promise<number | undefined> {
  const [found] = await database.query<{ count: number }>(`select count(*) as count from anagrafe.${table}`);
  return found?.count;
}

describe.each(versions)('a store of version %s', (version) => {
  it('is opened with its principals, users, sessions, calls, waiting jobs, secrets and audit log', async () => {
    const { about, database, settings } = await storeOf(version);
    const { headers, retried, job } = about;
    const planned = await inProcess(['migrate', '--plan'], settings);
    const service = await startTestService(settings);
    expect(planned.stdout.includes('0001_initial')).toBe(false);
    expect((await inProcess(['migrate', '--plan'], settings)).stdout).toBe('The schema is up to date.\n');

    const { body } = await finished(service, job.id, headers);
    expect(body.result?.records).toHaveLength(10);
    expect(jobOf(await finished(service, job.id, headers))).toMatchObject({ RecordsFailed: 0 });
    expect(await countOf(database, 'principals')).toBe(about.principals);
    expect(await countOf(database, 'users')).toBe(about.users + job.users);

    const again = { headers: { ...headers, 'idempotency-key': retried.key } };
    expect((await service.call('irs/update', retried.body, again)).body.result?.records).toEqual(
      retried.records,
    );
    const signIn = { Username: 'second 3', Password: 'password of second 3' };
    expect((await service.call('login', signIn, { headers })).status).toBe(200);
    expect((await service.call('login', { ...signIn, Password: 'another' }, { headers })).status).toBe(401);
    const disabled = { Username: 'first 1', Password: 'password of first 1' };
    expect((await service.call('login', disabled, { headers })).status).toBe(401);
    const { refreshToken: RefreshToken } = about;
    expect((await service.call('login/refresh', { RefreshToken }, { headers })).status).toBe(200);

    await allHashed(service);
    const keyRing = new KeyRing(Buffer.from(about.masterKey, 'base64'));
    const [position = '', hash = ''] = about.auditEnd.split(':');
    const end = { position: Number(position), hash: Buffer.from(hash, 'hex') };
    expect(await verifyAuditLog(openAuditStore(database), keyRing, end)).toMatchObject({ sound: true });
    expect(await encryptAgain(database, keyRing)).toEqual({ encrypted: 0, unreadable: 0, complete: true });
  });
});

const waiting = `select from pg_locks join pg_database on pg_database.oid = database
                  where not granted and datname = current_database()`;

it('a migration that waits for a table gives way to a call that would deadlock with it, and runs after it', async () => {
  const { database, settings } = await storeOf('0.1.0-alpha');
  const { database: migrating, close } = await openStore(readConfig(settings), {
    mode: 'create',
    log: () => {},
  });
  let migrated: Promise<string[]> | undefined;
  // Migration 0010 alters the table of principals, and 0011 that of users.
  await database.transaction(async (connection) => {
    await connection.query('select from anagrafe.users limit 1');
    migrated = migrate(migrating);
    await until(
      async () => (await database.query(waiting)).length > 0,
      () => 'the migration to wait for the table of users',
    );
    await connection.query('select from anagrafe.principals limit 1');
  });
  expect(await migrated).toContain('0010_tags');
  await close();
});

it('a database that a newer version has migrated is refused by serve, migrate and doctor in one line', async () => {
  const { settings, database } = await childStore();
  await database.query(
    "insert into anagrafe.migrations (version, name, checksum) values (9999, '9999_from_the_future', '')",
  );
  const line =
    /The database has migration 9999_from_the_future, which this version does not have\. Upgrade the service/i;
  expectOneLine(await anagrafe(['serve'], settings), line);
  for (const command of [['migrate'], ['migrate', '--plan'], ['client', 'list']])
    expectOneLine(await inProcess(command, settings), line);
  const { stdout } = await inProcess(['doctor'], settings);
  expect(stdout).toMatch(
    /✘ schema +the database has migration 9999_from_the_future, which this version does not have/,
  );
});
