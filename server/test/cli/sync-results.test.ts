import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { listen } from '@anagrafe/testing/heard';
import { newWorkFolder, rowsOf, type WorkFolder } from '@anagrafe/testing/importing';
import { holding, importedHash, principalsLock } from '@anagrafe/testing/jobs';
import { login } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pathBeside } from '../../src/cli/import-file.ts';

let service: TestService;
let folder: WorkFolder;

beforeAll(async () => {
  service = await startTestService();
});
beforeEach(() => {
  folder = newWorkFolder(service);
});

const head = 'ExternalKey;Denomination;Username;Email;PasswordHash';
const row = (key: string, user: string, email = '') =>
  `${key};Company ${key};${user};${email};"${importedHash}"`;
function write(...rows: readonly string[]): void {
  folder.write('customers.csv', `${[head, ...rows].join('\n')}\n`);
}
const sync = (...args: readonly string[]) => folder.run(['sync', 'customers.csv', '--yes', ...args]);
async function result(...args: readonly string[]) {
  const { stdout } = await sync('--json', ...args);
  return JSON.parse(stdout);
}
async function usersOf(key: string): Promise<readonly { Username: string; State: string }[]> {
  const { body } = await service.call<{ Users: { Username: string; State: string }[] }>('irs/list', {
    ExternalKey: key,
  });
  return body.result?.records[0]?.Users ?? [];
}

describe('the result of a sync', () => {
  it('has the principals and users that were created, changed, moved, disabled, left unchanged and left out, as the plan has', async () => {
    write(row('T-1', 't.a'), row('T-1', 't.b'), row('T-2', 't.c'), row('T-3', 't.d'), row('T-4', 't.e'));
    await sync();
    write(
      row('T-1', 't.a', 'new@example.com'),
      row('T-2', 't.c'),
      row('T-2', 't.e'),
      row('T-3', 't.d'),
      row('T-5', 't.f'),
      row('T-5', 't.g'),
      row('T-6', 't.h', 'no address'),
    );
    const options = ['--missing', 'disable', '--missing-principals', 'disable'];
    const { stderr } = await folder.run(['sync', 'customers.csv', '--dry-run', ...options]);
    expect(stderr).toContain(
      [
        '  Principals: 1 to create, 0 to change, 1 to disable, 3 unchanged, 1 left out.',
        '  Users: 2 to register, 1 to change, 1 to move, 1 to disable, 2 unchanged, 1 left out.',
      ].join('\n'),
    );
    const counts = {
      PrincipalsInserted: 1,
      PrincipalsUpdated: 0,
      PrincipalsDisabled: 1,
      PrincipalsUnchanged: 3,
      PrincipalsLeftOut: 1,
      UsersRegistered: 2,
      UsersInvited: 0,
      UsersUpdated: 1,
      UsersMoved: 1,
      UsersDisabled: 1,
      UsersDeleted: 0,
      UsersUnchanged: 2,
      UsersLeftOut: 1,
    };
    expect(await result(...options)).toMatchObject({ ...counts, applied: true, result: counts });
  });

  it('has the users that were left out of their records with --partial', async () => {
    write(row('P-1', 'p.a'), row('P-1', 'p.b', 'no address'));
    const { stderr } = await sync('--partial');
    expect(stderr).toContain('Users: 1 registered, 0 changed, 0 unchanged, 1 left out.');
  });

  it('writes the rows with errors to a file also if nothing else changes, and not in a dry run', async () => {
    write(row('F-1', 'f.a'));
    await sync();
    write(row('F-1', 'f.a'), row('F-2', 'f.b', 'no address'));
    const failed = folder.path('customers.failed.csv');
    expect(await result('--dry-run')).toMatchObject({ applied: false, failedFile: null });
    expect(existsSync(failed)).toBe(false);
    const { code, stderr } = await sync();
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/Nothing to change\.\nThe rows with errors are in/),
    ]);
    expect(stderr).not.toContain('To undo');
    expect(rowsOf(folder, 'customers.failed.csv').map(({ Username }) => Username)).toEqual(['f.b']);
    expect(await result()).toMatchObject({
      applied: false,
      result: null,
      failedFile: folder.path('customers.failed-2.csv'),
    });
  });
});

