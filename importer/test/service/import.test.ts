import { existsSync, statSync } from 'node:fs';
import { expectOneLine, expectWrongUsage } from '@anagrafe/testing/command';
import {
  canSignIn,
  importRowsOf,
  newWorkFolder,
  rowsOf,
  storedUsernames,
  type WorkFolder,
} from '@anagrafe/testing/importing';
import { importedHash, importedUser } from '@anagrafe/testing/jobs';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let principal: number;
let folder: WorkFolder;

beforeAll(async () => {
  service = await startTestService();
  [principal = 0] = await insertPrincipals(service, 1);
  await service.call('irs/update', [{ ID: principal, Users: [importedUser('taken')] }]);
  folder = newWorkFolder(service);
});

/** Encodes a text as Excel in Italy does. */
const windows1252 = (text: string) => Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);

describe('anagrafe import', () => {
  it('imports a CSV file from Excel in Italy, writes the failed rows to a file, and imports that file once it is corrected', async () => {
    folder.write(
      'clienti.csv',
      windows1252(
        [
          'Codice cliente;Ragione sociale;Nome utente;E-mail;Password;Note',
          'C1;"Caffè ""Città""";nicolò;nicolo@example.com;una frase è lunga;"sì\r\ne no"',
          'C1;;perché;;corta;=1+1',
          'C2;"Società\r\nPiù";più;;una frase lunga;"una; due"',
          'C9;;nessuno;;una frase lunga;',
          '',
        ].join('\r\n'),
      ),
    );
    const { code, stdout, stderr } = await folder.run(['import', 'clienti.csv']);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('Column "Nome utente" maps to Username');
    expect(stderr).toContain('Unused columns: "Note"');
    expect(stderr).toContain('1 of 4 rows applied.');
    expect(await canSignIn(service, 'nicolò', 'una frase è lunga')).toBe(true);
    const { body } = await service.call<{ Denomination: string }>('irs/list', { ExternalKey: 'C1' });
    expect(body.result?.records[0]?.Denomination).toBe('Caffè "Città"');

    const failed = folder.read('clienti.failed.csv');
    expect(failed).toContain('Password: The password must have at least 8 characters.');
    expect(failed).toContain("'=1+1");
    expect(failed).toContain('Ragione sociale: ');
    expect(failed).toContain('Codice cliente: There is no principal with this ExternalKey.');
    expect((await importRowsOf(folder, 'clienti.failed.csv')).map((row) => row.source)).toEqual([
      ['C1', '', 'perché', '', 'corta', '=1+1'],
      ['C2', 'Società\r\nPiù', 'più', '', 'una frase lunga', 'una; due'],
      ['C9', '', 'nessuno', '', 'una frase lunga', ''],
    ]);
    expect(statSync(folder.path('clienti.failed.csv')).mode & 0o777).toBe(0o600);
    expect(existsSync(folder.path('clienti.csv.progress'))).toBe(false);

    const corrected = folder
      .read('clienti.failed.csv')
      .replace('corta', 'una frase più lunga')
      .replace('Società\r\nPiù', 'Società Più')
      .replace('C9;;nessuno', 'C9;Nuova;nessuno');
    folder.write('clienti.failed.csv', corrected);
    const again = await folder.run(['import', 'clienti.failed.csv']);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('3 of 3 rows applied.')]);
    const own = ['nicolò', 'perché', 'più', 'nessuno'];
    expect((await storedUsernames(service)).filter((name) => own.includes(name)).sort()).toEqual(own.sort());
    expect(existsSync(folder.path('clienti.failed.failed.csv'))).toBe(false);
  });

  it('stores nothing with --dry-run, and reports the rows that would fail', async () => {
    const before = await storedUsernames(service);
    folder.write(
      'prova.csv',
      'ID,ExternalKey,Denomination,Username,Password,Email\n' +
        `${principal},,,tried,una frase lunga,\n,N1,New,first,una frase lunga,\n,N1,,second,corta,\n` +
        `,,Alone,third,una frase lunga,\n${principal},,,taken,una frase lunga,new@example.com\n,N2,,nobody,una frase lunga,\n`,
    );
    const { code, stdout } = await folder.run(['import', 'prova.csv', '--dry-run', '--json']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ dryRun: true, rows: 6, failed: 3 });
    expect(
      rowsOf(folder, 'prova.would-fail.csv').map((row) => [row['Anagrafe line'], row['Anagrafe errors']]),
    ).toEqual([
      ['4', 'Password: The password must have at least 8 characters.'],
      ['6', expect.stringMatching(/^Username: .*username/)],
      ['7', 'ExternalKey: There is no principal with this ExternalKey.'],
    ]);
    expect(await storedUsernames(service)).toEqual(before);
    expect((await service.call('irs/list', { ExternalKey: 'N1' })).body.result?.totalCount).toBe(0);
    expect(existsSync(folder.path('prova.csv.progress'))).toBe(false);
  });

  it('takes the principals and usernames of earlier rows into account in a dry run of thousands of rows', async () => {
    const before = await storedUsernames(service);
    const rows = Array.from({ length: 4000 }, (_, n) => `,FAR,,far.${n},"${importedHash}"`);
    folder.write(
      'far.csv',
      'ID,ExternalKey,Denomination,Username,PasswordHash\n' +
        `,FAR,Far Srl,far.first,"${importedHash}"\n${rows.join('\n')}\n,FAR,,FAR.First,"${importedHash}"\n`,
    );
    const { stdout } = await folder.run(['import', 'far.csv', '--dry-run', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 4002, failed: 1 });
    expect(
      rowsOf(folder, 'far.would-fail.csv').map((row) => [row['Anagrafe line'], row['Anagrafe errors']]),
    ).toEqual([['4003', 'Username: An earlier row has the same username.']]);
    expect(await storedUsernames(service)).toEqual(before);
  });

  it('names an earlier row with the same username in the reasons of a run and of a dry run', async () => {
    folder.write(
      'doppio.csv',
      `ID,Username,Password\n${principal},doppio,una frase lunga\n${principal},DOPPIO,una frase lunga\n`,
    );
    const reason = [['3', 'Username: An earlier row has the same username.']];
    const reasons = (name: string) =>
      rowsOf(folder, name).map((row) => [row['Anagrafe line'], row['Anagrafe errors']]);
    expect((await folder.run(['import', 'doppio.csv', '--dry-run'])).code).toBe(3);
    expect(reasons('doppio.would-fail.csv')).toEqual(reason);
    expect((await folder.run(['import', 'doppio.csv'])).code).toBe(3);
    expect(reasons('doppio.failed.csv')).toEqual(reason);
  });

  it('finds the same username in insert and update rows in a dry run', async () => {
    folder.write(
      'twins.csv',
      'ID,ExternalKey,Denomination,Username,Password\n' +
        `,,Alone,gemello,una frase lunga\n${principal},,,Gemello,una frase lunga\n,T1,New,gemello,una frase lunga\n`,
    );
    const { stdout } = await folder.run(['import', 'twins.csv', '--dry-run', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 3, failed: 2 });
    expect(rowsOf(folder, 'twins.would-fail.csv').map((row) => row['Anagrafe line'])).toEqual(['3', '4']);
  });

  it('generates missing passwords and writes them to a file that only its owner can read', async () => {
    folder.write(
      'senza.csv',
      'Username,Password,Email\nsenza.uno,,\nsenza.due,una frase lunga,\ntaken,,new@example.com\n',
    );
    const args = [
      'import',
      'senza.csv',
      '--principal',
      String(principal),
      '--generate-passwords',
      'passwords.csv',
    ];
    expect((await folder.run(args)).code).toBe(3);
    const rows = rowsOf(folder, 'passwords.csv');
    // The file leaves out rows with a password of their own and rows that failed.
    expect(rows.map(({ Username, Line }) => [Line, Username])).toEqual([['2', 'senza.uno']]);
    for (const { Username = '', Password = '' } of rows)
      expect(await canSignIn(service, Username, Password)).toBe(true);
    expect(rows[0]?.Password).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/);
    expect(statSync(folder.path('passwords.csv')).mode & 0o777).toBe(0o600);
    folder.write('altri.csv', 'Username\nsenza.tre\n');
    const { code, stderr } = await folder.run(['import', 'altri.csv', ...args.slice(2)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('passwords.csv already exists')]);
    expect(rowsOf(folder, 'passwords.csv')).toEqual(rows);
  });

  it('accepts JSON and NDJSON with rows and with records', async () => {
    const Users = [{ Username: 'json.uno', Password: 'una frase lunga' }];
    const row = { ID: principal, Username: 'json.due', Password: 'una frase lunga' };
    const wrong = {
      ID: principal,
      Users: [{ Username: 'json.tre', Password: 'una frase lunga' }, { Username: '' }],
    };
    folder.write(
      'utenti.json',
      JSON.stringify([{ ExternalKey: 'J1', Denomination: 'J', Users }, row, wrong]),
    );
    const { code } = await folder.run(['import', 'utenti.json']);
    expect(code).toBe(3);
    const [failed] = await importRowsOf(folder, 'utenti.failed.ndjson');
    expect(failed?.source).toEqual(wrong);
    expect(folder.read('utenti.failed.ndjson')).toContain('Users[1].Username: Must not be empty.');
    folder.write('utenti.ndjson', `${JSON.stringify({ ...row, Username: 'json.quattro' })}\n`);
    expect((await folder.run(['import', 'utenti.ndjson'])).code).toBe(0);
    expect(await storedUsernames(service)).toEqual(
      expect.arrayContaining(['json.uno', 'json.due', 'json.quattro']),
    );
  });

  it('explains how to change users that exist, if most rows of the file fail for this reason', async () => {
    const rows = ['one', 'two', 'three'].map((name) => `TWICE,Twice Srl,twice.${name},una frase lunga\n`);
    const content = ['ExternalKey,Denomination,Username,Password\n', ...rows].join('');
    folder.write('due-volte.csv', content);
    expect((await folder.run(['import', 'due-volte.csv'])).code).toBe(0);
    folder.write(
      'due-volte.csv',
      content.replace(/lunga\n/g, 'lunga,new@example.com\n').replace('Password', 'Password,Email'),
    );
    const sentence = '3 users exist already. To change existing users, use --update or "anagrafe sync".';
    expect((await folder.run(['import', 'due-volte.csv', '--dry-run'])).stderr).toContain(sentence);
    const again = await folder.run(['import', 'due-volte.csv']);
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining(sentence)]);
    expect((await folder.run(['import', 'due-volte.csv', '--update'])).code).toBe(0);

    // Two of six rows are not most of them, and a username that occurs twice in the file is another mistake.
    const others = ['a', 'b', 'c', 'd'].map((name) => `TWICE,,twice.${name},short,\n`);
    const changed = rows.slice(1).map((row) => row.replace('\n', ',other@example.com\n'));
    folder.write(
      'poche.csv',
      ['ExternalKey,Denomination,Username,Password,Email\n', ...changed, ...others].join(''),
    );
    const some = await folder.run(['import', 'poche.csv', '--dry-run']);
    expect(some.stderr).toContain('6 rows would fail.');
    expect(some.stderr).not.toContain('exist already');
    const same = (email: string) => `${principal},same.name,${email},"${importedHash}"\n`;
    folder.write(
      'stesse.csv',
      `ID,Username,Email,PasswordHash\n${['a@example.com', 'b@example.com', 'c@example.com'].map(same).join('')}`,
    );
    const repeated = await folder.run(['import', 'stesse.csv', '--dry-run']);
    expect(repeated.stderr).toContain('2 rows would fail.');
    expect(repeated.stderr).not.toContain('exist already');
  });

  it('leaves out exact copies of earlier rows, which do not fail, and lists them once', async () => {
    const row = (name: string) => `${principal},copied.${name},"${importedHash}"\n`;
    folder.write('copie.csv', `ID,Username,PasswordHash\n${['a', 'b', 'a', 'b', 'a'].map(row).join('')}`);
    const counts = { rows: 5, applied: 2, skipped: 0, repeated: 3, failed: 0, failedFile: null };
    const warnings = [{ code: 'ROW_REPEATED', field: 'Username', rows: 3, lines: [4, 5, 6] }];
    const planned = await folder.run(['import', 'copie.csv', '--dry-run', '--json']);
    expect([planned.code, JSON.parse(planned.stdout)]).toMatchObject([0, { ...counts, warnings }]);
    const { code, stderr } = await folder.run(['import', 'copie.csv']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 of 5 rows applied.')]);
    expect(stderr).toContain(
      'Username: exact copy of an earlier row, which is left out, in 3 rows (lines 4, 5, 6)',
    );
    const again = await folder.run(['import', 'copie.csv', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ applied: 0, skipped: 2, repeated: 3, failed: 0 });
  });

  it('says that the file of the failed rows has their passwords, unless it has none', async () => {
    folder.write('segreti.csv', `ID,Username,Password\n${principal},segreti,short\n`);
    expect((await folder.run(['import', 'segreti.csv', '--dry-run'])).stderr).toMatch(
      /1 row would fail\. See \S+segreti\.would-fail\.csv \(with reasons and passwords\)\./,
    );
    expect((await folder.run(['import', 'segreti.csv'])).stderr).toMatch(
      /segreti\.failed\.csv \(with reasons and passwords\), then run:/,
    );
    folder.write('aperti.csv', `ID,Username,Email\n${principal},aperti,not an address\n`);
    expect((await folder.run(['import', 'aperti.csv', '--generate-passwords', 'gen.csv'])).stderr).toMatch(
      /aperti\.failed\.csv \(with reasons\), then run:/,
    );
  });

  it('names both columns of a password if a row has neither, and asks for no confirmation', async () => {
    const rows = [
      'E-1,Empty,empty.anna,',
      `E-1,Empty,empty.carlo,"${importedHash}"`,
      'E-2,Empty,empty.dario,',
    ];
    folder.write('vuote.csv', `ExternalKey,Denomination,Username,PasswordHash\n${rows.join('\n')}\n`);
    for (const more of [['--dry-run'], []])
      expect((await folder.run(['import', 'vuote.csv', ...more])).code).toBe(3);
    for (const name of ['vuote.would-fail.csv', 'vuote.failed.csv'])
      expect(rowsOf(folder, name).map((row) => row['Anagrafe errors'])).toEqual([
        'Password or PasswordHash is missing.',
        'Password or PasswordHash is missing.',
      ]);
  });

  it('reads a file in latin1, which is another name of windows-1252', async () => {
    folder.write('latino.csv', windows1252(`ID;Username;Password\n${principal};latinità;una frase lunga\n`));
    expect((await folder.run(['import', 'latino.csv', '--encoding', 'latin1'])).code).toBe(0);
    expect(await storedUsernames(service)).toContain('latinità');
    expectWrongUsage(
      await folder.run(['import', 'latino.csv', '--encoding', 'latin2']),
      /'latin2' is invalid\. Allowed choices are utf-8, utf-16le, utf-16be, windows-1252, latin1\./,
    );
  });

  it('maps columns by --map', async () => {
    folder.write('colonne.csv', 'Login name,Secret,Username\nmapped,una frase lunga,wrong\n');
    const map = ['--map', 'Login name=Username', '--map', 'Secret=Password', '--map', 'Username='];
    const { code } = await folder.run(['import', 'colonne.csv', '--principal', String(principal), ...map]);
    expect(code).toBe(0);
    expect(await storedUsernames(service)).toContain('mapped');
    const wrong = await folder.run(['import', 'colonne.csv', '--map', 'Secret=Passwort']);
    expect(wrong.stderr).toContain('Expected <column>=<field>. Fields: ID, ExternalKey');
  });

  it('prints a one-line error for an invalid file, URL or credential', async () => {
    folder.write('nulla.csv', 'Colour,Size\nred,1\n');
    const lastLine = async (args: string[], more = {}) =>
      (await folder.run(args, more)).stderr.trimEnd().split('\n').at(-1);
    expect(await lastLine(['import', 'nulla.csv'])).toMatch(
      /^anagrafe: There is no column for Username\. Columns found: "Colour", "Size"/,
    );
    expect(await lastLine(['import', 'missing.csv'])).toMatch(/^anagrafe: .*missing\.csv: file not found/);
    expect(await lastLine(['import', 'nowhere/missing.csv'])).toMatch(
      /^anagrafe: .*nowhere\/missing\.csv: file not found/,
    );
    folder.write('uno.csv', `ID,Username,Password\n${principal},uno,una frase lunga\n`);
    expect(await lastLine(['import', 'uno.csv'], { ANAGRAFE_KEY: 'agp_wrong.ags_wrong' })).toMatch(
      /^anagrafe: .*Set ANAGRAFE_KEY or --key-file to the keys of an API client\.$/,
    );
  });
});

