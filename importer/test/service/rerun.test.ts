import { existsSync } from 'node:fs';
import { newWorkFolder, rowsOf, type WorkFolder } from '@anagrafe/testing/importing';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let folder: WorkFolder;
let principal: number;

beforeAll(async () => {
  service = await startTestService();
  folder = newWorkFolder(service);
  [principal = 0] = await insertPrincipals(service, 1);
});

const header = 'ID,ExternalKey,Denomination,Username,Email,Password';

/** Rows that are sent as records of `irs/upsert`, `irs/update` and `irs/insert`. */
const rowsFor = (name: string) => [
  `,${name},One,${name}.anna,anna@example.com,una frase lunga`,
  `,${name},One,${name}.carlo,,una frase lunga`,
  `${principal},,,${name}.dario,,una frase lunga`,
  `,,Alone,${name}.elena,,una frase lunga`,
];

function write(name: string, rows: readonly string[]): void {
  folder.write(`${name}.csv`, `${header}\n${rows.join('\n')}\n`);
}

describe('a file that is imported a second time', () => {
  it('has its rows skipped, and none of them fails', async () => {
    write('again', rowsFor('again'));
    expect((await folder.run(['import', 'again.csv'])).code).toBe(0);
    const wouldBeSkipped =
      '  4 rows would be skipped, because all of their values are stored already (lines 2, 3, 4, 5). Passwords are not compared, and would stay as they are.\n';
    const skipped =
      '  4 rows skipped, because all of their values were stored already (lines 2, 3, 4, 5). Passwords were not compared, and stay as they are.\n';
    const dry = await folder.run(['import', 'again.csv', '--dry-run']);
    expect([dry.code, dry.stderr]).toEqual([
      0,
      expect.stringContaining(`Dry run: 0 of 4 rows would be applied.\n${wouldBeSkipped}`),
    ]);
    const { code, stderr } = await folder.run(['import', 'again.csv']);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`0 of 4 rows applied.\n${skipped}`)]);
    expect(existsSync(folder.path('again.failed.csv'))).toBe(false);
    const { stdout } = await folder.run(['import', 'again.csv', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 4, applied: 0, skipped: 4, failed: 0 });
  });

  it('has its rows skipped, also if they name one principal by ID, by ExternalKey and not at all', async () => {
    const { body } = await service.call('irs/insert', [{ ExternalKey: 'named', Denomination: 'Named' }]);
    const id = body.result?.records[0]?.Item1;
    const rows = [
      `${id},,,named.anna,,una frase lunga`,
      ',named,Named,named.carlo,,una frase lunga',
      `${id},,,named.dario,,una frase lunga`,
    ];
    write('named', rows);
    expect((await folder.run(['import', 'named.csv'])).code).toBe(0);
    write('named', [...rows.slice(0, 2), ',,Named,named.dario,,una frase lunga']);
    for (const more of [['--dry-run'], []]) {
      const { code, stdout } = await folder.run(['import', 'named.csv', '--json', ...more]);
      expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ skipped: 3, failed: 0 })]);
    }
  });

  it('has only the rows applied that failed the first time and were corrected', async () => {
    const rows = rowsFor('fixed');
    write('fixed', [...rows, `,fixed,One,fixed.franco,,short`]);
    expect((await folder.run(['import', 'fixed.csv'])).code).toBe(3);
    write('fixed', [...rows, `,fixed,One,fixed.franco,,una frase lunga`]);
    const { code, stdout } = await folder.run(['import', 'fixed.csv', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ rows: 5, applied: 1, skipped: 4, failed: 0 }),
    ]);
  });

  it('has the rows fail whose values differ from what is stored', async () => {
    write('differs', rowsFor('differs'));
    expect((await folder.run(['import', 'differs.csv'])).code).toBe(0);
    const [, same = '', byId = '', alone = ''] = rowsFor('differs');
    write('differs', [
      ',differs,One,differs.anna,other@example.com,una frase lunga',
      same,
      byId.replace(',,una', ',dario@example.com,una'),
      alone.replace('Alone', 'Another'),
      // A user of another principal.
      `,differs-2,Two,differs.carlo,,una frase lunga`,
    ]);
    const { stdout } = await folder.run(['import', 'differs.csv', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ rows: 5, applied: 0, skipped: 1, failed: 4 });
    expect(rowsOf(folder, 'differs.failed.csv').map((row) => row['Anagrafe line'])).toEqual([
      '2',
      '4',
      '5',
      '6',
    ]);
  });

  it('has rows without a user skipped if their principals are stored, in a dry run too', async () => {
    const rows = [
      ',no-users-1,One,,,',
      ',no-users-2,Two,no-users.anna,,una frase lunga',
      ',no-users-2,Two,,,',
      ',no-users-3,Three,,,',
    ];
    write('no-users', rows.slice(0, 3));
    const first = await folder.run(['import', 'no-users.csv', '--json']);
    expect(JSON.parse(first.stdout)).toMatchObject({ applied: 3, skipped: 0, PrincipalsInserted: 2 });
    write('no-users', rows);
    for (const more of [['--dry-run'], ['--update', '--dry-run'], [], ['--update']]) {
      const { code, stdout } = await folder.run(['import', 'no-users.csv', '--json', ...more]);
      const isLast = more.length === 1 && more[0] === '--update';
      expect([more, code, JSON.parse(stdout)]).toEqual([
        more,
        0,
        expect.objectContaining({ applied: isLast ? 0 : 1, skipped: isLast ? 4 : 3, failed: 0 }),
      ]);
    }
  });

  it('has a row without a user fail that differs from the stored principal', async () => {
    write('other', [',other-1,One,,,']);
    expect((await folder.run(['import', 'other.csv'])).code).toBe(0);
    write('other', [',other-1,Another,,,']);
    for (const more of [['--dry-run'], []]) {
      const { stdout } = await folder.run(['import', 'other.csv', '--json', ...more]);
      expect(JSON.parse(stdout)).toMatchObject({ applied: 0, skipped: 0, failed: 1 });
    }
  });

  it('has no generated passwords for skipped rows', async () => {
    const rows = rowsFor('generated').map((row) => row.replace(/una frase lunga$/, ''));
    write('generated', rows);
    const args = (file: string) => ['import', 'generated.csv', '--generate-passwords', file];
    expect((await folder.run(args('first.csv'))).code).toBe(0);
    write('generated', [...rows, `,generated,One,generated.franco,,`]);
    expect((await folder.run(args('second.csv'))).code).toBe(0);
    expect(rowsOf(folder, 'second.csv').map(({ Username }) => Username)).toEqual(['generated.franco']);
  });

  it('does not count generated passwords of skipped rows as passwords of the file', async () => {
    folder.write('alone.csv', 'Denomination,Username\nOne,alone.anna\nTwo,alone.bruno\n');
    const args = (file: string) => [
      'import',
      'alone.csv',
      '--generate-passwords',
      file,
      '--update',
      '--json',
    ];
    expect((await folder.run(args('alone-first.csv'))).code).toBe(0);
    const { stdout } = await folder.run(args('alone-second.csv'));
    expect(JSON.parse(stdout)).toMatchObject({ applied: 0, skipped: 2, PasswordsNotUsed: 0 });
  });
});
