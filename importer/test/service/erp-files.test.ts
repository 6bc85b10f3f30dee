import { readFileSync } from 'node:fs';
import { newWorkFolder, type WorkFolder } from '@anagrafe/testing/importing';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';
import { writeWorkbook } from '../../src/file/workbook-writer.ts';
import { openImportFile } from '../../src/index.ts';

let service: TestService;
let folder: WorkFolder;

beforeAll(async () => {
  service = await startTestService();
  folder = newWorkFolder(service);
});

const password = 'una frase lunga';

/** Returns the names of the stored companies that begin with a text, each with its usernames. */
async function companies(prefix: string): Promise<[string | null, string[]][]> {
  const rows = await service.database.query<{ denomination: string; usernames: string[] }>(
    `select denomination, array_agg(username order by username) as usernames
     from anagrafe.principals join anagrafe.users on principal_id = principals.id
     where denomination like $1 || '%' group by principals.id, denomination order by denomination`,
    [prefix],
  );
  return rows.map(({ denomination, usernames }) => [denomination, usernames]);
}

describe('a file without a column of keys', () => {
  const lines = [
    'Ragione soc.;P. IVA;Utente;Password',
    `Keyless Alfa;01234567897;keyless.anna;${password}`,
    `Keyless Beta;;keyless.carlo;${password}`,
    `Keyless Alfa;01234567897;keyless.dario;${password}`,
    `Keyless Beta;;keyless.elena;${password}`,
    `Keyless Alfa;;keyless.franco;${password}`,
    '',
  ].join('\n');

  it('makes one company of the rows with the same VAT number or name, and says so', async () => {
    folder.write('keyless.csv', lines);
    const dry = await folder.run(['import', 'keyless.csv', '--dry-run']);
    expect(dry.stderr).toContain('rows with the same VAT number, tax code or name are of one principal.');
    expect(dry.stderr).toContain('Principals: 2 to create, 0 to change, 0 unchanged.');
    expect(dry.stderr).toContain('Users: 5 to register, 0 to change, 0 unchanged.');
    const { code, stderr } = await folder.run(['import', 'keyless.csv']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('Principals: 2 created, 0 changed, 0 unchanged.'),
    ]);
    expect(await companies('Keyless')).toEqual([
      ['Keyless Alfa', ['keyless.anna', 'keyless.dario', 'keyless.franco']],
      ['Keyless Beta', ['keyless.carlo', 'keyless.elena']],
    ]);
  });

  it('changes nothing when it is imported again', async () => {
    const { stdout } = await folder.run(['import', 'keyless.csv', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ applied: 0, skipped: 5, failed: 0, PrincipalsInserted: 0 });
  });

  it('has the rows refused that fit several companies, unless each row is to be a company', async () => {
    const header = 'Denominazione;Partita IVA;Utente;Password';
    const rows = (name: string) => [
      `Several;1;${name}.anna;${password}`,
      `Several;2;${name}.carlo;${password}`,
      `Several;;${name}.dario;${password}`,
      `;;${name}.elena;${password}`,
    ];
    folder.write('several.csv', [header, ...rows('several'), ''].join('\n'));
    const { code, stderr } = await folder.run(['import', 'several.csv', '--dry-run', '--language', 'en']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('fits several companies of the file')]);
    folder.write('separate.csv', [header, ...rows('separate').slice(0, 3), ''].join('\n'));
    const separate = await folder.run(['import', 'separate.csv', '--without-key', 'separate', '--json']);
    expect(JSON.parse(separate.stdout)).toMatchObject({ applied: 3, PrincipalsInserted: 3 });
  });
});

describe('a row of totals', () => {
  it('is left out and listed, unless it is to be kept', async () => {
    folder.write(
      'totals.csv',
      `Codice;Ragione soc.;Utente;Password\nT1;Totals Alfa;totals.anna;${password}\nTotale;19;;\n\nElenco;Stampato;;\n`,
    );
    const { code, stderr } = await folder.run(['import', 'totals.csv', '--dry-run']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        '2 rows seem to be totals or headings, so they are left out (lines 3, 5). To keep: --keep-totals',
      ),
    ]);
    const kept = await folder.run(['import', 'totals.csv', '--dry-run', '--keep-totals', '--json']);
    expect(JSON.parse(kept.stdout)).toMatchObject({ rows: 3, PrincipalsInserted: 3, leftOut: { rows: 0 } });
  });
});

describe('the failed rows of a workbook', () => {
  it('are a workbook with text cells, which is corrected and imported', async () => {
    const rows = [
      ['Cod. Cliente', 'Ragione soc.', 'Nome utente', 'Password'],
      ['00123', 'Workbook Srl', 'workbook.anna', password],
      ['00123', 'Workbook Srl', 'workbook.carlo', 'short'],
    ];
    folder.write('users.xlsx', await writeWorkbook(rows));
    const { code, stderr } = await folder.run(['import', 'users.xlsx', '--language', 'en']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('users.failed.xlsx')]);
    const failed = await openImportFile(new Blob([readFileSync(folder.path('users.failed.xlsx'))]).stream());
    const cells: (readonly string[])[] = [];
    for await (const { source } of failed) if (Array.isArray(source)) cells.push(source);
    expect(cells).toEqual([['00123', 'Workbook Srl', 'workbook.carlo', 'short']]);
    const corrected = cells.map((row) => ['3', '', ...row.with(3, password)]);
    folder.write('users.failed.xlsx', await writeWorkbook([failed.layout.header, ...corrected]));
    const second = await folder.run(['import', 'users.failed.xlsx', '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject({ applied: 1, failed: 0, PrincipalsInserted: 0 });
    expect(await companies('Workbook')).toEqual([['Workbook Srl', ['workbook.anna', 'workbook.carlo']]]);
  });
});