it('import advises to correct the file itself if no row of it could be parsed', async () => {
  folder.write('rotto.json', '[{"Username":"x.y",}]');
  const { code, stderr } = await folder.run([
    'import',
    'rotto.json',
    '--similar',
    'refuse',
    '--principal',
    String(principal),
  ]);
  expect(code).toBe(3);
  expect(stderr).toMatch(
    new RegExp(
      `Correct record 1 of \\S*rotto\\.json, then run: npx --no -- anagrafe import \\S*rotto\\.json --principal ${principal}\n$`,
    ),
  );
  expect(stderr).toContain('0 of 1 row applied.');
  expect(stderr).not.toContain('importing  0 rows');
});

it('import prints a command for the failed rows that reaches the same service', async () => {
  folder.write('altro servizio.csv', `ID,Username,Password\n${principal},altro.servizio,breve\n`);
  const { url } = service;
  const args = ['import', 'altro servizio.csv', '--similar', 'refuse', '--url', url];
  const { stderr } = await folder.run(args, { ANAGRAFE_URL: '' });
  expect(stderr).toMatch(new RegExp(`anagrafe import "\\S*altro servizio\\.failed\\.csv" --url ${url}\n$`));
});

it('import says that a file has no rows, in a dry run too', async () => {
  folder.write('vuoto.csv', 'ID,Username,Password\n');
  const [dry, real] = [
    await folder.run(['import', 'vuoto.csv', '--dry-run']),
    await folder.run(['import', 'vuoto.csv']),
  ];
  expect(dry.stderr).toMatch(/^The file has no rows\.\nNothing was changed\.\n$/m);
  expect(real.stderr).toMatch(/^The file has no rows\.\n$/m);
});

