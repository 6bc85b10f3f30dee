import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataFolder, expectOneLine, inProcess, usedFolder } from '@anagrafe/testing/command';
import { dataParent } from '@anagrafe/testing/data-parent';
import { atEnd } from '@anagrafe/testing/endings';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { files } from '../../src/backup/backup-files.ts';
import { backupsIn, planRestore } from '../../src/backup/backup-folder.ts';
import { type Schedule, takeDueBackup } from '../../src/backup/scheduled-backup.ts';
import { openBackupTasks } from '../../src/backup-tasks.ts';
import { archiveIn } from '../../src/embedded-postgres/data-folder.ts';
import { visitEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { KeyRing } from '../../src/encryption/key-ring.ts';
import { openMetrics } from '../../src/metrics.ts';
import { readConfig } from '../../src/settings/config.ts';
import { openStore } from '../../src/store.ts';

const keyRing = new KeyRing(Buffer.alloc(32, 'key'));
const hourMs = 3_600_000;

function backupFolder(): string {
  const folder = mkdtempSync(join(dataParent(), 'anagrafe-backups-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const metricsOf = async ({ url }: TestService) => (await fetch(`${url}/metrics`)).text();

const named = (folder: string) => readdirSync(folder).filter((name) => !name.startsWith('.'));

describe('scheduled backups', () => {
  it('are taken by the service, counted by the metrics and reported by doctor', async () => {
    const folder = join(backupFolder(), 'made by the service');
    const settings = { ANAGRAFE_DATA: await usedFolder(), ANAGRAFE_BACKUP_FOLDER: folder };
    const service = await startTestService(settings, { embedded: true });
    await until(
      () => service.log.some((line) => line.includes('took a backup')),
      () => `a backup in the log: ${service.log.join('')}`,
    );
    const [backup] = await backupsIn(folder);
    expect(backup).toMatchObject({ isEncrypted: true });
    const takenAt = Date.parse(backup?.takenAt ?? '') / 1000;
    expect(await metricsOf(service)).toContain(`anagrafe_last_backup_timestamp_seconds ${takenAt}`);
    await service.stop();
    const { stdout } = await inProcess(['doctor', '--json'], settings);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ code: 'backup_recent', severity: 'ok' }),
    );
    const verified = await inProcess(['backup', 'verify', folder], settings);
    expect(verified).toMatchObject({ code: 0, stderr: expect.stringContaining('0 principals and 0 users') });
  });

  it('are missed by doctor if there are none', async () => {
    const settings = { ANAGRAFE_DATA: await usedFolder(), ANAGRAFE_BACKUP_FOLDER: backupFolder() };
    const { stdout } = await inProcess(['doctor', '--json'], settings);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ code: 'backup_overdue', severity: 'warning' }),
    );
  });

  it('do not keep a service from stopping', async () => {
    const folder = backupFolder();
    const settings = { ANAGRAFE_DATA: await usedFolder(), ANAGRAFE_BACKUP_FOLDER: folder };
    const service = await startTestService(settings, { embedded: true });
    await until(() => readdirSync(folder).length > 0);
    await service.stop();
    expect(service.log.filter((line) => line.includes('background task failed'))).toEqual([]);
  });

  it('are taken when the newest one is old enough, and deleted when they are too old, but never the newest', async () => {
    const folder = backupFolder();
    const { connection, stop } = await visitEmbeddedPostgres({ dataFolder: await usedFolder() });
    atEnd(stop);
    const take = (afterHours: number, changed: Partial<Schedule> = {}) =>
      takeDueBackup(
        { folder, everyHours: 24, keepDays: 14, timeline: '00000001', ...changed },
        [connection, { postgres: '18', system: '1', keyRing, encrypt: false }],
        Date.now() + afterHours * hourMs,
      );
    const first = await take(0);
    expect(first).toMatchObject({ isNew: true, deleted: [] });
    expect(await take(23)).toMatchObject({ isNew: false, newest: first.newest, deleted: [] });
    // The name of a backup is its second.
    await sleep(1100);
    const second = await take(25);
    expect(second).toMatchObject({ isNew: true, deleted: [] });
    expect(named(folder)).toHaveLength(2);
    await sleep(1100);
    expect(await take(15 * 24)).toMatchObject({
      isNew: true,
      deleted: [first.newest.folder, second.newest.folder],
    });
    expect(named(folder)).toHaveLength(1);
    await sleep(1100);
    const later = { keepDays: 365 };
    const { newest } = await take(0, later);
    const archive = (by: number) => {
      const number = Number.parseInt(newest.firstLogFile.slice(16), 16) + by;
      const file = newest.firstLogFile.slice(0, 16) + number.toString(16).toUpperCase().padStart(8, '0');
      writeFileSync(join(folder, 'log', `${file}.gz`), '');
    };
    mkdirSync(join(folder, 'log'));
    archive(0);
    expect(await take(0, later)).toMatchObject({ isNew: false });
    // After a restart, the files in the folder still show the gap.
    archive(2);
    expect(await take(0, later)).toMatchObject({ isNew: true });
    await sleep(1100);
    expect(await take(0, { ...later, timeline: '00000002' })).toMatchObject({ isNew: true, deleted: [] });
  });

  it('are not taken in a folder with those of another database, and no restore chooses one of them', async () => {
    const folder = backupFolder();
    const { connection, stop } = await visitEmbeddedPostgres({ dataFolder: await usedFolder() });
    atEnd(stop);
    const take = (system: string, afterHours: number) =>
      takeDueBackup(
        { folder, everyHours: 24, keepDays: 14, timeline: '00000001' },
        [connection, { postgres: '18', system, keyRing, encrypt: false }],
        Date.now() + afterHours * hourMs,
      );
    await take('1', 0);
    await expect(take('2', 15 * 24)).rejects.toThrow(
      /is a backup of another database\. Use a folder for one/,
    );
    const [first = ''] = named(folder);
    expect(named(folder)).toEqual([first]);
    // A backup that was copied into the folder by hand.
    const copied = join(folder, '2026-01-31T080000Z');
    cpSync(join(folder, first), copied, { recursive: true });
    const about = readFileSync(join(copied, files.about), 'utf8');
    writeFileSync(join(copied, files.about), about.replace('"system": "1"', '"system": "2"'));
    await expect(take('1', 48)).rejects.toThrow(
      /080000Z is a backup of another database|is a backup of another/,
    );
    for (const until of [null, new Date()])
      await expect(planRestore(folder, until)).rejects.toThrow(/is a backup of another database/);
    expect(await planRestore(copied, null)).toMatchObject({ target: 'backup' });
  });

  it('fail if the master key is rotated meanwhile, because they would need two keys', async () => {
    const folder = backupFolder();
    const { connection, stop } = await visitEmbeddedPostgres({ dataFolder: await usedFolder() });
    atEnd(stop);
    const rotating = new KeyRing(Buffer.alloc(32, 'old'), Buffer.alloc(32, 'new'));
    const waiting = [...rotating.identities];
    rotating.refresh = async () =>
      rotating.use({ current: waiting.shift() ?? rotating.identity, former: [] });
    const take = () =>
      takeDueBackup({ folder, everyHours: 24, keepDays: 14, timeline: '00000001' }, [
        connection,
        { postgres: '18', system: '1', keyRing: rotating, encrypt: true },
      ]);
    await expect(take()).rejects.toThrow(
      'The master key was rotated during the backup. Take the backup again',
    );
    expect(named(folder)).toEqual([]);
    expect((await take()).newest.masterKey).toBe(rotating.identity.toString('hex'));
  });

  it('of another database in the folder are an error of doctor, and of the command that takes a backup', async () => {
    const folder = backupFolder();
    const settings = { ANAGRAFE_DATA: await usedFolder(), ANAGRAFE_BACKUP_FOLDER: folder };
    const other = join(folder, '2026-01-31T080000Z');
    mkdirSync(other);
    writeFileSync(join(other, files.about), JSON.stringify({ system: '2', takenAt: new Date() }));
    const { stdout } = await inProcess(['doctor', '--json'], settings);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ code: 'backup_folder_in_use', severity: 'error' }),
    );
    expectOneLine(
      await inProcess(['backup', folder], settings),
      /is a backup of another database\. Use a folder/,
    );
  });

  it('are not taken of an external PostgreSQL', async () => {
    const folder = backupFolder();
    const service = await startTestService({ ANAGRAFE_BACKUP_FOLDER: folder, ANAGRAFE_DATA: dataFolder() });
    expect(await metricsOf(service)).toContain('anagrafe_last_backup_timestamp_seconds 0');
    await service.stop();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the archived log', () => {
  it('is moved beside the backups also while the database does not answer', async () => {
    const folder = backupFolder();
    const config = readConfig({ ANAGRAFE_DATA: await usedFolder(), ANAGRAFE_BACKUP_FOLDER: folder });
    const store = await openStore(config, { mode: 'existing', log: () => {} });
    const log = pino({ level: 'silent' });
    const { signal } = new AbortController();
    const tasks = await openBackupTasks({ config, log, store, keyRing, metrics: openMetrics(), signal });
    await store.close();
    const name = `00000001${'F'.repeat(8)}${'0'.repeat(8)}`;
    writeFileSync(join(archiveIn(config.DATA), name), 'a file of the log');
    expect(await tasks?.embedded?.archiveLog()).toBe(false);
    expect(readdirSync(join(folder, 'log'))).toContain(`${name}.gz.encrypted`);
    expect(readdirSync(archiveIn(config.DATA))).toEqual([]);
  });
});
