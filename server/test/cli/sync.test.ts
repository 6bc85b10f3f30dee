import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProcess, onTerminal } from '@anagrafe/testing/command';
import { login } from '@anagrafe/testing/login';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { proxyOf } from './proxy.ts';

const settings = { ANAGRAFE_URL: '' };
let service: TestService;
let path: string;

beforeAll(async () => {
  service = await startTestService();
  settings.ANAGRAFE_URL = service.url;
});

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-sync-'));
  path = join(folder, 'customers.csv');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const head = 'ExternalKey;Denomination;Username;Email;Password';
function write(rows: readonly string[], columns = head): void {
  writeFileSync(path, [columns, ...rows, ''].join('\n'));
}

// Its companies have the same name. Look-alikes have tests of their own.
const run = (...args: string[]) => inProcess(['sync', path, '--similar', 'allow', ...args], settings);

interface Result {
  readonly changes: readonly {
    username: string | null;
    change: string;
    from: string | null;
    to: string | null;
  }[];
  readonly failed: readonly { line: number; message: string }[];
  readonly applied: boolean;
  readonly [count: string]: unknown;
}
const result = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout) as Result;

let number = 0;
/** Imports a company with the users `a` and `b` by a sync, and returns its rows. */
async function company() {
  const key = `S-${++number}`;
  const [a, b] = [`a.${number}`, `b.${number}`];
  const rows = [
    `${key};Rossi Srl;${a};a@example.com;una frase lunga`,
    `${key};Rossi Srl;${b};b@example.com;una frase lunga`,
  ];
  write(rows);
  expect(await result('--yes')).toMatchObject({ applied: true, PrincipalsInserted: 1, UsersRegistered: 2 });
  return { key, a, b, rows };
}

async function stored(key: string) {
  const { body } = await service.call<{
    ID: number;
    Denomination: string;
    Email: string | null;
    UpdatedAt: string;
    Users: { Username: string; Email: string | null; State: string }[];
  }>('irs/list', { ExternalKey: key });
  return body.result?.records[0];
}

