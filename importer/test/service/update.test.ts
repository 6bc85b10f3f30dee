import { existsSync } from 'node:fs';
import {
  canSignIn,
  contextOf,
  newWorkFolder,
  rowsOf,
  taskOf,
  updateInSmallBatches,
  type WorkFolder,
} from '@anagrafe/testing/importing';
import { importedHash } from '@anagrafe/testing/jobs';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { batchLimits } from '../../src/index.ts';
import { runImport } from '../../src/node/index.ts';

interface JobTimes {
  readonly Records: number;
  readonly SubmittedAt: string;
  readonly EndedAt: string;
}

let service: TestService;
let folder: WorkFolder;

beforeAll(async () => {
  service = await startTestService();
  folder = newWorkFolder(service);
});

const usersOf = async (ExternalKey: string) => {
  const { body } = await service.call<{ Users: readonly { Username: string }[] }>('irs/list', {
    ExternalKey,
  });
  return body.result?.records[0]?.Users.map(({ Username }) => Username).sort();
};

const header = 'ExternalKey,Denomination,Username,Email,Password';

describe('an import with --update', () => {
  it('counts what it creates, changes and leaves unchanged, and the passwords that it does not use', async () => {
    const before = [
      'T-1,One,t.anna,,una frase lunga',
      'T-1,One,t.carlo,,una frase lunga',
      'T-2,Two,t.dario,,una frase lunga',
    ];
    folder.write('totals.csv', `${header}\n${before.join('\n')}\n`);
    const first = await folder.run(['import', 'totals.csv', '--update', '--json']);
    expect([first.code, JSON.parse(first.stdout)]).toEqual([
      0,
      expect.objectContaining({
        PrincipalsInserted: 2,
        PrincipalsUpdated: 0,
        PrincipalsUnchanged: 0,
        UsersRegistered: 3,
        UsersUpdated: 0,
        UsersUnchanged: 0,
        PasswordsNotUsed: 0,
      }),
    ]);
    const rows = [
      'T-1,One,t.anna,anna@example.com,un altra frase lunga',
      'T-1,One,t.carlo,,',
      'T-2,Two SpA,t.dario,,un altra frase lunga',
      'T-3,Three,t.elena,,una frase lunga',
      'T-3,Three,t.franco,,short',
    ];
    folder.write('totals-2.csv', `${header}\n${rows.join('\n')}\n`);
    const rest =
      'because --update keeps the passwords of existing users. To change them, use "anagrafe reset" or, for hashes, irs/upsert with passwords=overwrite.';
    const dry = await folder.run(['import', 'totals-2.csv', '--update', '--dry-run']);
    expect(dry.stderr).toMatch(/^Checking .*totals-2\.csv \(CSV\) for an import to /);
    expect(dry.stderr).toMatch(/^Dry run: 3 of 5 rows would be applied/m);
    expect(dry.stderr).toContain(
      [
        '',
        '  1 row would be skipped, because all of its values are stored already (line 3).',
        '  Principals: 1 to create, 1 to change, 1 unchanged.',
        '  Users: 1 to register, 1 to change, 2 unchanged.',
        `  2 passwords in the file would not be used, ${rest}`,
        '',
      ].join('\n'),
    );
    const { stderr } = await folder.run(['import', 'totals-2.csv', '--update']);
    expect(stderr).toContain(
      [
        '3 of 5 rows applied.',
        '  1 row skipped, because all of its values were stored already (line 3).',
        '  Principals: 1 created, 1 changed, 1 unchanged.',
        '  Users: 1 registered, 1 changed, 2 unchanged.',
        `  2 passwords in the file were not used, ${rest}`,
        '',
      ].join('\n'),
    );
    expect(await canSignIn(service, 't.anna', 'una frase lunga')).toBe(true);
  });

  it('counts a principal of several batches once, and generated passwords not as those of the file', async () => {
    const rows = Array.from(
      { length: 21 },
      (_, n) => `M-${Math.floor(n / 10) % 2},Many,many.${n},,"${importedHash}"`,
    );
    const columns = 'ExternalKey,Denomination,Username,Email,PasswordHash';
    folder.write('many.csv', `${columns}\n${rows.join('\n')}\n`);
    expect((await folder.run(['import', 'many.csv'])).code).toBe(0);
    const withoutSome = rows.map((row, n) => (n < 20 ? row : row.replace(/"\$.*"$/, '')));
    const more = [...withoutSome, 'M-2,Many 2,many.new,,'];
    folder.write('many-2.csv', `${columns}\n${more.join('\n')}\n`);
    const passwordsPath = folder.path('many-passwords.csv');
    for (const result of await updateInSmallBatches(folder, 'many-2', service.url, { passwordsPath }))
      expect(result).toMatchObject({
        rows: 22,
        applied: 1,
        skipped: 21,
        failed: 0,
        PrincipalsInserted: 1,
        PrincipalsUnchanged: 2,
        UsersRegistered: 1,
        UsersUnchanged: 21,
        PasswordsNotUsed: 20,
      });
    expect(rowsOf(folder, 'many-passwords.csv').map(({ Username }) => Username)).toEqual(['many.new']);
  });

  it('changes nothing for a row that names no principal and whose user exists', async () => {
    const [same, other] = [',Alone,a.anna,,una frase lunga', ',Alone,a.carlo,,una frase lunga'];
    folder.write('alone.csv', `${header}\n${same}\n${other}\n`);
    expect((await folder.run(['import', 'alone.csv', '--update'])).code).toBe(0);
    folder.write('alone.csv', `${header}\n${same}\n${other.replace('Alone', 'Another')}\n`);
    const { stdout } = await folder.run(['import', 'alone.csv', '--update', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ applied: 0, skipped: 1, failed: 1, PrincipalsInserted: 0 });
  });

  it('names no file of generated passwords if all users exist', async () => {
    const rows = ['G-1,One,g.anna,,', 'G-1,One,g.carlo,,'];
    folder.write('exist.csv', `${header}\n${rows.join('\n')}\n`);
    const run = (passwords: string, ...more: readonly string[]) =>
      folder.run(['import', 'exist.csv', '--update', '--generate-passwords', passwords, ...more]);
    expect((await run('pw-1.csv')).stderr).toMatch(/The generated passwords are in .*pw-1\.csv\./);
    const { code, stderr } = await run('pw-2.csv');
    expect([code, stderr]).toEqual([0, expect.stringContaining('0 of 2 rows applied.')]);
    expect(stderr).not.toContain('generated passwords');
    expect(JSON.parse((await run('pw-3.csv', '--json')).stdout)).toMatchObject({
      applied: 0,
      skipped: 2,
      passwordsFile: null,
    });
    expect(['pw-2.csv', 'pw-3.csv'].some((name) => existsSync(folder.path(name)))).toBe(false);
    folder.write('exist.csv', `${header}\n${[...rows, 'G-1,One,g.dario,,'].join('\n')}\n`);
    const { stdout } = await run('pw-4.csv', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      applied: 1,
      skipped: 2,
      passwordsFile: folder.path('pw-4.csv'),
    });
  });

  it('counts a principal once that rows of several batches change', async () => {
    const { body } = await service.call('irs/insert', [
      { ExternalKey: 'C-1', Denomination: 'Before' },
      { ExternalKey: 'C-2', Denomination: 'Before' },
      { ExternalKey: 'C-3', Denomination: 'Before' },
    ]);
    expect(body.result?.records.every(({ Item3 }) => Item3)).toBe(true);
    // Each 10 rows are of C-1 or C-2, so that a batch ends between them; only the last row changes C-3.
    const rows = [
      `C-3,,changed.first,,"${importedHash}"`,
      ...Array.from(
        { length: 41 },
        (_, n) => `C-${(Math.floor(n / 10) % 2) + 1},After,changed.${n},,"${importedHash}"`,
      ),
      `C-3,After,changed.last,,"${importedHash}"`,
    ];
    folder.write('changed.csv', `ExternalKey,Denomination,Username,Email,PasswordHash\n${rows.join('\n')}\n`);
    for (const result of await updateInSmallBatches(folder, 'changed', service.url))
      expect(result).toMatchObject({
        failed: 0,
        PrincipalsInserted: 0,
        PrincipalsUpdated: 3,
        PrincipalsUnchanged: 0,
        UsersRegistered: 43,
      });
  });
});

