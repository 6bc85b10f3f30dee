import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anagrafe, expectOneLine, expectWrongUsage, inProcess } from '@anagrafe/testing/command';
import { finished, importedUser, submit } from '@anagrafe/testing/jobs';
import { login } from '@anagrafe/testing/login';
import { answered, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { insertPrincipal, range, representation, unique } from '@anagrafe/testing/records';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { parse } from 'csv-parse/sync';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

const settings = { ANAGRAFE_URL: '' };
let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_PUBLIC_URL: 'https://anagrafe.example.com' });
  settings.ANAGRAFE_URL = service.url;
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anagrafe-invite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const run = (...args: string[]) => inProcess(['invite', ...args], settings);
const inFolder = (name: string) => join(folder, name);
const rowsOf = (name: string): Record<string, string>[] =>
  parse(readFileSync(inFolder(name)), { columns: true, bom: true });
const modeOf = (name: string) => (statSync(inFolder(name)).mode & 0o777).toString(8);
const setPassword = (Code: unknown, Password = 'a new long sentence') =>
  service.call('password/set', { Code, Password, ConfirmPassword: Password });

/** Registers a principal with invited users and returns its external key and their usernames. */
async function invitedCompany(users: number, more: object = {}) {
  const key = unique('C');
  const usernames = range(users).map(() => unique('invited'));
  const Users = usernames.map((Username) => ({ Username, Invite: 'code', ...more }));
  const record = { ExternalKey: key, Denomination: 'Rossi & Figli', Users };
  const answer = await service.call('irs/insert', [record], representation);
  return { id: answer.body.result?.records[0]?.Item1 ?? 0, key, usernames };
}

