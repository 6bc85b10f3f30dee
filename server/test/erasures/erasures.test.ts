import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, expectOneLine, inProcess, usedFolder } from '@anagrafe/testing/command';
import { dataParent } from '@anagrafe/testing/data-parent';
import { atEnd } from '@anagrafe/testing/endings';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import { backupsIn } from '../../src/backup/backup-folder.ts';
import { erasureLogIn } from '../../src/erasures/erasure-log.ts';

async function register(service: TestService, principal: number, name: string): Promise<void> {
  const { body } = await service.call('irs/update', [{ ID: principal, Users: [importedUser(name)] }]);
  expect(body.result?.records[0]?.Item3).toBe(true);
}

async function remove(service: TestService, record: object): Promise<void> {
  const { body } = await service.call('irs/delete', [record]);
  expect(body.result?.records[0]?.Item3).toBe(true);
}

const usernames = async ({ database }: TestService) =>
  (await database.query<{ username: string }>('select username from anagrafe.users order by id')).map(
    ({ username }) => username,
  );

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
}

it('deletions are repeated after a restore or a load, but not those that an earlier restore left out', async () => {
  const backups = mkdtempSync(join(dataParent(), 'anagrafe-backups-'));
  atEnd(async () => rmSync(backups, { recursive: true, force: true }));
  const log = erasureLogIn(backups);
  const data = await usedFolder();
  const dump = join(backups, 'anagrafe.dump');
  const serve = async (folder: string) => {
    const settings = { ANAGRAFE_DATA: folder, ANAGRAFE_BACKUP_FOLDER: backups };
    const service = await startTestService(settings, { embedded: true });
    return service;
  };
  const into = async (command: string, ...args: string[]) => {
    const folder = dataFolder();
    copyFileSync(join(data, 'master.key'), join(folder, 'master.key'));
    return { folder, ...(await inProcess([command, ...args], { ANAGRAFE_DATA: folder })) };
  };
  const contentOf = async (folder: string) => {
    const service = await startTestService({ ANAGRAFE_DATA: folder }, { embedded: true });
    const names = await usernames(service);
    await service.stop();
    return names;
  };

  const service = await serve(data);
  const [first = 0, second = 0] = await insertPrincipals(service, 2);
  for (const name of ['anna', 'bruno']) await register(service, first, name);
  await register(service, second, 'carla');
  // Two backups of the same second have the same name.
  let taken = '';
  await until(async () => {
    taken = (await inProcess(['backup', backups, '--json'], { ANAGRAFE_DATA: data })).stdout;
    return taken !== '';
  });
  const backup: string = JSON.parse(taken).folder;
  expect(await inProcess(['dump', dump], { ANAGRAFE_DATA: data })).toMatchObject({ code: 0 });
  await remove(service, { ID: first, Users: [{ Username: 'bruno' }] });
  await remove(service, { ID: second });
  await until(() => linesOf(log).length === 2);
  expect(linesOf(log).join()).not.toMatch(/bruno|carla/);
  await service.stop();

  const restored = await into('restore', backup);
  expect(restored).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/Deleted again: 1 principal and 1 user, as .*erasures\.ndjson says/),
  });
  expect(await contentOf(restored.folder)).toEqual(['anna']);

  const loaded = await into('load', dump, '--erasures', log, '--json');
  expect(JSON.parse(loaded.stdout)).toMatchObject({
    principals: 1,
    users: 1,
    erased: { principals: 1, users: 1 },
  });

  // The deletion of bruno was a mistake.
  const edited = join(backups, 'edited.ndjson');
  writeFileSync(edited, `${linesOf(log)[1]}\n`);
  const kept = await into('restore', backup, '--erasures', edited, '--json');
  expect(JSON.parse(kept.stdout)).toMatchObject({ erased: { principals: 1, users: 0 } });
  const again = await serve(kept.folder);
  expect(await usernames(again)).toEqual(['anna', 'bruno']);
  await until(async () => ((await backupsIn(backups)).at(-1)?.firstLogFile ?? '').startsWith('00000002'));
  await remove(again, { ID: first, Users: [{ Username: 'anna' }] });
  await again.stop();
  // The deletion that the restore repeated, and that of anna.
  expect(linesOf(log).filter((line) => line.includes('"timeline":"00000002"'))).toHaveLength(2);
  const lines = linesOf(log).length;

  const newest = (await backupsIn(backups)).at(-1)?.folder ?? '';
  const last = await into('restore', newest);
  expect(last).toMatchObject({ stderr: expect.stringContaining('Deleted again: 0 principals and 1 user') });
  expect(await contentOf(last.folder)).toEqual(['bruno']);
  expect(linesOf(log)).toHaveLength(lines);

  const unknown = await into('restore', backup, '--erasures', join(backups, 'none'));
  expectOneLine(unknown, /none cannot be read \(ENOENT\)\. Name a copy of erasures\.ndjson/);
});
