import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  dataFolder,
  expectOneLine,
  expectWrongUsage,
  inProcess,
  usedFolder,
} from '@anagrafe/testing/command';
import { dataParent } from '@anagrafe/testing/data-parent';
import { atEnd } from '@anagrafe/testing/endings';
import { importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { describe, expect, it } from 'vitest';
import { archived } from './archived.ts';

async function register(service: TestService, principal: number, name: string): Promise<void> {
  const { body } = await service.call('irs/update', [{ ID: principal, Users: [importedUser(name)] }]);
  expect(body.result?.records[0]?.Item3).toBe(true);
}

const usernames = async ({ database }: TestService) =>
  (await database.query<{ username: string }>('select username from anagrafe.users order by id')).map(
    ({ username }) => username,
  );

describe('anagrafe restore --to-time', () => {
  it('restores the state of any moment after a backup, also of the past before a restore', async () => {
    const backups = mkdtempSync(join(dataParent(), 'anagrafe-backups-'));
    atEnd(async () => rmSync(backups, { recursive: true, force: true }));
    const data = await usedFolder();
    const serve = (folder: string) =>
      startTestService({ ANAGRAFE_DATA: folder, ANAGRAFE_BACKUP_FOLDER: backups }, { embedded: true });
    const restored = async (...options: string[]) => {
      const folder = dataFolder();
      copyFileSync(join(data, 'master.key'), join(folder, 'master.key'));
      return { folder, ...(await inProcess(['restore', backups, ...options], { ANAGRAFE_DATA: folder })) };
    };
    const service = await serve(data);
    await until(() => service.log.some((line) => line.includes('took a backup')));
    const [principal = 0] = await insertPrincipals(service, 1);
    await register(service, principal, 'anna');
    await sleep(50);
    const afterAnna = new Date();
    await sleep(50);
    await register(service, principal, 'bruno');
    await sleep(50);
    const afterBruno = new Date();
    await sleep(50);
    await register(service, principal, 'dora');
    await archived(service);
    await service.stop();

    const early = await restored('--to-time', afterAnna.toISOString());
    expect(early).toMatchObject({ code: 0, stderr: expect.stringContaining('1 principal') });
    const again = await serve(early.folder);
    expect(await usernames(again)).toEqual(['anna']);
    await until(() => again.log.some((line) => line.includes('took a backup')));
    await register(again, principal, 'carla');
    await archived(again);
    await register(again, principal, 'elsa');
    await archived(again);
    await again.stop();

    // The restored database has gone another way since then, but this is the past before the restore.
    const other = await restored('--to-time', afterBruno.toISOString().replace('Z', '+00:00'));
    expect(other).toMatchObject({ code: 0, stderr: expect.stringContaining('1 principal and 2 users') });
    const before = await startTestService({ ANAGRAFE_DATA: other.folder }, { embedded: true });
    expect(await usernames(before)).toEqual(['anna', 'bruno']);
    await before.stop();

    const latest = await restored();
    expect(latest).toMatchObject({ code: 0, stderr: expect.stringContaining('1 principal and 3 users') });
    const last = await startTestService({ ANAGRAFE_DATA: latest.folder }, { embedded: true });
    expect(await usernames(last)).toEqual(['anna', 'carla', 'elsa']);
    await last.stop();

    const tooLate = await restored('--to-time', new Date(Date.now() + 3_600_000).toISOString());
    expectOneLine(
      tooLate,
      /^anagrafe: The archived log ends before that time, or has a gap before it\. Choose an earlier time/,
    );
    expect(existsSync(join(tooLate.folder, 'postgres'))).toBe(false);
    expectOneLine(
      await restored('--to-time', '2020-01-01T00:00:00Z'),
      /^anagrafe: The oldest backup in .* is of \S+, after 2020-01-01T00:00:00.000Z/,
    );
    for (const time of [
      'yesterday',
      '2026-01-31T08:00:00',
      '2026-02-30T08:00:00Z',
      '2026-01-31T08:00:00.1234Z',
    ])
      expectWrongUsage(await restored('--to-time', time), /Expected a time with its zone/);

    const log = join(backups, 'log');
    const names = readdirSync(log).filter((name) => name.startsWith('00000002') && !name.includes('history'));
    rmSync(join(log, names.toSorted().at(-2) ?? ''));
    const incomplete = await restored();
    expectOneLine(
      incomplete,
      /The archived log is incomplete: it goes up to 00000002\w{16}, but nothing after 00000002\w{16} can be restored/,
    );
    expect(existsSync(join(incomplete.folder, 'postgres'))).toBe(false);
  });
});