describe('anagrafe invite', () => {
  it('writes the codes and the sheets of named users to files of their own, and nothing secret elsewhere', async () => {
    const { usernames } = await invitedCompany(2, { FirstName: 'Mario', Language: 'it' });
    const files = ['--codes', inFolder('codes.csv'), '--sheets', inFolder('sheets.html')];
    const brand = { ANAGRAFE_BRAND_NAME: 'Acme', ANAGRAFE_BRAND_COLOR: '#0b7285' };
    const { code, stdout, stderr } = await anagrafe(['invite', ...usernames, ...files], {
      ...settings,
      ...brand,
    });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^2 of 2 users invited\.$/m);
    const rows = rowsOf('codes.csv');
    expect(rows.map(({ Username }) => Username)).toEqual(usernames);
    expect(rows[0]).toMatchObject({ Denomination: 'Rossi & Figli', FirstName: 'Mario', Language: 'it' });
    const html = readFileSync(inFolder('sheets.html'), 'utf8');
    expect(html).toContain('--brand: #0b7285');
    expect(html).toContain('<header>Acme</header>');
    for (const { Code = '', URL = '' } of rows) {
      expect(html).toContain(`>${Code}<`);
      expect(stderr).not.toContain(Code);
      expect(URL).toBe(`https://anagrafe.example.com/account/set-password#${Code}`);
    }
    expect([modeOf('codes.csv'), modeOf('sheets.html')]).toEqual(['600', '600']);
    expect(readdirSync(folder).sort()).toEqual(['codes.csv', 'sheets.html']);
    expect((await setPassword(rows[0]?.Code)).status).toBe(200);
    expect((await login(service, usernames[0] ?? '', 'a new long sentence')).status).toBe(200);
  });

  it('leaves the password of a user valid until the user sets another', async () => {
    const key = unique('C');
    const username = unique('user');
    await service.call('irs/insert', [
      { ExternalKey: key, Denomination: 'x', Users: [importedUser(username)] },
    ]);
    const before = (await login(service, username)).status;
    expect((await run(username, '--codes', inFolder('codes.csv'))).code).toBe(0);
    expect([before, (await login(service, username)).status]).toEqual([200, 200]);
  });

  it('invites the users of a principal again that have not set a password, and ends their earlier codes', async () => {
    const { key, usernames } = await invitedCompany(3);
    await run('--principal', key, '--codes', inFolder('first.csv'));
    const [one, two] = rowsOf('first.csv');
    await setPassword(one?.Code);
    const { stderr } = await run('--principal', key, '--codes', inFolder('second.csv'));
    expect(stderr).toContain('2 of 2 users invited.');
    expect(stderr).toContain('Earlier codes of these users have ended.');
    expect(rowsOf('second.csv').map(({ Username }) => Username)).toEqual(usernames.slice(1));
    expect((await setPassword(two?.Code)).body.errorCode).toBe('CODE_INVALID');
  });

  it('selects all users without a password with --resend, and changes nothing in a dry run', async () => {
    const { usernames } = await invitedCompany(2);
    const digests = () =>
      service.database.query('select digest from anagrafe.password_codes order by digest');
    const before = await digests();
    const { stdout } = await run('--resend', '--dry-run', '--json');
    const listed = await service.call('irs/users', { State: 'invited' });
    const selected = listed.body.result?.totalCount;
    expect(JSON.parse(stdout)).toMatchObject({ dryRun: true, selected, invited: selected, jobs: [] });
    expect(await digests()).toEqual(before);
    const { stderr } = await run('--resend', '--codes', inFolder('codes.csv'));
    expect(stderr).toContain(`${selected} of ${selected} users invited.`);
    const rows = rowsOf('codes.csv').map(({ Username }) => Username);
    expect(rows).toEqual(expect.arrayContaining(usernames));
  });

  it('invites the users of a file, and reports the lines whose users cannot be invited', async () => {
    const { id, usernames } = await invitedCompany(3);
    const users = [{ Username: usernames[2], State: 'disabled' }];
    await service.call('irs/state', [{ ID: id, Users: users }]);
    const lines = ['Nome utente;Reparto', ...usernames.map((name) => `${name};A`), 'no.such.user;B', ';C'];
    writeFileSync(inFolder('users.csv'), lines.join('\n'));
    const { code, stderr } = await run('--file', inFolder('users.csv'), '--sheets', inFolder('sheets.html'));
    expect(code).toBe(3);
    expect(stderr).toMatch(/^2 of 5 users invited\.$/m);
    expect(stderr).toContain('  Line 5: There is no user with the username no.such.user.');
    expect(stderr).toContain('  Line 6: has no username.');
    expect(stderr).toMatch(new RegExp(`^ {2}${usernames[2]}: .*disabled`, 'm'));
    expect(readFileSync(inFolder('sheets.html'), 'utf8').split('<section').length - 1).toBe(2);
  });

  it('issues the codes of a job that has invited users', async () => {
    const job = await submit(service, 'irs/insert', [
      { Denomination: 'Jobs Srl', Users: range(2).map(() => ({ Username: unique('j'), Invite: 'code' })) },
    ]);
    await finished(service, job);
    await run('--job', job, '--codes', inFolder('first.csv'));
    await setPassword(rowsOf('first.csv')[0]?.Code);
    const { code, stderr } = await run('--job', job, '--codes', inFolder('second.csv'));
    expect(code).toBe(0);
    expect(stderr).toContain('1 of 2 users invited.\n  No code for 1 user: a password was set since.');
    expect(rowsOf('second.csv')).toHaveLength(1);
  });

  it('writes no file if no user gets a code', async () => {
    const { key } = await invitedCompany(1);
    await run('--principal', key, '--codes', inFolder('codes.csv'));
    await setPassword(rowsOf('codes.csv')[0]?.Code);
    const { code, stderr } = await run('--principal', key, '--sheets', inFolder('sheets.html'));
    expect([code, stderr]).toEqual([0, 'No user was selected.\n']);
    expect(readdirSync(folder)).toEqual(['codes.csv']);
  });

  it('does not replace a file, and issues no code if a file cannot be written', async () => {
    const { usernames, id } = await invitedCompany(1);
    const [name = ''] = usernames;
    writeFileSync(inFolder('codes.csv'), 'Code\nABCD\n');
    const taken = await run(name, '--codes', inFolder('codes.csv'));
    expectOneLine(taken, /codes\.csv already exists and may contain passwords/);
    expectOneLine(await run(name, '--sheets', join(folder, 'none', 'x.html')), /file not found/);
    const rows = await service.database.query(
      `select from anagrafe.audit_log where principal_id = $1 and action = 'invite'`,
      [id],
    );
    expect(rows).toEqual([]);
    expect(readdirSync(folder)).toEqual(['codes.csv']);
  });

  it('reports users without an email address when it sends mail', async () => {
    const { usernames } = await invitedCompany(1);
    const { code, stderr } = await run(...usernames, '--email');
    expect([code, stderr]).toEqual([
      3,
      `0 of 1 user invited.\n  ${usernames[0]}: The user has no email address.\n`,
    ]);
  });

  it('sends mails again to the users whose mail has failed, as slowly as asked', async () => {
    const server = await startMailServer({
      onRecipient: (address) => (address.startsWith('lost') ? answered(550, '5.1.1 no such user') : null),
    });
    const mailing = await startTestService(mailSettingsOf(server));
    const Users = ['lost.one', 'found.one'].map((Username) => {
      return { Username, Email: `${Username}@example.com`, Invite: 'email' };
    });
    const { id, userIds } = await insertPrincipal(mailing, { Users });
    const mails = () =>
      mailing.database.query(
        'select user_id as "user", state, next_at = $1 as waits from anagrafe.mails order by user_id',
        ['infinity'],
      );
    const [lost, found] = userIds;
    const sent = { user: found, state: 'sent' };
    await until(async () => (await mails()).every(({ state }) => state !== 'pending'));
    expect(await mails()).toMatchObject([{ user: lost, state: 'failed' }, sent]);
    const corrected = [{ ID: lost, Operation: 'edit', Email: 'corrected@example.com' }];
    await mailing.call('irs/update', [{ ID: id, Users: corrected }]);
    const resend = ['invite', '--resend', '--email', '--state', 'failed', '--per-minute', '1'];
    const { stderr } = await inProcess(resend, { ANAGRAFE_URL: mailing.url });
    expect(stderr).toContain('1 of 1 user invited.');
    expect(await mails()).toMatchObject([{ user: lost, state: 'pending', waits: true }, sent]);
    await mailing.database.query(`update anagrafe.mail_waves set released_at = now() - interval '1 hour'`);
    await until(() => server.to('corrected@example.com').length === 1);
  });

  it('refuses several selections, none, and no way to hand out the codes', async () => {
    const ways = /select the users in one way/;
    expectWrongUsage(await run('--codes', 'x.csv'), ways);
    expectWrongUsage(await run('mario', '--resend', '--codes', 'x.csv'), ways);
    expectWrongUsage(await run('mario'), /choose how the users get their codes/);
    expectWrongUsage(await run('mario', '--email', '--codes', 'x.csv'), /cannot be used with/);
    expectWrongUsage(await run('mario', '--email', '--state', 'failed'), /--state needs --resend/);
    expectWrongUsage(
      await run('--resend', '--codes', 'x.csv', '--per-minute', '1'),
      /--per-minute needs --email/,
    );
    expectOneLine(await run('no.such.user', '--email'), /There is no user with the ID, username or email/);
  });
});