describe('a row of a sync', () => {
  it('that is an exact copy of an earlier one is left out with a warning, and the others are applied', async () => {
    write(row('Q-1', 'q.a'), row('Q-2', 'q.b'), row('Q-1', 'q.a'), row('Q-2', 'q.b'), row('Q-1', 'q.c'));
    expect(await result()).toMatchObject({
      rows: 5,
      UsersRegistered: 3,
      failed: [],
      warnings: [{ code: 'ROW_REPEATED', field: 'Username', rows: 2, lines: [4, 5] }],
    });
    const { stderr } = await sync();
    expect(stderr).toContain(
      '  Username: exact copy of an earlier row, which is left out, in 2 rows (lines 4, 5)\n5 rows, 2 principals\n',
    );
  });

  it('with the username of an earlier one and another value stops the file', async () => {
    write(row('R-1', 'r.a'), row('R-1', 'r.a', 'other@example.com'));
    const { code, stderr } = await sync();
    expect([code, stderr]).toEqual([1, expect.stringContaining('line 3: Username: An earlier row has')]);
    expect(await usersOf('R-1')).toEqual([]);
  });
});

describe('the failed rows of a sync', () => {
  it.each([
    ['customers.csv', 'customers.failed.csv'],
    ['today/customers.xlsx', 'today/customers.failed.xlsx'],
  ])('are beside its file %s, which is named by a relative path', (path, failed) => {
    expect(pathBeside(path, 'failed')).toBe(resolve(failed));
  });
});

describe('a sync that is interrupted', () => {
  it('while it applies changes names its job, the file with the passwords, and how to undo', async () => {
    folder.write('customers.csv', 'ExternalKey;Denomination;Username\nI-1;Interrupted Srl;i.a\n');
    const args = ['sync', 'customers.csv', '--yes', '--generate-passwords', 'passwords.csv'];
    await holding(service, principalsLock, async ({ blocked }) => {
      const child = folder.begin(args);
      const { stderr, closed } = listen(child);
      await blocked(1);
      child.kill('SIGINT');
      await closed;
      expect(child.exitCode).toBe(130);
      expect(stderr()).toMatch(
        /Interrupted\. Some of the changes may have been applied\.\nThe service completes the rows that were already sent, in job \S+\. To cancel:\n {2}.*job cancel .*\nThe generated passwords are in .*passwords\.csv, also those of users that were not registered\..*\nTo see the remaining changes, run the same command again\.\nTo undo those that were applied: .*anagrafe undo /,
      );
    });
    await until(
      async () => (await usersOf('I-1')).length === 1,
      () => 'the job to end',
    );
    const [{ Password = '' } = {}] = rowsOf(folder, 'passwords.csv');
    expect((await login(service, 'i.a', Password)).status).toBe(200);
  });

  it('while it compares says that nothing was changed', async () => {
    folder.write('customers.csv', `${head}\n${row('I-2', 'i.b')}\n`);
    await service.database.transaction(
      async (connection) => {
        await connection.query('lock table anagrafe.principals in access exclusive mode');
        const child = folder.begin(['sync', 'customers.csv', '--yes']);
        const { stderr, closed } = listen(child);
        await until(
          async () => stderr().includes('Comparing'),
          () => `the command to start: ${stderr()}`,
        );
        await until(
          async () =>
            (
              await connection.query(
                "select from pg_locks where not granted and relation = 'anagrafe.principals'::regclass",
              )
            ).length > 0,
          () => 'the service to compare',
        );
        child.kill('SIGTERM');
        await closed;
        expect([child.exitCode, stderr()]).toEqual([
          143,
          expect.stringMatching(/Interrupted\. Nothing was changed\.\n$/),
        ]);
      },
      { patient: true },
    );
    expect(await usersOf('I-2')).toEqual([]);
  });
});
