import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  databaseSettings,
  dataFolder,
  expectOneLine,
  inProcess,
  start,
  usedFolder,
} from '@anagrafe/testing/command';
import { dataParent } from '@anagrafe/testing/data-parent';
import { atEnd } from '@anagrafe/testing/endings';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { files } from '../../src/backup/backup-files.ts';

function backupFolder(): string {
  const folder = mkdtempSync(join(dataParent(), 'anagrafe-backups-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function backedUp(data: string, ...options: string[]): Promise<{ folder: string; backup: string }> {
  const folder = backupFolder();
  const { code, stdout, stderr } = await inProcess(['backup', folder, '--json', ...options], {
    ANAGRAFE_DATA: data,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return { folder, backup: JSON.parse(stdout).folder };
}

/** An empty data folder with the master key of another one. */
function newFolderFor(data: string): string {
  const folder = dataFolder();
  copyFileSync(join(data, 'master.key'), join(folder, 'master.key'));
  return folder;
}

async function register(service: TestService, principal: number, name: string): Promise<void> {
  const { body } = await service.call('irs/update', [{ ID: principal, Users: [importedUser(name)] }]);
  expect(body.result?.records[0]?.Item3).toBe(true);
}

/** The usernames of all users, with their password hashes. */
async function hashesIn(service: TestService): Promise<Map<string, string>> {
  const response = await fetch(`${service.url}/api/sync/v1/irs/export?hashes=true`);
  const lines = (await response.text()).trim().split('\n');
  const records = lines.map((line) => JSON.parse(line));
  return new Map(
    records.flatMap(({ Users = [] }) =>
      Users.map((user: Record<string, string>) => [user.Username, user.PasswordHash]),
    ),
  );
}

describe('a backup that is taken while users are registered', () => {
  it('contains every user that was confirmed before, and no half one', async () => {
    const data = await usedFolder();
    const service = await startTestService({ ANAGRAFE_DATA: data }, { embedded: true });
    const [principal = 0] = await insertPrincipals(service, 1);
    const confirmed: string[] = [];
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n++) {
        await register(service, principal, `user.${n}`);
        confirmed.push(`user.${n}`);
      }
    })();
    await until(() => confirmed.length >= 20);
    const before = [...confirmed];
    const { folder } = await backedUp(data, '--encrypt');
    const atItsEnd = confirmed.length + 1;
    isOver = true;
    await writing;
    const stored = await hashesIn(service);
    await service.stop();

    const verified = await inProcess(['backup', 'verify', folder, '--json'], { ANAGRAFE_DATA: data });
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    const { users, audit } = JSON.parse(verified.stdout);
    expect(users).toBeGreaterThanOrEqual(before.length);
    expect(users).toBeLessThanOrEqual(atItsEnd);
    expect(audit).toMatchObject({ sound: true });

    const restored = newFolderFor(data);
    const restoring = await inProcess(['restore', folder, '--json'], { ANAGRAFE_DATA: restored });
    expect(restoring).toMatchObject({ code: 0, stderr: '' });
    const again = await startTestService({ ANAGRAFE_DATA: restored }, { embedded: true });
    const found = await hashesIn(again);
    expect([...found.keys()]).toEqual(expect.arrayContaining(before));
    for (const [name, hash] of found) expect(hash, name).toBe(stored.get(name));
    await register(again, principal, 'after.the.restore');
    const { body } = await again.call('irs/users', { Username: 'after.the.restore' });
    expect(body.result?.records[0]).toMatchObject({ ID: expect.toSatisfy((id: number) => id > 1_000_000) });
    await again.stop();
  });
});

describe('anagrafe backup', () => {
  it('leaves no folder with a name if it is killed, and works the next time', async () => {
    const data = await usedFolder();
    const folder = backupFolder();
    const killed = start(['backup', folder], { ANAGRAFE_DATA: data });
    await until(() => readdirSync(folder).length > 0 || killed.exitCode !== null);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(readdirSync(folder).filter((name) => !name.startsWith('.unfinished-'))).toEqual([]);
    const { stdout } = await inProcess(['backup', folder], { ANAGRAFE_DATA: data });
    expect(stdout).toMatch(/^The backup is in .*\d{4}-\d{2}-\d{2}T\d{6}Z\n$/);
  });

  it('keeps the files for their owner alone', async () => {
    const { backup } = await backedUp(await usedFolder());
    for (const path of [backup, ...readdirSync(backup).map((name) => join(backup, name))])
      expect([path, statSync(path).mode & 0o077]).toEqual([path, 0]);
  });

  it('is refused for an external PostgreSQL, and for a data folder without a database', async () => {
    expectOneLine(
      await inProcess(['backup', backupFolder()], await databaseSettings()),
      /The database is the PostgreSQL of ANAGRAFE_DATABASE_URL\. Back it up with the tools of PostgreSQL/,
    );
    expectOneLine(
      await inProcess(['backup', backupFolder()], { ANAGRAFE_DATA: dataFolder() }),
      /There is no database in .*/,
    );
  });
});

describe('a damaged backup', () => {
  let intact: { data: string; backup: string };
  beforeAll(async () => {
    const data = await usedFolder();
    intact = { data, ...(await backedUp(data)) };
  });

  it.each([
    ['a changed byte in its archive', (path: string) => flip(join(path, files.archive)), /cannot be used: /],
    [
      'an archive that was cut off',
      (path: string) => truncateSync(join(path, files.archive), 100_000),
      /cannot be used: /,
    ],
    [
      'another manifest',
      (path: string) => replace(join(path, files.manifest), /"Size": \d+/, '"Size": 7'),
      /backup_manifest was changed/,
    ],
    [
      'a further file in its manifest',
      (path: string) => replace(join(path, files.manifest), '"Files": [', `"Files": [${lostFile},`),
      /backup_manifest was changed/,
    ],
    [
      'an unreadable manifest',
      (path: string) => appendFileSync(join(path, files.manifest), 'x'),
      /cannot be used: /,
    ],
    [
      'another time in its description',
      (path: string) => replace(join(path, files.about), /"endedAt": "\d/, '"endedAt": "1'),
      /backup\.json was changed/,
    ],
    [
      'an unreadable description',
      (path: string) => writeFileSync(join(path, files.about), '{'),
      /backup\.json cannot be read/,
    ],
  ])('with %s is refused, and nothing is restored', async (_, damage, message) => {
    const folder = backupFolder();
    cpSync(intact.backup, folder, { recursive: true });
    damage(folder);
    const target = newFolderFor(intact.data);
    expectOneLine(await inProcess(['restore', folder], { ANAGRAFE_DATA: target }), message);
    expect(existsSync(join(target, 'postgres'))).toBe(false);
  });
});

const lostFile = '{"Path": "lost", "Size": 0, "Checksum-Algorithm": "SHA256", "Checksum": "00"}';

function flip(path: string): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

function replace(path: string, what: string | RegExp, by: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(what, by));
}

describe('anagrafe restore', () => {
  it('is refused without the master key of the backup, or with another one', async () => {
    const { folder } = await backedUp(await usedFolder(), '--encrypt');
    const target = dataFolder();
    expectOneLine(
      await inProcess(['restore', folder], { ANAGRAFE_DATA: target }),
      /needs the master key with the fingerprint [0-9a-f]{8}, but there is none\. Copy the file master\.key of the service to .*, or set ANAGRAFE_MASTER_KEY/,
    );
    expectOneLine(
      await inProcess(['restore', folder], { ANAGRAFE_DATA: target, ANAGRAFE_MASTER_KEY: 'ab'.repeat(32) }),
      /needs the master key with the fingerprint [0-9a-f]{8}, but the settings have the one with [0-9a-f]{8}/,
    );
    expect(existsSync(join(target, 'postgres'))).toBe(false);
  });

  it('is refused for a data folder that has a database, and for a folder without a backup', async () => {
    const data = await usedFolder();
    const { folder } = await backedUp(data);
    expectOneLine(
      await inProcess(['restore', folder], { ANAGRAFE_DATA: data }),
      /contains a database already/,
    );
    const target = newFolderFor(data);
    expectOneLine(
      await inProcess(['restore', backupFolder()], { ANAGRAFE_DATA: target }),
      /There is no backup in /,
    );
    expectOneLine(
      await inProcess(['restore', '/nowhere'], { ANAGRAFE_DATA: target }),
      /\/nowhere cannot be read \(ENOENT\)/,
    );
  });

  it('that was interrupted leaves nothing that a service starts', async () => {
    const data = await usedFolder();
    const { folder } = await backedUp(data);
    const target = newFolderFor(data);
    const restoring = start(['restore', folder], { ANAGRAFE_DATA: target });
    await until(() => existsSync(join(target, 'postgres')) || restoring.exitCode !== null);
    restoring.kill('SIGKILL');
    await once(restoring, 'exit');
    expectOneLine(
      await inProcess(['serve'], { ANAGRAFE_DATA: target }),
      /The restore into .* was interrupted\. Delete that folder, then restore again/,
    );
  });

  it('takes the newest of several backups', async () => {
    const data = await usedFolder();
    const { folder, backup } = await backedUp(data);
    await sleep(1100);
    const newer = await inProcess(['backup', folder, '--json'], { ANAGRAFE_DATA: data });
    expect(JSON.parse(newer.stdout).folder > backup).toBe(true);
    const restored = await inProcess(['restore', folder, '--json'], { ANAGRAFE_DATA: newFolderFor(data) });
    expect(JSON.parse(restored.stdout)).toMatchObject(JSON.parse(newer.stdout));
  });
});