it('an import with --update counts a principal once that rows name by ID and by ExternalKey', async () => {
  const { body } = await service.call('irs/insert', [
    { ExternalKey: 'W-1', Denomination: 'Same' },
    { ExternalKey: 'W-2', Denomination: 'Before' },
  ]);
  const [first, second] = (body.result?.records ?? []).map(({ Item1 }) => Item1);
  const users = (name: string) =>
    Array.from({ length: 21 }, (_, n) => `,W-3,New,ways.${name}.${n},"${importedHash}"`);
  const rows = [
    `${first},,Same,ways.anna,"${importedHash}"`,
    `,W-2,After,ways.carlo,"${importedHash}"`,
    `${second},,After,ways.dario,"${importedHash}"`,
    ...users('one'),
    `,W-1,Same,ways.elena,"${importedHash}"`,
    `${second},,After,ways.franco,"${importedHash}"`,
    ...users('two'),
  ];
  folder.write('ways.csv', `ID,ExternalKey,Denomination,Username,PasswordHash\n${rows.join('\n')}\n`);
  for (const result of await updateInSmallBatches(folder, 'ways', service.url))
    expect(result).toMatchObject({
      failed: 0,
      PrincipalsInserted: 1,
      PrincipalsUpdated: 1,
      PrincipalsUnchanged: 1,
    });
});

