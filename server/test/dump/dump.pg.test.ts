import { inProcess } from '@anagrafe/testing/command';
import { atEnd } from '@anagrafe/testing/endings';
import { finished, holding, importedUser, principalLock, readJob, submit } from '@anagrafe/testing/jobs';
import { login, registerUsers, rightPassword, signedIn } from '@anagrafe/testing/login';
import { insertPrincipals, newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { emptyStore } from '@anagrafe/testing/store';
import { expect, it } from 'vitest';
import { contentsOf, dumped, newFolder } from './dumped.ts';

const settingsOf = ({ config }: TestService) => ({
  ANAGRAFE_DATABASE_URL: config.DATABASE_URL ?? '',
  ANAGRAFE_MASTER_KEY: config.MASTER_KEY ?? '',
});

it('a dump moves a database to the embedded PostgreSQL and back, with everything but the sessions', async () => {
  const service = await startTestService();
  const { principal } = await registerUsers(service, 'anna', 'bruno');
  const session = await signedIn(service, 'anna');
  const { body } = await service.call('irs/update', [{ ID: principal, Users: [importedUser('carla')] }]);
  expect(body.result?.records[0]).toMatchObject({ Item3: true });
  // Characters that COPY writes with a backslash, also a text like the line that ends a table.
  await service.database.query(`update anagrafe.users set last_name = $1 where username = 'bruno'`, [
    '\\.\n\\.\n\t\\N\r\n\u{1f600}\\',
  ]);
  const [held = 0] = await insertPrincipals(service, 1);
  // The job cannot end before the dump has it.
  const { file, job } = await holding(service, principalLock(held), async ({ blocked }) => {
    const job = await submit(service, 'irs/update', [{ ID: held, Users: [newUser('dino')] }]);
    await blocked(1);
    return { file: await dumped(settingsOf(service), '--encrypt'), job };
  });
  await finished(service, job);
  await service.stop();

  const folder = newFolder();
  const embedded = { ANAGRAFE_DATA: folder };
  const loaded = await inProcess(['load', file, '--json'], embedded);
  expect(loaded).toMatchObject({ code: 0 });
  expect(JSON.parse(loaded.stdout)).toMatchObject({ principals: 2, users: 3, audit: { sound: true } });
  const again = await startTestService(embedded, { embedded: true });
  expect((await login(again, 'anna', rightPassword)).status).toBe(200);
  expect((await again.call('login/refresh', { RefreshToken: session.RefreshToken })).status).toBe(401);
  // The job continues where the dump found it.
  expect((await finished(again, job)).body.result?.records).toHaveLength(1);
  expect((await login(again, 'dino')).status).toBe(200);
  const { ids } = await registerUsers(again, 'elsa');
  expect(ids[0]).toBeGreaterThan(1_000_000);
  await again.stop();

  const back = await emptyStore();
  atEnd(back.discard);
  const second = await dumped(embedded);
  const before = await contentsOf(embedded);
  const returned = await inProcess(['load', second, '--json'], back.settings);
  expect(returned).toMatchObject({ code: 0 });
  expect(await contentsOf(back.settings)).toEqual(before);
  const third = await startTestService(back.settings);
  expect((await readJob(third, job)).status).toBe(200);
  expect((await login(third, 'elsa')).status).toBe(200);
  await third.stop();
});