it('import names the lines whose content is missing in the file of the failed rows', async () => {
  folder.write(
    'misto.ndjson',
    '{"Username":"misto.uno","Password":"una frase lunga"}\n{"Username":"x.y",}\n',
  );
  const { code, stderr } = await folder.run(['import', 'misto.ndjson', '--principal', String(principal)]);
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /1 row failed\. Correct it in \S*misto\.failed\.ndjson \(with reasons and passwords\), then run: /,
  );
  expect(stderr).toMatch(
    / {2}Line 2 could not be read, so its content is not in \S*misto\.failed\.ndjson\. Copy it from \S*misto\.ndjson and correct it\.\n/,
  );
});

it.each([[[]], [['--dry-run']]])('import rejects a --principal that does not exist: %j', async (options) => {
  folder.write('senzacasa.csv', 'Username,Password\nsenzacasa,una frase lunga\n');
  expectOneLine(
    await folder.run(['import', 'senzacasa.csv', '--principal', '9999', ...options]),
    /^anagrafe: There is no principal 9999\. Correct --principal\.$/,
  );
  expect(existsSync(folder.path('senzacasa.failed.csv'))).toBe(false);
});

it.each([
  [['--separator', ';;'], /^anagrafe: .*--separator.*';;' is invalid\. Expected one character/],
  [['--url', 'nowhere'], /^anagrafe: --url is invalid: "nowhere"\. Expected an http or https URL/],
])('import reports an invalid option as wrong usage: %j', async (options, line) => {
  expectWrongUsage(await folder.run(['import', 'uno.csv', ...options]), line);
});