it('an import with --update refuses rows that contradict each other and name their principal by ID and by ExternalKey', async () => {
  const { body } = await service.call('irs/insert', [
    { ExternalKey: 'B-1', Denomination: 'Both' },
    { ExternalKey: 'B-2', Denomination: 'Both' },
  ]);
  const [first, second] = (body.result?.records ?? []).map(({ Item1 }) => Item1);
  const others = Array.from({ length: 21 }, (_, n) => `,B-3,Others,both.${n},"${importedHash}"`);
  const rows = [
    `,B-1,One,both.anna,"${importedHash}"`,
    `${second},,Two,both.carlo,"${importedHash}"`,
    ...others,
    `${first},,Another,both.dario,"${importedHash}"`,
    `,B-2,Another,both.elena,"${importedHash}"`,
    `${first},,One,both.franco,"${importedHash}"`,
  ];
  folder.write('both.csv', `ID,ExternalKey,Denomination,Username,PasswordHash\n${rows.join('\n')}\n`);
  for (const result of await updateInSmallBatches(folder, 'both', service.url))
    expect(result).toMatchObject({ rows: 26, failed: 2 });
  for (const name of ['both.would-fail.csv', 'both.failed.csv'])
    expect(rowsOf(folder, name).map((row) => [row.Username, row['Anagrafe errors']])).toEqual([
      ['both.dario', 'Denomination: "Another" contradicts line 2, which has "One" for the same principal.'],
      ['both.elena', 'Denomination: "Another" contradicts line 3, which has "Two" for the same principal.'],
    ]);
});

