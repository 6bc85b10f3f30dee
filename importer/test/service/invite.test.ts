import { appendFileSync, existsSync, statSync } from 'node:fs';
import { expectOneLine, expectWrongUsage } from '@anagrafe/testing/command';
import { contextOf, newWorkFolder, rowsOf, taskOf, type WorkFolder } from '@anagrafe/testing/importing';
import { importedHash, importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { batchLimits } from '../../src/index.ts';
import { runImport } from '../../src/node/index.ts';

let service: TestService;
let principal: number;
let folder: WorkFolder;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_PUBLIC_URL: 'https://anagrafe.example.com' });
  [principal = 0] = await insertPrincipals(service, 1);
});

beforeEach(() => {
  folder = newWorkFolder(service);
});

const setPassword = async (Code: unknown, Password = 'a new long sentence') =>
  (await service.call('password/set', { Code, Password, ConfirmPassword: Password })).status;
const invitedNow = async () =>
  (await service.call('irs/users', { ID: principal, State: 'invited' })).body.result?.totalCount;
const codes = ['--invite', 'code', '--codes', 'codes.csv'];

describe('anagrafe import --invite code', () => {
  it('invites the new users without a password, and writes their codes to a file of its own', async () => {
    folder.write(
      'users.csv',
      `ID;Username;FirstName;PasswordHash\n${principal};one.a;Mario;\n${principal};one.b;;${importedHash}\n${principal};one.c;=1+1;\n`,
    );
    const { code, stdout, stderr } = await folder.run(['import', 'users.csv', ...codes]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('3 registered');
    expect(stderr).toContain('Invited to choose a password: 2 users.');
    const rows = rowsOf(folder, 'codes.csv');
    expect(rows.map(({ Username }) => Username)).toEqual(['one.a', 'one.c']);
    expect(statSync(folder.path('codes.csv')).mode & 0o777).toBe(0o600);
    for (const { Code = '', URL } of rows) {
      expect(stderr).not.toContain(Code);
      expect(URL).toBe(`https://anagrafe.example.com/account/set-password#${Code}`);
      expect(await setPassword(Code)).toBe(200);
    }
  });

  it('needs no column for passwords, and reports in a dry run how many users it would invite', async () => {
    folder.write('users.csv', `ID,Username\n${principal},two.a\n${principal},two.b\n`);
    const dry = await folder.run(['import', 'users.csv', ...codes, '--dry-run']);
    expect(dry.stderr).toContain('To invite to choose a password: 2 users.');
    expect(existsSync(folder.path('codes.csv'))).toBe(false);
    const { stdout } = await folder.run(['import', 'users.csv', ...codes, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      UsersRegistered: 2,
      UsersInvited: 2,
      PasswordsNotUsed: 0,
      codesFile: folder.path('codes.csv'),
    });
  });

  it.each([['--update'], []])('does not invite existing users again (%j)', async (...update) => {
    const name = update.length > 0 ? 'three' : 'four';
    const stored = [
      { ...importedUser(`${name}.a`), Email: 'old@example.com' },
      { Username: `${name}.b`, Invite: 'code' },
    ];
    const headers = { prefer: 'return=representation' };
    await service.call('irs/update', [{ ID: principal, Users: stored }], { headers });
    const email = update.length > 0 ? 'new@example.com' : 'old@example.com';
    folder.write(
      'users.csv',
      `ID,Username,Email,PasswordHash\n${principal},${name}.a,${email},\n${principal},${name}.b,,\n${principal},${name}.c,,\n${principal},${name}.d,,"${importedHash}"\n`,
    );
    const args = ['import', 'users.csv', ...update, ...codes];
    const dry = await folder.run([...args, '--dry-run', '--json']);
    const { stdout } = await folder.run([...args, '--json']);
    const counts = { UsersRegistered: 2, UsersInvited: 1, PasswordsNotUsed: 0, failed: 0 };
    expect(JSON.parse(dry.stdout)).toMatchObject(counts);
    expect(JSON.parse(stdout)).toMatchObject(counts);
    expect(rowsOf(folder, 'codes.csv').map(({ Username }) => Username)).toEqual([`${name}.c`]);
  });

  it('invites the users of JSON records', async () => {
    const Users = [{ Username: 'json.a' }, importedUser('json.b')];
    folder.write('users.json', JSON.stringify([{ ID: principal, Users }]));
    const { code } = await folder.run(['import', 'users.json', ...codes]);
    expect(code).toBe(0);
    expect(rowsOf(folder, 'codes.csv').map(({ Username }) => Username)).toEqual(['json.a']);
  });

  it('keeps the codes of completed batches when it resumes, and replaces the others', async () => {
    folder.write('users.csv', `ID,Username\n${[1, 2, 3, 4].map((n) => `${principal},r.${n}\n`).join('')}`);
    const task = taskOf(folder, 'users', service.url, {
      invite: 'code',
      codesPath: folder.path('codes.csv'),
      batches: { ...batchLimits, rows: 2 },
    });
    const stop = new AbortController();
    const stopping = contextOf(service.url, {
      signal: stop.signal,
      onProgress: ({ completed }) => completed.rows >= 2 && stop.abort(new Error('stopped')),
    });
    await expect(runImport(task, stopping, { restart: false })).rejects.toThrow('stopped');
    const [first] = rowsOf(folder, 'codes.csv');
    // The rest of a batch whose result was not saved.
    appendFileSync(folder.path('codes.csv'), '1,,,1,stale,,,,,CODE,,\r\n');
    const result = await runImport(task, contextOf(service.url), { restart: false });
    expect(result).toMatchObject({ rows: 4, failed: 0, hasCodes: true });
    const rows = rowsOf(folder, 'codes.csv');
    expect(rows.map(({ Username }) => Username)).toEqual(['r.1', 'r.2', 'r.3', 'r.4']);
    expect(rows[0]).toEqual(first);
    for (const { Code } of rows) expect(await setPassword(Code)).toBe(200);
  });

  it('refuses options that contradict each other or lose the codes, before it changes anything', async () => {
    folder.write('users.csv', `ID,Username\n${principal},five.a\n`);
    const before = await invitedNow();
    const run = (...options: string[]) => folder.run(['import', 'users.csv', ...options]);
    expectOneLine(await run('--invite', 'code'), /--invite code needs --codes/);
    expectOneLine(await run('--invite', 'email', '--codes', 'codes.csv'), /--codes needs --invite code/);
    expectWrongUsage(
      await run('--invite', 'email', '--generate-passwords', 'passwords.csv'),
      /'--invite <channel>' cannot be used with option '--generate-passwords <file>'/,
    );
    folder.write('codes.csv', 'Code\n');
    expectOneLine(await run(...codes), /codes\.csv already exists/);
    expect(await invitedNow()).toBe(before);
  });
});

describe('anagrafe import --invite email', () => {
  it('fails for rows without an address and for a service without mail, and prints the command to try again', async () => {
    folder.write('users.csv', `ID,Username,Email\n${principal},six.a,a@example.com\n`);
    const { code, stderr } = await folder.run(['import', 'users.csv', '--invite', 'email']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/users\.failed\.csv.* --invite email/);
    expect(folder.read('users.failed.csv')).toMatch(/Invite: .*mail/);
  });
});
