import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseSettings, expectOneLine, inProcess, onTerminal } from '@anagrafe/testing/command';
import { atEnd } from '@anagrafe/testing/endings';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { erasureLogIn } from '../../src/erasures/erasure-log.ts';

type Settings = Record<string, string>;

async function run(settings: Settings, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: settings.ANAGRAFE_DATABASE_URL });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/** Returns false for the error that a database has connections, and throws any other error. */
function isInUse(error: pg.DatabaseError): false {
  if (error.code !== '55006') throw error;
  return false;
}

/** Copies a database without connections. */
async function restored(settings: Settings): Promise<Settings> {
  const url = new URL(settings.ANAGRAFE_DATABASE_URL ?? '');
  const original = url.pathname.slice(1);
  const copy = `restored_${randomBytes(6).toString('hex')}`;
  url.pathname = '/postgres';
  const cluster = { ANAGRAFE_DATABASE_URL: url.href };
  // PostgreSQL may still be closing the connections of the service that was stopped.
  const create = `create database ${copy} template ${original} strategy file_copy`;
  await until(() => run(cluster, create).then(() => true, isInUse));
  atEnd(() => run(cluster, `drop database ${copy} with (force)`));
  url.pathname = `/${copy}`;
  return { ...settings, ANAGRAFE_DATABASE_URL: url.href };
}

/** Inserts a principal with one user and returns their IDs. */
async function insert(service: TestService, username: string): Promise<{ principal: number; user: number }> {
  const record = { Denomination: username, ExternalKey: username, Users: [newUser(username)] };
  const { body } = await service.call('irs/upsert', [record], {
    headers: { prefer: 'return=representation' },
  });
  const tuple = body.result?.records[0];
  expect(tuple?.Item3).toBe(true);
  return { principal: Number(tuple?.Item1), user: Number(tuple?.Item6.Users?.[0]?.ID) };
}

/** Returns the IDs of all users by their usernames. */
async function idsOf({ database }: TestService): Promise<Record<string, number>> {
  const rows = await database.query<{ username: string; id: number }>(
    'select username, id from anagrafe.users order by id',
  );
  return Object.fromEntries(rows.map(({ username, id }) => [username, id]));
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-erasures-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('anagrafe raise-ids', () => {
  it('deletes again with --erasures what was deleted since the backup, but nothing of another database', async () => {
    const settings = await databaseSettings();
    const folder = newFolder();
    const before = await startTestService(settings);
    for (const name of ['anna', 'bruno', 'carla']) await insert(before, name);
    const users = await idsOf(before);
    await before.stop();
    const backup = await restored(settings);
    const after = await startTestService({ ...settings, ANAGRAFE_BACKUP_FOLDER: folder });
    const { body } = await after.call('irs/delete', [
      { ExternalKey: 'bruno', Users: [{ Username: 'bruno' }] },
    ]);
    expect(body.result?.records[0]).toMatchObject({ Item3: true });
    // The service completes the file when it stops.
    await after.stop();
    const log = erasureLogIn(folder);
    const [own] = readFileSync(log, 'utf8').trimEnd().split('\n');
    const line = JSON.parse(own ?? '');
    expect(line).toMatchObject({ users: [users.bruno], database: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const other = { ...line, database: '00'.repeat(32), users: [users.carla] };
    appendFileSync(log, `${JSON.stringify(other)}\n`);

    const missing = await inProcess(['raise-ids', '--yes', '--erasures', join(folder, 'none')], backup);
    expectOneLine(missing, /none cannot be read \(ENOENT\)\. Name a copy of erasures\.ndjson/);
    const args = ['raise-ids', '--yes', '--erasures', log];
    const raised = await inProcess([...args, '--json'], backup);
    expect(raised).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(raised.stdout)).toMatchObject({
      erased: { principals: 0, users: 1, kept: [], foreign: 1 },
    });
    const again = await inProcess(args, backup);
    expect(again.stderr).toContain('Deleted again: 0 principals and 0 users');
    expect(again.stderr).toContain('Left out, because they are of another database: 1 line of ');
    const service = await startTestService(backup);
    expect(Object.keys(await idsOf(service))).toEqual(['anna', 'carla']);
  });

  it('keeps the IDs that were given after a backup from being given again', async () => {
    const settings = await databaseSettings();
    const before = await startTestService(settings);
    await insert(before, 'anna');
    await before.stop();
    const backup = await restored(settings);
    const after = await startTestService(settings);
    const lost = await insert(after, 'bruno');

    const raised = await inProcess(['raise-ids', '--by', '50', '--yes', '--json'], backup);
    expect(raised).toMatchObject({ code: 0, stderr: '' });
    const last = JSON.parse(raised.stdout);
    const service = await startTestService(backup);
    const { principal, user } = await insert(service, 'carla');
    expect([principal, user]).toEqual([last.principals + 1, last.users + 1]);
    expect(principal).toBeGreaterThan(lost.principal);
    expect(user).toBeGreaterThan(lost.user);
    const { body } = await service.call('irs/delete', [{ ID: lost.principal }]);
    expect(body.result?.records[0]).toMatchObject({ Item2: 'PRINCIPAL_NOT_FOUND', Item3: false });
  });

  it('is refused while a service is connected to the database', async () => {
    const settings = await databaseSettings();
    const service = await startTestService(settings);
    expectOneLine(
      await inProcess(['raise-ids', '--yes'], settings),
      /^anagrafe: A service or another command is connected to .*\. Stop every node/,
    );
    const { principal } = await insert(service, 'anna');
    expect(principal).toBe(1);
  });

  it('asks on a terminal, and elsewhere requires --yes', async () => {
    // Each has a database of its own: PostgreSQL ends the connection of a command a moment after the command.
    expectOneLine(await inProcess(['raise-ids'], await databaseSettings()), /Use --yes to confirm\.$/);
    const refused = await onTerminal(['raise-ids'], await databaseSettings(), 200, ['n']);
    expect(refused).toMatchObject({ code: 0, screen: expect.stringContaining('Nothing was changed.') });
    const confirmed = await onTerminal(['raise-ids'], await databaseSettings(), 200, ['y']);
    expect(confirmed.screen).toContain(
      'New principals get IDs above 1000000, and new users IDs above 1000000.',
    );
  });
});