it('an import with --update sends rows that name one principal by ID and by ExternalKey one after the other', async () => {
  const { body } = await service.call('irs/insert', [{ ExternalKey: 'O-1', Denomination: 'Order' }]);
  const id = body.result?.records[0]?.Item1;
  const others = Array.from({ length: 19 }, (_, n) => `,O-other-${n},Other,order.${n},"${importedHash}"`);
  const jobsOf = async () => (await service.call<JobTimes>('jobs', undefined, { method: 'GET' })).body.result;
  const rows = [
    `,O-1,Order,order.anna,"${importedHash}"`,
    ...others,
    `${id},,Order,order.carlo,"${importedHash}"`,
  ];
  for (const [name, sent] of [
    ['key-first', rows],
    ['id-first', [rows[20], ...others, rows[0]]],
  ] as const) {
    folder.write(`${name}.csv`, `ID,ExternalKey,Denomination,Username,PasswordHash\n${sent.join('\n')}\n`);
    const before = (await jobsOf())?.totalCount ?? 0;
    const batches = { ...batchLimits, rows: 20 };
    const task = taskOf(folder, name, service.url, { existing: 'update', batches });
    expect(await runImport(task, contextOf(service.url), { restart: false })).toMatchObject({ failed: 0 });
    const result = await jobsOf();
    expect((result?.totalCount ?? 0) - before).toBe(2);
    const jobs = result?.records.slice(0, 2) ?? [];
    const [first, second] = [20, 1].map((records) => jobs.find(({ Records }) => Records === records));
    expect(Date.parse(second?.SubmittedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(first?.EndedAt ?? ''));
  }
});

describe('an import with --update of merged principals', () => {
  const write = (...rows: readonly string[]) => folder.write('merged.csv', `${header}\n${rows.join('\n')}\n`);
  const run = async () => {
    const { code, stdout } = await folder.run(['import', 'merged.csv', '--update', '--json']);
    return { code, ...JSON.parse(stdout) };
  };

  it('changes the users of the remaining principal by the keys of both, and counts it once', async () => {
    write('MG-1,One,mg.anna,,una frase lunga', 'MG-2,Two,mg.bruno,,una frase lunga');
    await run();
    await service.call('irs/merge', [{ ExternalKey: 'MG-1', From: { ExternalKey: 'MG-2' } }]);
    write(
      'MG-1,One,mg.anna,anna@example.com,',
      'MG-2,One,mg.bruno,bruno@example.com,',
      'MG-2,One,mg.carla,,una frase lunga',
    );
    expect(await run()).toMatchObject({
      code: 0,
      PrincipalsInserted: 0,
      PrincipalsUpdated: 0,
      PrincipalsUnchanged: 1,
      UsersRegistered: 1,
      UsersUpdated: 2,
    });
    expect(await usersOf('MG-2')).toEqual(['mg.anna', 'mg.bruno', 'mg.carla']);
    expect(await run()).toMatchObject({ code: 0, UsersUpdated: 0, UsersUnchanged: 3 });
  });

  it('refuses rows that give the two keys different names', async () => {
    write('MG-3,One,mg.dario,,una frase lunga', 'MG-4,Two,mg.elena,,una frase lunga');
    await run();
    await service.call('irs/merge', [{ ExternalKey: 'MG-3', From: { ExternalKey: 'MG-4' } }]);
    write('MG-3,One,mg.dario,d@example.com,', 'MG-4,Two,mg.elena,e@example.com,');
    expect(await run()).toMatchObject({ code: 3, failed: 1 });
    expect(folder.read('merged.failed.csv')).toMatch(/Denomination: .*MG-4/);
  });
});

it('an import without --update counts the principals and users that it creates', async () => {
  const rows = [
    'N-1,One,n.anna,,una frase lunga',
    ',Alone,n.carlo,,una frase lunga',
    ',Alone,n.dario,,short',
  ];
  folder.write('created.csv', `${header}\n${rows.join('\n')}\n`);
  const totals = { PrincipalsInserted: 2, UsersRegistered: 2, UsersUnchanged: 0, PasswordsNotUsed: 0 };
  for (const more of [['--dry-run'], []]) {
    const { stdout } = await folder.run(['import', 'created.csv', '--json', ...more]);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 3, failed: 1, ...totals });
  }
});
