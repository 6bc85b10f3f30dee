import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFolder, expectOneLine, inProcess } from '@anagrafe/testing/command';
import { atEnd } from '@anagrafe/testing/endings';
import { login, registerUsers } from '@anagrafe/testing/login';
import { copyBinaries } from '@anagrafe/testing/postgres-cluster';
import { startTestService } from '@anagrafe/testing/service';
import { expect, it } from 'vitest';

it('the service runs on other programs of PostgreSQL, and a dump moves their database to those of the package', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-programs-'));
  atEnd(async () => rmSync(folder, { recursive: true, force: true }));
  const programs = join(copyBinaries(15, folder), 'bin');
  const [data, backups] = [dataFolder(), dataFolder()];
  const settings = { ANAGRAFE_DATA: data, ANAGRAFE_POSTGRES_BIN: programs };
  const service = await startTestService(settings, { embedded: true });
  expect(service.log.join('')).toContain(`"programs":"${programs}","msg":"PostgreSQL is ready"`);
  await registerUsers(service, 'anna', 'bruno');
  await service.stop();
  const { stdout } = await inProcess(['doctor', '--json'], settings);
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({
      code: 'embedded_postgres_stopped',
      fields: expect.objectContaining({ major: '15', programs }),
    }),
  );
  expect(await inProcess(['backup', join(backups, 'all')], settings)).toMatchObject({ code: 0 });
  const verified = await inProcess(['backup', 'verify', join(backups, 'all')], settings);
  expect(verified).toMatchObject({ code: 0, stderr: expect.stringContaining('2 users') });

  const other = { ANAGRAFE_DATA: data };
  expectOneLine(
    await inProcess(['serve'], other),
    /was created by PostgreSQL 15, but this release includes PostgreSQL 18\. Set ANAGRAFE_POSTGRES_BIN .* or move the data with "anagrafe dump"/,
  );
  const empty = dataFolder();
  copyFileSync(join(data, 'master.key'), join(empty, 'master.key'));
  expectOneLine(
    await inProcess(['restore', join(backups, 'all')], { ANAGRAFE_DATA: empty }),
    /The backup is of PostgreSQL 15.*, but the programs are of PostgreSQL 18\. Set ANAGRAFE_POSTGRES_BIN/,
  );
  const dump = join(backups, 'anagrafe.dump');
  expect(await inProcess(['dump', dump], settings)).toMatchObject({ code: 0 });
  expect(await inProcess(['load', dump], { ANAGRAFE_DATA: empty })).toMatchObject({ code: 0 });
  const upgraded = await startTestService({ ANAGRAFE_DATA: empty }, { embedded: true });
  expect((await login(upgraded, 'anna')).status).toBe(200);
  await upgraded.stop();
});

it('programs that do not run are refused', async () => {
  for (const folder of ['/nowhere', tmpdir()])
    expectOneLine(
      await inProcess(['serve'], { ANAGRAFE_DATA: dataFolder(), ANAGRAFE_POSTGRES_BIN: folder }),
      /(initdb|postgres) does not run \(.*\)\. Set ANAGRAFE_POSTGRES_BIN to the folder of initdb and postgres/,
    );
});