describe('sync', () => {
  it('creates principals with their users, who can sign in, and changes nothing the second time', async () => {
    const { key, a } = await company();
    expect((await login(service, a, 'una frase lunga')).status).toBe(200);
    const before = await stored(key);
    const { code, stdout, stderr } = await run('--yes');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      / {2}Principals: 0 to create, 0 to change, 1 unchanged\.\n {2}Users: 0 to register, 0 to change, 2 unchanged\.\nNothing to change\.\n$/,
    );
    expect(await stored(key)).toEqual(before);
  });

  it('shows each change with the old and the new value, and applies nothing in a dry run', async () => {
    const { key, a, b } = await company();
    write([`${key};Rossi Spa;${a};new@example.com;`, `${key};Rossi Spa;new.${number};;una frase lunga`]);
    const { code, stdout, stderr } = await run('--dry-run', '--missing', 'disable');
    expect(code).toBe(0);
    expect(stdout.replace(/\n$/, '').split('\n')).toEqual([
      `${key} Rossi Spa\t\tDenomination\tRossi Srl\tRossi Spa`,
      `${key} Rossi Spa\t${a}\tEmail\ta@example.com\tnew@example.com`,
      `${key} Rossi Spa\tnew.${number}\tregister user\t\t`,
      `${key} Rossi Spa\t${b}\tdisable user\t\t`,
    ]);
    expect(stderr).toContain('  Principals: 0 to create, 1 to change, 0 unchanged.\n');
    expect(stderr).toContain('  Users: 1 to register, 1 to change, 1 to disable, 0 unchanged.\n');
    expect(stderr).toContain('Nothing was changed.');
    expect(await stored(key)).toMatchObject({ Denomination: 'Rossi Srl' });
  });

  it.each([
    ['keep', ['active', 'active']],
    ['disable', ['active', 'disabled']],
    ['delete', ['active']],
  ])('treats users that the file does not have as --missing %s says', async (missing, states) => {
    const { key, rows } = await company();
    write(rows.slice(0, 1));
    expect(await result('--yes', '--missing', missing)).toMatchObject({ applied: missing !== 'keep' });
    expect((await stored(key))?.Users.map(({ State }) => State)).toEqual(states);
  });

  it('removes no users of a record that states none, whatever --missing says', async () => {
    const { key } = await company();
    path = path.replace(/csv$/, 'ndjson');
    writeFileSync(path, `${JSON.stringify({ ExternalKey: key, Denomination: 'Verdi Srl', Users: null })}\n`);
    expect(await result('--yes', '--missing', 'delete')).toMatchObject({ applied: true, UsersDeleted: 0 });
    expect(await stored(key)).toMatchObject({ Denomination: 'Verdi Srl', Users: [{}, {}] });
    writeFileSync(path, `${JSON.stringify({ ExternalKey: key, Users: [] })}\n`);
    expect(await result('--yes', '--missing', 'delete')).toMatchObject({ applied: true, UsersDeleted: 2 });
  });

  it('joins several records of one principal, so that no user of the file counts as missing', async () => {
    const { key, a, b } = await company();
    path = path.replace(/csv$/, 'ndjson');
    const record = (Username: string) => JSON.stringify({ ExternalKey: key, Users: [{ Username }] });
    writeFileSync(path, `${record(a)}\n${record(b)}\n`);
    expect(await result('--yes', '--missing', 'delete')).toMatchObject({
      applied: false,
      PrincipalsUnchanged: 1,
    });
  });

  it('leaves the field of an empty cell, or clears it with --clear-empty', async () => {
    const { key, a } = await company();
    write([`${key};;${a};;`]);
    expect(await result('--yes')).toMatchObject({ applied: false, PrincipalsUnchanged: 1 });
    const cleared = await result('--yes', '--clear-empty');
    expect(cleared.changes).toEqual([
      expect.objectContaining({ username: null, change: 'Denomination', from: 'Rossi Srl', to: null }),
      expect.objectContaining({ username: a, change: 'Email', from: 'a@example.com', to: null }),
    ]);
    expect(await stored(key)).toMatchObject({ Denomination: null });
  });

  it('refuses an empty cell with --clear-empty if another row of the principal has a value', async () => {
    const { key, a, b } = await company();
    write([`${key};Verdi Srl;${a};;`, `${key};;${b};;`]);
    const { code, stderr } = await run('--yes', '--clear-empty');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /line 3: Denomination: The cell is empty and would clear the field, but line 2 has/,
    );
    expect(await stored(key)).toMatchObject({ Denomination: 'Rossi Srl' });
  });

  it('groups rows of a principal that are apart, and never splits it', async () => {
    const key = `S-${++number}`;
    write([
      `${key};Rossi Srl;apart.1;;una frase lunga`,
      `${key}-other;Bianchi Srl;apart.2;;una frase lunga`,
      `${key};;apart.3;;una frase lunga`,
    ]);
    expect(await result('--yes', '--missing', 'delete')).toMatchObject({
      PrincipalsInserted: 2,
      UsersDeleted: 0,
    });
    expect((await stored(key))?.Users.map(({ Username }) => Username)).toEqual(['apart.1', 'apart.3']);
  });

  it.each([
    [
      'another company name',
      (key: string) => `${key};Verdi Srl;c;;x`,
      /line 3: Denomination: "Verdi Srl" contradicts line 2, which has "Rossi Srl"/,
    ],
    [
      'the same username',
      (key: string) => `${key};;A.SAME;;x`,
      /line 3: Username: An earlier row has the same username\./,
    ],
    ['no principal', () => ';Rossi Srl;d;;x', /line 3: The row has neither the ExternalKey nor the ID/],
    ['no username', (key: string) => `${key};;;e@example.com;x`, /line 3: /],
  ])('refuses a file with a row that has %s, and changes nothing', async (_, row, message) => {
    const key = `S-${++number}`;
    write([`${key};Rossi Srl;a.same;;una frase lunga`, row(key)]);
    const { code, stdout, stderr } = await run('--yes', '--missing', 'delete');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/1 row of .* cannot be used\. Nothing was changed\./);
    expect(await stored(key)).toBeUndefined();
  });

  it('reports the errors of the file and those of the service in one run, by line', async () => {
    const { key, a } = await company();
    write([
      `${key};Rossi Spa;${a};not an address;`,
      `${key};Verdi Srl;contradicting.${number};;una frase lunga`,
      `${key}-new;Bianchi Srl;without.password.${number};;`,
    ]);
    const { code, stdout, stderr } = await run('--yes', '--missing', 'delete');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      / line 2: Email: .*\n {2}line 3: Denomination: "Verdi Srl" contra.*\n {2}line 4: Pass/,
    );
    expect(stderr).toMatch(/\nanagrafe: 3 rows of .* cannot be used\. Nothing was changed\./);
    expect(await stored(key)).toMatchObject({ Denomination: 'Rossi Srl', Users: [{}, {}] });
  });

  it('prints how columns are read and what looks wrong in values before the changes, as an import does', async () => {
    const { key, a, b } = await company();
    write(
      [`${key};Rossi Srl ;743110157;ABC;${a};02 1`, `${key};Rossi Srl;743110157;ABC;${b};`],
      'Codice cliente;Ragione sociale;Vatnumber;Taxcode;Nome utente;Telefonno',
    );
    const { code, stderr } = await run('--dry-run');
    expect(code).toBe(0);
    expect(stderr.split('\n').slice(0, 9)).toEqual([
      `Comparing ${path} (CSV) with ${service.url}`,
      '  Column "Codice cliente" maps to ExternalKey',
      '  Column "Ragione sociale" maps to Denomination',
      '  Column "Nome utente" maps to Username',
      '  Column "Telefonno" is not used (numbers in 1 row). To use it: --map "Telefonno=<field>"',
      '  Ragione sociale: spaces before or after the value are removed in 1 row (line 2)',
      '  Vatnumber: zeros at the beginning of the number seem to be lost in 2 rows (lines 2, 3)',
      '  Taxcode: not a valid Italian tax code in 2 rows (lines 2, 3)',
      '2 rows, 1 principal',
    ]);
    expect(await result('--dry-run')).toMatchObject({
      warnings: [{ code: 'TRIMMED' }, { code: 'LEADING_ZEROS_LOST' }, { code: 'TAXCODE_INVALID' }],
      unusedColumns: [{ name: 'Telefonno', content: 'numbers', values: 1 }],
    });
  });

  it('refuses a file with a number that a spreadsheet program has damaged', async () => {
    const { key, a } = await company();
    write([`${key};1,23457E+10;${a}`], 'ExternalKey;Vatnumber;Username');
    const { code, stderr } = await run('--yes');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/line 2: "Vatnumber" was changed by a spread/)]);
  });

  it('keeps a disabled user of the file disabled, unless the file has its State', async () => {
    const { key, a, b, rows } = await company();
    write(rows.slice(0, 1));
    expect(await result('--yes', '--missing', 'disable')).toMatchObject({ UsersDisabled: 1 });
    write(rows);
    expect(await result('--yes')).toMatchObject({
      applied: false,
      PrincipalsUnchanged: 1,
      disabledUsers: [b],
    });
    expect((await run('--dry-run')).stderr).toContain(
      `1 user of the file is disabled and stays disabled (${b}). To enable it, add a column State with the value active.\n`,
    );
    write([`${key};${a};active`, `${key};${b};active`], 'ExternalKey;Username;State');
    expect((await result('--yes')).changes).toEqual([
      expect.objectContaining({ username: b, change: 'State', from: 'disabled', to: 'active' }),
    ]);
  });

  it('reports records with errors, applies the others, and ends with the exit code 3', async () => {
    const { key, a } = await company();
    write([
      `${key};Rossi Spa;${a};;`,
      `${key}-bad;Bianchi Srl;with.password;;una frase lunga`,
      `${key}-bad;Bianchi Srl;no.password;;`,
    ]);
    const outcome = await run('--yes');
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toMatch(/line 4: Password or PasswordHash is missing\./);
    expect(outcome.stderr).not.toContain('line 3: ');
    expect(outcome.stderr).toContain(
      '1 principal has errors and is left out with all of its users (lines 3, 4).',
    );
    expect(await stored(key)).toMatchObject({ Denomination: 'Rossi Spa' });
    expect(await stored(`${key}-bad`)).toBeUndefined();
  });

  it('asks on a terminal, and needs --yes elsewhere', async () => {
    const { key, a } = await company();
    write([`${key};Rossi Spa;${a};;`]);
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Apply these changes? There is no terminal to answer. Use --yes'),
    ]);
    const declined = await onTerminal(['sync', path], settings, 120, ['n']);
    expect(declined.screen).toMatch(/Denomination +Rossi Srl +Rossi Spa/);
    expect(declined.screen).toContain('Nothing was changed.');
    expect(await stored(key)).toMatchObject({ Denomination: 'Rossi Srl' });
    const applied = await onTerminal(['sync', path], settings, 120, ['y']);
    expect(applied.screen).toContain('Applied.');
    expect(await stored(key)).toMatchObject({ Denomination: 'Rossi Spa' });
  });

  it('applies nothing if the data has changed since the changes were shown', async () => {
    const { key, a, b } = await company();
    write([`${key};Rossi Spa;${a};;`]);
    const id = (await stored(key))?.ID ?? 0;
    const { screen, code } = await onTerminal(['sync', path, '--missing', 'delete'], settings, 120, [
      async () => {
        const Users = [{ Operation: 'edit', Username: b, Email: 'meanwhile@example.com' }];
        await service.call('irs/update', [{ ID: id, Users }]);
        return 'y';
      },
    ]);
    expect([code, screen]).toEqual([1, expect.stringMatching(/The data has changed.*Nothing was applied/)]);
    expect(await stored(key)).toMatchObject({
      Denomination: 'Rossi Srl',
      Users: [{}, { Email: 'meanwhile@example.com' }],
    });
  });

  it('applies what it has printed with --yes too, and nothing if the data has changed since', async () => {
    const { key, a, b } = await company();
    write([`${key};Rossi Spa;${a};;`]);
    const id = (await stored(key))?.ID ?? 0;
    const Users = [{ Operation: 'edit', Username: b, Email: 'meanwhile@example.com' }];
    const url = await proxyOf(service.url, async ({ method, url = '' }) => {
      if (method === 'POST' && url.includes('irs/upsert') && !url.includes('dryRun'))
        await service.call('irs/update', [{ ID: id, Users }]);
    });
    const { code, stdout, stderr } = await inProcess(['sync', path, '--missing', 'delete', '--yes'], {
      ANAGRAFE_URL: url,
    });
    expect(stdout).toContain(`${b}\tdelete user`);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/The data has changed.*Nothing was applied/)]);
    expect((await stored(key))?.Users).toHaveLength(2);
  });

  it('leaves no generated passwords of users that do not exist, if the data has changed since', async () => {
    const { key, a } = await company();
    write([`${key};Rossi Spa;${a};;`, `${key};Rossi Spa;generated.${number};;`]);
    const id = (await stored(key))?.ID ?? 0;
    const url = await proxyOf(service.url, async ({ method, url = '' }) => {
      if (method === 'POST' && url.includes('irs/upsert') && !url.includes('dryRun'))
        await service.call('irs/update', [{ ID: id, Vatnumber: 'IT1' }]);
    });
    const passwords = `${path}.passwords.csv`;
    const args = ['sync', path, '--yes', '--generate-passwords', passwords];
    const { code, stderr } = await inProcess(args, { ANAGRAFE_URL: url });
    expect([code, stderr]).toEqual([1, expect.stringContaining('No generated password is in use.')]);
    expect(existsSync(passwords)).toBe(false);
    expect((await inProcess(args, settings)).code).toBe(0);
    expect(existsSync(passwords)).toBe(true);
  });

  it('refuses to remove many users with --yes, and removes them after a confirmation', async () => {
    const key = `S-${++number}`;
    const rows = Array.from(
      { length: 30 },
      (_, n) => `${key};Rossi Srl;many.${number}.${n};;una frase lunga`,
    );
    write(rows);
    expect(await result('--yes')).toMatchObject({ UsersRegistered: 30 });
    write(rows.slice(0, 5));
    const refused = await run('--yes', '--missing', 'delete');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/25 of 30 users.*Nothing was applied\. Run the command without --yes/),
    ]);
    expect((await stored(key))?.Users).toHaveLength(30);
    // The limit is a setting of the command: 25 of 30 are 83 percent.
    const limit = (percent: string) =>
      inProcess(['sync', path, '--missing', 'disable', '--yes'], {
        ...settings,
        ANAGRAFE_MAX_REMOVALS: percent,
      });
    expect((await limit('83')).code).toBe(1);
    expect((await limit('84')).code).toBe(0);
    expect((await stored(key))?.Users.filter(({ State }) => State === 'disabled')).toHaveLength(25);
    const confirmed = await onTerminal(['sync', path, '--missing', 'delete'], settings, 120, ['yes']);
    expect(confirmed.screen).toContain('Applied.');
    expect((await stored(key))?.Users).toHaveLength(5);
  });

  it('refuses a file whose ID and ExternalKey belong to different principals', async () => {
    const [one, other] = [await company(), await company()];
    const [first, second] = [await stored(one.key), await stored(other.key)];
    const columns = 'ID;ExternalKey;Denomination;Username';
    write([`${first?.ID};${one.key};Uno Srl;${one.a}`], columns);
    expect(await result('--yes')).toMatchObject({ applied: true, PrincipalsUpdated: 1 });
    // Also if the row would change nothing.
    for (const name of ['Due Srl', 'Uno Srl']) {
      write([`${second?.ID};${one.key};${name};${one.a}`], columns);
      const { code, stderr } = await run('--yes');
      expect(code).toBe(1);
      expect(stderr).toContain(
        `  line 2: The ID is ${second?.ID}, but principal ${first?.ID} has the ExternalKey ${one.key}. Correct one of them, or remove the column ID.\nanagrafe: 1 row of`,
      );
    }
    expect(await stored(one.key)).toMatchObject({ Denomination: 'Uno Srl' });
  });

  it('combines the rows that name a principal by its ExternalKey, by its ID and by the key of a merged one', async () => {
    const { key, a, b } = await company();
    const merged = await company();
    const id = (await stored(key))?.ID;
    await service.call('irs/merge', [{ ID: id, From: { ExternalKey: merged.key } }]);
    write([`;${key};${a}`, `${id};;${b}`, `;${merged.key};${merged.a}`], 'ID;ExternalKey;Username');
    const { code, stdout } = await run('--yes', '--missing', 'delete', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ failed: [], UsersDeleted: 1, UsersMoved: 0 }),
    ]);
    const users = (await stored(key))?.Users as unknown as readonly { Username: string }[];
    expect(users.map(({ Username }) => Username).sort()).toEqual([a, b, merged.a].sort());
  });

  it('refuses a file whose ID and whose key of a merged principal are of two principals', async () => {
    const one = await company();
    const merged = await company();
    const other = await company();
    await service.call('irs/merge', [{ ExternalKey: one.key, From: { ExternalKey: merged.key } }]);
    const id = (await stored(other.key))?.ID;
    write([`;${one.key};${one.a}`, `${id};${merged.key};${merged.a}`], 'ID;ExternalKey;Username');
    const { code, stderr } = await run('--yes', '--missing', 'delete');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`  line 3: The ID is ${id}, but principal`)]);
    expect((await stored(one.key))?.Users).toHaveLength(4);
  });
});

