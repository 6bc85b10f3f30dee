import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProcess } from '@anagrafe/testing/command';
import { login } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

const settings = { ANAGRAFE_URL: '' };
let service: TestService;
let folder: string;
let path: string;

beforeAll(async () => {
  service = await startTestService();
  settings.ANAGRAFE_URL = service.url;
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anagrafe-sync-'));
  path = join(folder, 'customers.csv');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const run = (...args: string[]) => inProcess(['sync', path, ...args], settings);
const result = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);
const password = 'una frase lunga';

function write(rows: readonly (readonly string[])[]): void {
  const lines = rows.map((cells) => cells.join(';'));
  writeFileSync(path, ['ExternalKey;Denomination;Username;Email;Password', ...lines, ''].join('\n'));
}

let number = 0;
/** Syncs two new companies, each with `users` users, and returns their rows. */
async function companies(users = 2) {
  number++;
  const rowsOf = (name: string) =>
    Array.from({ length: users }, (_, n) => {
      const username = `${name}${n}.${number}`.toLowerCase();
      return [`${name}-${number}`, `${name} ${number} Srl`, username, `${username}@example.com`, password];
    });
  const [one, other] = [rowsOf('One'), rowsOf('Other')];
  write([...one, ...other]);
  expect(await result('--yes')).toMatchObject({ applied: true, UsersRegistered: 2 * users });
  return { one, other };
}

interface Stored {
  Users: { ID: number; Username: string; Email: string | null; State: string }[];
}

async function usersOf(key: string | undefined): Promise<Record<string, string>> {
  const { body } = await service.call<Stored>('irs/list', { ExternalKey: key });
  return Object.fromEntries(
    (body.result?.records[0]?.Users ?? []).map((user) => [user.Username, user.State]),
  );
}

/** Returns the row in another company. */
const movedTo = (
  [, , ...user]: readonly string[],
  [[key = '', name = ''] = []]: readonly (readonly string[])[],
) => [key, name, ...user];

describe('a sync of a user that is under another principal', () => {
  it('shows the move with both companies, and makes it with the password', async () => {
    const { one, other } = await companies();
    const [first = [], second = []] = one;
    write([second, ...other, movedTo(first, other)]);
    const { stdout, stderr } = await run('--dry-run', '--missing', 'disable');
    const [from, to] = [one[0]?.slice(0, 2).join(' '), other[0]?.slice(0, 2).join(' ')];
    expect(stdout).toBe(`${to}\t${first[2]}\tmove user\t${from}\t${to}\n`);
    expect(stderr).toContain('Users: 0 to register, 0 to change, 1 to move, ');
    expect(await result('--yes', '--missing', 'disable')).toMatchObject({
      applied: true,
      UsersMoved: 1,
      UsersDisabled: 0,
      changes: [{ username: first[2], change: 'move user', from, to }],
    });
    expect(Object.keys(await usersOf(first[0]))).toEqual([second[2]]);
    expect(await usersOf(other[0]?.[0])).toMatchObject({ [first[2] ?? '']: 'active' });
    expect((await login(service, first[2] ?? '', password)).status).toBe(200);
  });

  it('is refused with --yes if it moves most users of a company, like removals', async () => {
    const { one, other } = await companies(25);
    write([...other, ...one.map((row) => movedTo(row, other))]);
    const { code, stderr } = await run('--yes');
    expect(code).toBe(1);
    expect(stderr).toContain(`The file would move 25 of 25 users of the principal ${one[0]?.[0]}.`);
    expect(Object.keys(await usersOf(one[0]?.[0]))).toHaveLength(25);
  });
});

describe('a sync with --partial', () => {
  it('applies a company without the users that have errors, disables its leavers, and lists what was left out', async () => {
    const { one, other } = await companies(3);
    const [first = [], second = []] = one;
    const invalid = first.with(3, 'no address');
    const added = [first[0] ?? '', first[1] ?? '', `new.${number}`, '', ''];
    write([invalid, second.with(3, 'changed@example.com'), added, ...other]);
    expect(await result('--dry-run', '--missing', 'disable')).toMatchObject({
      UsersUpdated: 0,
      UsersDisabled: 0,
    });
    const found = await result('--yes', '--missing', 'disable', '--partial');
    expect(found).toMatchObject({
      applied: true,
      UsersUpdated: 1,
      UsersDisabled: 1,
      failed: [],
      leftOutUsers: [
        { line: 2, message: 'Email: This is not a valid email address.' },
        { line: 4, message: expect.stringMatching(/^Password/) },
      ],
    });
    expect(await usersOf(first[0])).toEqual({
      [first[2] ?? '']: 'active',
      [second[2] ?? '']: 'active',
      [one[2]?.[2] ?? '']: 'disabled',
    });
    const failed = readFileSync(found.failedFile, 'utf8');
    expect(failed).toMatch(/no address/);
    expect(failed.trim().split('\r\n')).toHaveLength(3);
    expect(statSync(found.failedFile).mode & 0o777).toBe(0o600);
    expect((await run('--dry-run', '--partial')).code).toBe(3);
  });

  it('is not needed to list all rows of a company that is left out, in the file to correct', async () => {
    const { one, other } = await companies();
    write([
      (one[0] ?? []).with(3, 'no address'),
      one[1] ?? [],
      (other[0] ?? []).with(3, 'changed@example.com'),
    ]);
    const { failedFile } = await result('--yes');
    const lines = readFileSync(failedFile, 'utf8').trim().split('\r\n').slice(1);
    expect(lines).toEqual([
      expect.stringMatching(/^2;Email: This is not a valid email address\.;/),
      expect.stringMatching(/^3;The principal was left out because another of its rows has an error\.;/),
    ]);
  });

  it('leaves a user in its company that would move with a wrong value', async () => {
    const { one, other } = await companies();
    const [first = [], second = []] = one;
    write([second, ...other, movedTo(first, other).with(3, 'no address')]);
    expect(await result('--yes', '--missing', 'delete', '--partial')).toMatchObject({
      UsersMoved: 0,
      UsersDeleted: 0,
      leftOutUsers: [{ line: 5 }],
    });
    expect(await usersOf(first[0])).toMatchObject({ [first[2] ?? '']: 'active' });
  });
});

describe('a sync with rows to correct', () => {
  it('prints at most 20 of their errors, and a command that imports them with the same options', async () => {
    const { one } = await companies(25);
    write(one.map((row) => row.with(3, 'no address')));
    const { stderr } = await run('--dry-run', '--partial');
    expect(stderr.match(/^ {2}line \d+: /gm)).toHaveLength(20);
    expect(stderr).toContain('  … and 5 more\n');
    write([(one[0] ?? []).with(3, 'no address'), (one[1] ?? []).with(3, 'changed@example.com')]);
    const options = ['--map', 'Denomination=', '--similar', 'allow', '--keep-totals'];
    const applied = await run('--yes', '--partial', ...options);
    expect(applied.stderr).toMatch(
      /import \S+customers\.failed\.csv --map "?Denomination="? --update --similar allow --moves allow --keep-totals\n/,
    );
  });
});

describe('a sync with --generate-passwords', () => {
  it('writes the passwords of new users to a file of their owner, and of no others', async () => {
    const { one } = await companies();
    const [first = []] = one;
    const added = [first[0] ?? '', first[1] ?? '', `generated.${number}`, '', ''];
    write([first.with(4, ''), added]);
    const passwords = join(folder, 'passwords.csv');
    await run('--dry-run', '--generate-passwords', passwords);
    expect(existsSync(passwords)).toBe(false);
    expect(await result('--yes', '--generate-passwords', passwords)).toMatchObject({
      UsersRegistered: 1,
      UsersUpdated: 0,
      passwordsFile: passwords,
    });
    const [, line = '', ...others] = readFileSync(passwords, 'utf8').trim().split('\r\n');
    expect(others).toEqual([]);
    const generated = line.split(';').at(-1) ?? '';
    expect((await login(service, added[2] ?? '', generated)).status).toBe(200);
    expect((await login(service, first[2] ?? '', password)).status).toBe(200);
    expect(statSync(passwords).mode & 0o777).toBe(0o600);
    const again = await run('--yes', '--generate-passwords', passwords);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('already exists and may contain passwords'),
    ]);
  });
});

describe('a sync of a new principal that looks like another one', () => {
  it('leaves it out with both side by side, unless it is accepted', async () => {
    const { one } = await companies();
    const [first = []] = one;
    write([[`${first[0]}`.toLowerCase().replace('-', ''), first[1] ?? '', `alike.${number}`, '', password]]);
    const found = await result('--yes');
    expect(found).toMatchObject({ applied: false, failed: [{ line: 2 }] });
    expect(found.failed[0].message).toContain(`ExternalKey ${first[0]}, Denomination ${first[1]}`);
    expect(await result('--yes', '--similar', 'allow')).toMatchObject({
      applied: true,
      PrincipalsInserted: 1,
    });
  });
});

describe('a sync', () => {
  it('is one run, which the printed command undoes', async () => {
    const { one } = await companies();
    write([(one[0] ?? []).with(1, `Renamed ${number}`)]);
    const { stderr } = await run('--yes');
    const [, id = ''] = /To undo this synchronisation: npx --no -- anagrafe undo (\S+)\n/.exec(stderr) ?? [];
    const undone = await inProcess(['undo', id, '--yes'], settings);
    expect(undone.stdout).toContain(`Renamed ${number}\t${one[0]?.[1]}`);
  });
});
