import { newWorkFolder, rowsOf, type WorkFolder } from '@anagrafe/testing/importing';
import { startTestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

let folder: WorkFolder;

beforeAll(async () => {
  folder = newWorkFolder(await startTestService());
});

const header = 'ExternalKey,Denomination,Username,Email,Password';
/** The totals of an import that has applied the first of its rows. */
const created = [
  '  Principals: 1 created, 0 changed, 0 unchanged.',
  '  Users: 1 registered, 0 changed, 0 unchanged.',
];

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
        `${['1 of 11 rows applied.', ...created, ...reasons].join('\n')}\n10 rows failed. Correct them in `,
      ),
    ]);
    expect(stderr).toContain(folder.path('reasons.failed.csv'));
    expect(rowsOf(folder, 'reasons.failed.csv')).toHaveLength(10);
  });

  it('are shown apart if they have different causes', async () => {
    folder.write('stored.csv', `${header}\nAPART-0,Zero,apart.stored,,una frase lunga\n`);
    expect((await folder.run(['import', 'stored.csv'])).code).toBe(0);
    const rows = [
      'APART,One,apart.0,,una frase lunga',
      'APART,One,apart.0,,una frase diversa',
      'APART,One,apart.stored,,una frase lunga',
      'APART,One,apart.1,,una frase lunga,more',
      'APART,One,apart.2',
    ];
    folder.write('apart.csv', `${header}\n${rows.join('\n')}\n`);
    const reasons = [
      '  line 3: Username: An earlier row has the same username.',
      '  line 4: Username: This username belongs to a user of the principal with ID … (APART-0, Zero).',
      '  line 5: The row has 6 cells; expected 5. Remove the extra cells, or put a value that contains the separator in quotes.',
      '  line 6: The row has 3 cells; expected 5. Add the missing cells.',
    ];
    for (const more of [['--dry-run'], []]) {
      const { stderr } = await folder.run(['import', 'apart.csv', ...more]);
      const withoutIds = stderr.replace(/principal with ID \d+/, 'principal with ID …');
      expect(withoutIds).toContain(`\n${reasons.join('\n')}\n4 rows `);
    }
  });

  it('name the records of a JSON file, and the lines of an NDJSON file', async () => {
    const record = (n: number, more: object = {}) => ({
      ExternalKey: 'RECORDS',
      Denomination: 'One',
      Username: `records.${n}`,
      Password: 'una frase lunga',
      ...more,
    });
    const records = [record(0), record(1, { Denomination: 'Two' }), record(2, { Password: 'short' })];
    folder.write('records.json', JSON.stringify([...records, 7]));
    const { stderr } = await folder.run(['import', 'records.json']);
    expect(stderr).toContain(
      [
        '1 of 4 rows applied.',
        ...created,
        '  record 2: Denomination: "Two" contradicts record 1, which has "One" for the same principal.',
        '  record 3: Password: The password must have at least 8 characters.',
        '  record 4: Line 1, column ',
      ].join('\n'),
    );
    expect(stderr).toMatch(
      /^ {2}Record 4 could not be read, so its content is not in \S*records\.failed\.ndjson\. Copy it from /m,
    );
    const failed = folder.read('records.failed.ndjson').trim().split('\n');
    expect(failed.map((line) => JSON.parse(line)['Anagrafe record'])).toEqual([2, 3, 4]);
    const again = await folder.run(['import', 'records.json', '--dry-run']);
    expect(again.stderr).toContain('values are stored already (record 1).');

    folder.write('records.ndjson', records.map((each) => `${JSON.stringify(each)}\n`).join('\n'));
    const lines = await folder.run(['import', 'records.ndjson', '--dry-run']);
    expect(lines.stderr).toContain(
      '  line 3: Denomination: "Two" contradicts line 1, which has "One" for the same principal.\n',
    );
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
      'State',
    ];
    const values = columns.map((column, at) => (at < 3 ? `T-${column}` : 'x'.repeat(500)));
    const write = (name: string, wrong: number) => {
      const row = values.map((value, at) => (at < 3 + wrong ? value : ''));
      folder.write(name, `${columns.join(',')}\n${row.join(',')}\n`);
    };
    write('twelve.csv', 12);
    const twelve = await folder.run(['import', 'twelve.csv', '--dry-run', '--json']);
    expect(JSON.parse(twelve.stdout).reasons).toHaveLength(12);
    const limited = await folder.run(['import', 'twelve.csv']);
    expect(limited.stderr.match(/^ {2}line 2: /gm)).toHaveLength(10);
    expect(limited.stderr).toContain('\n  … and other reasons\n');
    // A single further reason is printed, instead of a line that says that there is one.
    write('eleven.csv', 11);
    const all = await folder.run(['import', 'eleven.csv']);
    expect(all.stderr.match(/^ {2}line 2: /gm)).toHaveLength(11);
    expect(all.stderr).not.toContain('other reasons');
  });
});
