import { existsSync, readFileSync, statSync } from 'node:fs';
import { inProcess } from '@anagrafe/testing/command';
import { newWorkFolder, rowsOf, type WorkFolder } from '@anagrafe/testing/importing';
import { codesIn, type MailServer, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { proxyOf } from './proxy.ts';

let mailServer: MailServer;
let service: TestService;
let folder: WorkFolder;

beforeAll(async () => {
  mailServer = await startMailServer();
  service = await startTestService(mailSettingsOf(mailServer));
});
beforeEach(() => {
  folder = newWorkFolder(service);
});

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

describe('anagrafe sync --invite', () => {
  const invite = ['--invite', 'code', '--codes', 'codes.csv'];
  const users = (key: string, ...names: readonly string[]) =>
    folder.write(
      'customers.csv',
      `ExternalKey;Denomination;Username;State\n${names.map((name) => `${key};Invito ${key};${name};active\n`).join('')}`,
    );
  const setPassword = async (Code: unknown, Password = 'a new long sentence') =>
    (await service.call('password/set', { Code, Password, ConfirmPassword: Password })).status;

  it('invites new users, writes their codes, and leaves invited users unchanged the next day', async () => {
    users('V-1', 'v.a', 'v.b');
    const dry = await folder.run(['sync', 'customers.csv', '--dry-run', ...invite]);
    expect(dry.stderr).toContain('  To invite to choose a password: 2 users.\n');
    expect(existsSync(folder.path('codes.csv'))).toBe(false);
    expect(await result(...invite)).toMatchObject({
      codesFile: folder.path('codes.csv'),
      result: { UsersRegistered: 2, UsersInvited: 2 },
    });
    const codes = rowsOf(folder, 'codes.csv');
    expect(codes.map(({ Username }) => Username)).toEqual(['v.a', 'v.b']);
    expect(statSync(folder.path('codes.csv')).mode & 0o777).toBe(0o600);

    users('V-1', 'v.a', 'v.b', 'v.c');
    const next = ['--missing', 'disable', '--invite', 'code', '--codes', 'next.csv'];
    expect(await result(...next)).toMatchObject({
      changes: [{ username: 'v.c', change: 'register user' }],
      result: { UsersRegistered: 1, UsersInvited: 1, UsersUnchanged: 2 },
    });
    expect(rowsOf(folder, 'next.csv').map(({ Username }) => Username)).toEqual(['v.c']);
    expect(await setPassword(codes[0]?.Code)).toBe(200);
    expect(Object.fromEntries((await usersOf('V-1')).map((user) => [user.Username, user.State]))).toEqual({
      'v.a': 'active',
      'v.b': 'invited',
      'v.c': 'invited',
    });
  });

  it('leaves invited users unchanged without --invite too, and writes no file if no user is new', async () => {
    users('V-2', 'w.a', 'w.b');
    await sync('--invite', 'code', '--codes', 'first.csv');
    expect(await result()).toMatchObject({ applied: false, changes: [], UsersUnchanged: 2 });
    folder.write('customers.csv', 'ExternalKey;Denomination;Username\nV-2;Invito Spa;w.b\n');
    expect(await result(...invite)).toMatchObject({ codesFile: null, result: { PrincipalsUpdated: 1 } });
    expect(existsSync(folder.path('codes.csv'))).toBe(false);
  });

  it('needs a file for the codes, and replaces none', async () => {
    users('V-3', 'x.a');
    const { code, stderr } = await sync('--invite', 'code');
    expect([code, stderr]).toEqual([1, expect.stringContaining('--invite code needs --codes')]);
    folder.write('codes.csv', 'kept\n');
    expect((await sync(...invite)).code).toBe(1);
    expect(readFileSync(folder.path('codes.csv'), 'utf8')).toBe('kept\n');
  });

  it('with email sends each new user a mail with a link, and leaves out one without an address', async () => {
    folder.write(
      'customers.csv',
      'ExternalKey;Denomination;Username;Email\nM-1;Posta;m.a;m.a@example.com\nM-2;Senza;m.b;\n',
    );
    const { code, stderr } = await sync('--invite', 'email');
    expect([code, stderr]).toEqual([3, expect.stringContaining('Invited to choose a password: 1 user.')]);
    await until(
      async () => mailServer.received.length === 1,
      () => 'the mail',
    );
    const [mail] = mailServer.to('m.a@example.com');
    expect(await setPassword(mail && codesIn(mail)[0])).toBe(200);
    expect(await usersOf('M-1')).toMatchObject([{ Username: 'm.a', State: 'active' }]);
    expect(rowsOf(folder, 'customers.failed.csv').map(({ Username }) => Username)).toEqual(['m.b']);
  });

  it('with codes writes no file if the data has changed since the changes were shown, and can be repeated', async () => {
    users('V-4', 'y.a');
    await sync('--invite', 'code', '--codes', 'first.csv');
    users('V-4', 'y.a', 'y.b');
    const url = await proxyOf(service.url, async ({ method, url = '' }) => {
      if (method === 'POST' && url.includes('irs/upsert') && !url.includes('dryRun'))
        await service.call('irs/update', [{ ExternalKey: 'V-4', Vatnumber: 'IT1' }]);
    });
    const args = ['sync', folder.path('customers.csv'), '--yes', '--invite', 'code', '--codes'];
    const outdated = await inProcess([...args, folder.path('codes.csv')], { ANAGRAFE_URL: url });
    expect([outdated.code, outdated.stderr]).toEqual([
      1,
      expect.stringMatching(/The data has changed.*Nothing was applied/),
    ]);
    expect(existsSync(folder.path('codes.csv'))).toBe(false);
    expect((await sync(...invite)).code).toBe(0);
    expect(rowsOf(folder, 'codes.csv').map(({ Username }) => Username)).toEqual(['y.b']);
  });
});