describe('the output files of an import', () => {
  it('must differ from its input file and from each other', async () => {
    const content = `ID,Username,Password\n${principal},cared,una frase lunga\n`;
    folder.write('cared.csv', content);
    for (const options of [
      ['--failed', 'cared.csv'],
      ['--failed', 'cared.csv', '--dry-run'],
      ['--generate-passwords', 'both.csv', '--failed', 'both.csv'],
    ]) {
      const { code, stderr } = await folder.run(['import', 'cared.csv', ...options]);
      expect([code, stderr]).toEqual([1, expect.stringContaining('is used for two purposes')]);
      expect(folder.read('cared.csv')).toBe(content);
    }
  });
});

it('an import works with a service that has low limits', async () => {
  const strict = await startTestService({
    ANAGRAFE_MAX_RECORDS: '40',
    ANAGRAFE_MAX_JOB_RECORDS: '50',
    ANAGRAFE_MAX_JOB_USERS: '60',
  });
  const other = newWorkFolder(strict);
  // The last rows belong to one principal, which has more users than a job accepts.
  const rows = Array.from(
    { length: 130 },
    (_, n) => `K${Math.min(n, 60)},Company ${Math.min(n, 60)},small.${n},"${importedHash}"`,
  );
  other.write('small.csv', `ExternalKey,Denomination,Username,PasswordHash\n${rows.join('\n')}\n`);
  expect((await other.run(['import', 'small.csv', '--dry-run'])).code).toBe(0);
  expect((await other.run(['import', 'small.csv'])).code).toBe(0);
  expect(await storedUsernames(strict)).toHaveLength(130);
});