describe('principals that the file does not have', () => {
  it('are listed, and disabled on request within the limit of removals', async () => {
    const own = await startTestService();
    const runOwn = (...args: string[]) =>
      inProcess(['sync', path, '--yes', ...args], { ANAGRAFE_URL: own.url });
    const stateOf = async (ExternalKey: string) =>
      (await own.call<{ State: string }>('irs/list', { ExternalKey })).body.result?.records[0]?.State;
    const rows = Array.from({ length: 25 }, (_, n) => `gone-${n};Gone ${n};gone.${n};;una frase lunga`);
    write(rows);
    expect((await runOwn()).code).toBe(0);
    // A principal without an external key was never in such a file.
    await own.call('irs/insert', [{ Denomination: 'By hand' }]);

    write(rows.slice(0, 24));
    const report = await runOwn();
    expect(report.stderr).toContain(
      '1 principal of the service is not in the file and stays active (gone-24 Gone 24). To disable: --missing-principals disable',
    );
    expect(await stateOf('gone-24')).toBe('active');
    expect((await runOwn('--missing-principals', 'disable')).code).toBe(0);
    expect(await stateOf('gone-24')).toBe('disabled');
    expect(await stateOf('gone-0')).toBe('active');

    write(rows.slice(0, 2));
    const refused = await runOwn('--missing-principals', 'disable');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('at most 20 are allowed')]);
    expect(await stateOf('gone-23')).toBe('active');
  });
});
