import {
  appendFile,
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import {
  asRoot,
  isRunning,
  makeCluster,
  makeFolder,
  postmasterOf,
  query,
  requirePostmaster,
  startService,
  users,
} from '@anagrafe/testing/embedded-postgres';
import { describe, expect, test } from 'vitest';
import {
  EmbeddedPostgresError,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts';
import { readConfig } from '../../src/settings/config.ts';
import { findMasterKeys } from '../../src/settings/master-key-file.ts';

describe.each(users)('a service started by $user', ({ identity }) => {
  test('creates a durable cluster at the first start and finds its data at the next', async () => {
    const data = join(makeFolder(identity), 'data, of "mine"');
    const first = startService(data, { identity });
    const { connection, adopted } = await first.next();
    expect(adopted).toBe(false);
    await query(connection, 'create table kept (n int)');
    await query(connection, 'insert into kept values (7)');
    const [settings] = await query(
      connection,
      `select current_setting('fsync') as fsync, current_setting('data_checksums') as checksums,
        current_setting('listen_addresses') as listens, current_setting('max_connections') as connections,
        current_setting('server_encoding') as encoding, lower('ÀÖ') as lowered`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      checksums: 'on',
      listens: '',
      connections: '250',
      encoding: 'UTF8',
      lowered: 'àö',
    });
    await first.ask('stop');
    expect(await postmasterOf(data)).toBeUndefined();

    const second = startService(data, { identity });
    const later = await second.next();
    expect(later.adopted).toBe(false);
    expect(await query(later.connection, 'select n from kept')).toEqual([{ n: 7 }]);
    await second.ask('stop');
  });

  test('runs PostgreSQL as an unprivileged user in its own session with private files', async () => {
    const data = await makeCluster(identity);
    const service = startService(data, { identity });
    const { connection } = await service.next();
    expect(connection.host).toBe(join(data, 'run'));
    const { uid } = await stat(join(data, 'postgres'));
    for (const [name, mode] of [
      ['run', 0o700],
      ['postgres', 0o700],
      ['postgres.log', 0o600],
    ] as const) {
      const found = await stat(join(data, name));
      expect([name, found.mode & 0o777, found.uid]).toEqual([name, mode, uid]);
    }
    expect(await readFile(join(data, 'postgres', 'pg_hba.conf'), 'utf8')).toBe(
      'local all anagrafe peer map=anagrafe\nlocal replication anagrafe peer map=anagrafe\n',
    );
    await expect(query({ ...connection, user: 'postgres' }, 'select 1')).rejects.toThrow(/pg_hba/);
    if (process.platform === 'linux') {
      const pid = await postmasterOf(data);
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      expect(uid).not.toBe(0);
      expect(status).toMatch(new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s`, 'm'));
      if (asRoot) expect(status).toMatch(/^Groups:\s*$/m);
      const session = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ')[3];
      expect(Number(session)).toBe(pid);
    }
    await service.ask('stop');
  });

  test('prevents the start of a second service on the same folder', async () => {
    const data = await makeCluster(identity);
    const first = startService(data, { identity });
    const { connection } = await first.next();
    const second = await startService(data, { identity }).next();
    expect(second.error).toBe('EmbeddedPostgresError');
    expect(second.message).toMatch(/^Another Anagrafe service \(process \d+\) is using .*ANAGRAFE_DATA/);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await first.ask('stop');
  });

  test('starts only once if two first starts run concurrently', async () => {
    const data = join(makeFolder(identity), 'data');
    const both = [startService(data, { identity }), startService(data, { identity })];
    const reports = await Promise.all(both.map((service) => service.next()));
    const refused = reports.filter((report) => report.error !== undefined);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.message).toMatch(/^Another Anagrafe service \(process \d+\) is using/);
    const winner = both[reports.findIndex((report) => report.error === undefined)];
    await winner?.ask('stop');
    expect(await postmasterOf(data)).toBeUndefined();
  });

  test('creates its socket in the temporary folder if the path would be too long', async () => {
    const folder = makeFolder(identity);
    const data = join(folder, 'd'.repeat(100), 'data');
    const first = startService(data, { identity, env: { TMPDIR: folder } });
    const { connection } = await first.next();
    const { uid } = await stat(join(data, 'postgres'));
    expect(connection.host).toMatch(new RegExp(`^${folder}/anagrafe-${uid}-[0-9a-f]{8}$`));
    const found = await stat(connection.host);
    expect([found.uid, found.mode & 0o777]).toEqual([uid, 0o700]);
    await first.kill();

    const elsewhere = startService(data, { identity, env: { TMPDIR: makeFolder(identity) } });
    const report = await elsewhere.next();
    expect(report).toMatchObject({ adopted: true, connection: { host: connection.host } });
    await elsewhere.ask('stop');
  });
});

test('the PostgreSQL log contains no values of failed statements, and is rotated when it is large', async () => {
  const data = await makeCluster();
  const first = await startEmbeddedPostgres({ dataFolder: data });
  await query(first.connection, 'create table unique_names (name text primary key)');
  await query(first.connection, "insert into unique_names values ('mallory')");
  await expect(query(first.connection, "insert into unique_names values ('mallory')")).rejects.toThrow();
  await first.stop();
  const log = await readFile(join(data, 'postgres.log'), 'utf8');
  expect(log).toContain('duplicate key');
  expect(log).not.toContain('mallory');

  await truncate(join(data, 'postgres.log'), 11 * 1024 * 1024);
  await (await startEmbeddedPostgres({ dataFolder: data })).stop();
  expect((await stat(join(data, 'postgres.log.1'))).size).toBe(11 * 1024 * 1024);
  expect((await stat(join(data, 'postgres.log'))).size).toBeLessThan(100_000);
});

test('a start creates the database if the first start ended before that', async () => {
  const data = await makeCluster();
  const first = await startEmbeddedPostgres({ dataFolder: data });
  await query({ ...first.connection, database: 'postgres' }, 'drop database anagrafe with (force)');
  await first.stop();
  const second = await startEmbeddedPostgres({ dataFolder: data });
  expect(await query(second.connection, 'select current_database() as name')).toEqual([{ name: 'anagrafe' }]);
  await second.stop();
});

test('the error contains the last lines of the log if PostgreSQL exits at its start', async () => {
  const data = await makeCluster();
  await appendFile(join(data, 'postgres', 'postgresql.conf'), "\nno_such_setting = 'x'\n");
  await expect(startEmbeddedPostgres({ dataFolder: data })).rejects.toThrow(
    /^PostgreSQL did not start\. Its log, .*postgres\.log, ends with: .*no_such_setting/,
  );
});

test('a start fails on a cluster of another major version', async () => {
  const data = join(makeFolder(), 'data');
  await mkdir(join(data, 'postgres'), { recursive: true });
  await writeFile(join(data, 'postgres', 'PG_VERSION'), '17\n');
  await expect(startEmbeddedPostgres({ dataFolder: data })).rejects.toThrow(
    /was created by PostgreSQL 17, but this release includes PostgreSQL 18/,
  );
});

test('a start fails if the data folder is a file, or if the cluster folder contains other files', async () => {
  const folder = makeFolder();
  await writeFile(join(folder, 'file'), '');
  for (const dataFolder of [join(folder, 'file'), join(folder, 'file', 'data')]) {
    const failure = await startEmbeddedPostgres({ dataFolder }).catch((error) => error);
    expect(failure).toBeInstanceOf(EmbeddedPostgresError);
    expect(failure.message).toMatch(/is not a folder/);
    expect(await findMasterKeys(readConfig({ ANAGRAFE_DATA: dataFolder }))).toEqual([]);
  }
  await mkdir(join(folder, 'data', 'postgres'), { recursive: true });
  await writeFile(join(folder, 'data', 'postgres', 'letter.txt'), '');
  await expect(startEmbeddedPostgres({ dataFolder: join(folder, 'data') })).rejects.toThrow(
    /is not a PostgreSQL database/,
  );
});

test('a start fails if the data folder cannot be created', async () => {
  await expect(startEmbeddedPostgres({ dataFolder: '/proc/data/folder' })).rejects.toThrow(
    /^\/proc.*et ANAGRAFE_DATA to/,
  );
});

test('a start fails if the data folder is not writable', async () => {
  const [user] = users.slice(-1);
  const folder = makeFolder();
  await mkdir(join(folder, 'data'));
  await chmod(join(folder, 'data'), 0o555);
  const report = await startService(join(folder, 'data'), { identity: user?.identity ?? {} }).next();
  expect(report.error).toBe('EmbeddedPostgresError');
  expect(report.message).toMatch(/is not accessible to the current user .*ANAGRAFE_DATA/);
});

test('a start fails if the socket folder already exists as a symbolic link', async () => {
  const data = join(makeFolder(), 'data');
  await mkdir(data);
  await symlink('/tmp', join(data, 'run'));
  await expect(startEmbeddedPostgres({ dataFolder: data })).rejects.toThrow(/is not a folder owned by user/);
});

if (asRoot) {
  const ordinary = users[1]?.identity ?? {};

  test('root runs the cluster of an ordinary user as that user', async () => {
    const data = await makeCluster(ordinary);
    const byRoot = await startEmbeddedPostgres({ dataFolder: data });
    expect((await stat(`/proc/${await postmasterOf(data)}`)).uid).toBe(ordinary.uid);
    await byRoot.stop();
    const again = startService(data, { identity: ordinary });
    expect((await again.next()).adopted).toBe(false);
    await again.ask('stop');
  });

  test('an ordinary user cannot start the cluster of another user', async () => {
    const data = join(makeFolder(), 'data');
    await mkdir(join(data, 'postgres'), { recursive: true });
    const report = await startService(data, { identity: ordinary }).next();
    expect(report.message).toMatch(/postgres is owned by another user \(uid 0\)/);
  });

  test('the error names a parent of the data folder that is not accessible', async () => {
    const folder = makeFolder();
    await mkdir(join(folder, 'closed', 'inner'), { recursive: true });
    await chmod(join(folder, 'closed'), 0o700);
    await expect(
      startEmbeddedPostgres({ dataFolder: join(folder, 'closed', 'inner', 'data') }),
    ).rejects.toThrow(
      new RegExp(`who cannot access ${folder}/closed\\. Set ANAGRAFE_DATA to /var/lib/anagrafe`),
    );
  });

  test('a start by root changes the owner of a cluster that root has restored', async () => {
    const data = await makeCluster();
    const cluster = join(data, 'postgres');
    for (const name of ['', ...(await readdir(cluster, { recursive: true }))])
      await chown(join(cluster, name), 0, 0);
    const engine = await startEmbeddedPostgres({ dataFolder: data });
    const pid = await requirePostmaster(data);
    expect(isRunning(pid)).toBe(true);
    await engine.stop();
    expect(isRunning(pid)).toBe(false);
  });
}
