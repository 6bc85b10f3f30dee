import { beforeAll, describe, expect, it } from 'vitest';
import { startTestService } from '../setup/service.ts';
import { newWorkFolder, rowsOf, type WorkFolder } from './importing.ts';

let folder: WorkFolder;

beforeAll(async () => {
  folder = newWorkFolder(await startTestService());
});

const header = 'ExternalKey,Denomination,Username,Email,Password';

describe('the reasons of failed rows', () => {
  it('are printed by an import and by a dry run, the most frequent first, with their first lines', async () => {
    const rows = [
      'R,One,r.0,,una frase lunga',
      'R,Two,r.1,,una frase lunga',
      'R,Three,r.2,,una frase lunga',
      ...Array.from({ length: 7 }, (_, n) => `R,One,r.short.${n},,short`),
      'R,One,r.3,no address,una frase lunga',
    ];
    folder.write('reasons.csv', `${header}\n${rows.join('\n')}\n`);
    const reasons = [
      '  lines 5, 6, 7, 8, 9, … (7 rows): Password: The password must have at least 8 characters.',
      '  lines 3, 4: Denomination: "Two" contradicts line 2, which has "One" for the same principal. (message of line 3)',
      '  line 12: Email: This is not a valid email address.',
    ];
    const dry = await folder.run(['import', 'reasons.csv', '--dry-run']);
    expect(dry.stderr).toContain(`${reasons.join('\n')}\n10 rows would fail. See `);
    const { code, stderr } = await folder.run(['import', 'reasons.csv']);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(
        `1 of 11 rows applied.\n${reasons.join('\n')}\n10 rows failed. Correct them in `,
      ),
    ]);
    expect(stderr).toContain(folder.path('reasons.failed.csv'));
    expect(rowsOf(folder, 'reasons.failed.csv')).toHaveLength(10);
  });

  it('are limited to ten', async () => {
    const invalid = [
      'Phone',
      'Language',
      'FirstName',
      'LastName',
      'Email',
      'Denomination',
      'Surname',
      'Name',
    ];
    const columns = [
      'ExternalKey',
      'Username',
      'Password',
      ...invalid,
      'Vatnumber',
      'Taxcode',
      'PrincipalEmail',
    ];
    const values = columns.map((column, at) => (at < 3 ? `T-${column}` : 'x'.repeat(500)));
    folder.write('many.csv', `${columns.join(',')}\n${values.join(',')}\n`);
    const { stdout } = await folder.run(['import', 'many.csv', '--dry-run', '--json']);
    const { reasons } = JSON.parse(stdout) as { reasons: readonly unknown[] };
    expect(reasons.length).toBeGreaterThan(10);
    const { stderr } = await folder.run(['import', 'many.csv']);
    expect(stderr.match(/^ {2}line 2: /gm)).toHaveLength(10);
    expect(stderr).toContain('\n  … and other reasons\n');
  });
});
