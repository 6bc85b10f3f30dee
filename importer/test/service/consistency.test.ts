import { existsSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { canSignIn, newWorkFolder, rowsOf, type WorkFolder } from '@anagrafe/testing/importing';
import { newUser, startTestService, type TestService } from '@anagrafe/testing/service';
import { textRow, workbookFiles, zip } from '@anagrafe/testing/workbook-files';
import { beforeAll, describe, expect, it } from 'vitest';

let service: TestService;
let folder: WorkFolder;

beforeAll(async () => {
  service = await startTestService();
  folder = newWorkFolder(service);
});

interface Listed {
  readonly Denomination: string | null;
  readonly Vatnumber: string | null;
  readonly State: string;
  readonly Users: readonly {
    Username: string;
    Email: string | null;
    FirstName: string | null;
    State: string;
  }[];
}

async function stored(ExternalKey: string, at = service): Promise<Listed | undefined> {
  const { body } = await at.call<Listed>('irs/list', { ExternalKey });
  return body.result?.records[0];
}

const reasons = (name: string) =>
  rowsOf(folder, name).map((row) => [row['Anagrafe line'], row['Anagrafe errors']]);
const password = 'una frase lunga';

describe('an import of rows that contradict each other', () => {
  const content = `Codice cliente;Ragione sociale;Partita IVA;Nome utente;Password
000300;Alfa Srl;12345678903;alfa.1;${password}
000300;Beta Srl;00743110157;beta.1;${password}
000300;Alfa Srl;;alfa.2;${password}
`;
  const reason =
    'Ragione sociale: "Beta Srl" contradicts line 2, which has "Alfa Srl" for the same principal. ' +
    'Partita IVA: "00743110157" contradicts line 2, which has "12345678903" for the same principal.';

  it('refuses the later row with both values and the line of the earlier one, in a dry run and in a run', async () => {
    folder.write('contro.csv', content);
    expect((await folder.run(['import', 'contro.csv', '--dry-run'])).code).toBe(3);
    expect(reasons('contro.would-fail.csv')).toEqual([['3', reason]]);
    expect(await stored('000300')).toBeUndefined();
    const { code, stderr } = await folder.run(['import', 'contro.csv']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('2 of 3 rows applied.')]);
    expect(reasons('contro.failed.csv')).toEqual([['3', reason]]);
    const principal = await stored('000300');
    expect([principal?.Denomination, principal?.Users.map(({ Username }) => Username)]).toEqual([
      'Alfa Srl',
      ['alfa.1', 'alfa.2'],
    ]);
  });

  it('refuses the later row with --update too, and stores nothing of it', async () => {
    folder.write(
      'ultimo.csv',
      content.replaceAll('000300', '000400').replaceAll(/(alfa|beta)\.(\d)/g, '$1.4$2'),
    );
    expect((await folder.run(['import', 'ultimo.csv', '--update'])).code).toBe(3);
    expect(reasons('ultimo.failed.csv')).toEqual([['3', reason]]);
    expect(await stored('000400')).toMatchObject({
      Denomination: 'Alfa Srl',
      Vatnumber: '12345678903',
      Users: [{ Username: 'alfa.41' }, { Username: 'alfa.42' }],
    });
  });

  it('finds a contradiction in another batch of the file', async () => {
    const rows = Array.from({ length: 2100 }, (_, n) => `M${n},Company ${n},,many.${n}`);
    folder.write(
      'many.csv',
      `ExternalKey,Denomination,PrincipalEmail,Username\n${rows.join('\n')}\nM7,Other,,many.other\n`,
    );
    const { code } = await folder.run([
      'import',
      'many.csv',
      '--dry-run',
      '--generate-passwords',
      'unused.csv',
    ]);
    expect(code).toBe(3);
    expect(reasons('many.would-fail.csv')).toEqual([
      ['2102', 'Denomination: "Other" contradicts line 9, which has "Company 7" for the same principal.'],
    ]);
  });

  it('does not let a damaged value of one row make the correct rows of its principal fail', async () => {
    folder.write(
      'guasto.csv',
      `ExternalKey;Denomination;Vatnumber;PrincipalEmail;Username;Password
G1;Gamma;1,23457E+10;;gamma.1;${password}
G1;Gamma;00743110157;nessun indirizzo;gamma.2;${password}
G1;Gamma;00743110157;gamma@example.com;gamma.3;${password}
`,
    );
    expect((await folder.run(['import', 'guasto.csv'])).code).toBe(3);
    expect(reasons('guasto.failed.csv').map(([line]) => line)).toEqual(['2', '3']);
    expect(reasons('guasto.failed.csv')[0]?.[1]).toMatch(/^"Vatnumber" was changed by a spreadsheet program/);
    expect(await stored('G1')).toMatchObject({ Vatnumber: '00743110157', Users: [{ Username: 'gamma.3' }] });
  });
});

describe('an import of rows that differ from what is stored', () => {
  it('refuses them with both values, and applies them with --update', async () => {
    await service.call('irs/insert', [
      {
        ExternalKey: 'S1',
        Denomination: 'Old',
        Users: [{ ...newUser('stored.1'), Email: 'old@example.com' }],
      },
    ]);
    folder.write(
      'nuovo.csv',
      `ExternalKey,Denomination,Username,Email,Password
S1,New,stored.1,new@example.com,un'altra frase lunga
S1,New,stored.2,,${password}
S1,,stored.3,,${password}
`,
    );
    const { code } = await folder.run(['import', 'nuovo.csv']);
    expect(code).toBe(3);
    expect(reasons('nuovo.failed.csv')).toEqual([
      [
        '2',
        expect.stringMatching(
          /Denomination: .*Old.*New.* Username: This username belongs to a user of the principal with ID \d+ \(S1, Old\)\./,
        ),
      ],
      ['3', expect.stringMatching(/^Denomination: .*Old.*New/)],
    ]);
    expect(await stored('S1')).toMatchObject({ Denomination: 'Old', Users: [{}, { Username: 'stored.3' }] });

    expect((await folder.run(['import', 'nuovo.failed.csv', '--update'])).code).toBe(0);
    const principal = await stored('S1');
    expect(principal?.Denomination).toBe('New');
    expect(principal?.Users.map(({ Username, Email }) => [Username, Email])).toEqual([
      ['stored.1', 'new@example.com'],
      ['stored.3', null],
      ['stored.2', null],
    ]);
    expect(await canSignIn(service, 'stored.1', "un'altra frase lunga")).toBe(false);
  });

  it('refuses them if they name the principal by its ID', async () => {
    const { body } = await service.call<{ Item1: number }>('irs/insert', [{ Denomination: 'By ID' }]);
    const id = body.result?.records[0]?.Item1;
    folder.write('perid.csv', `ID,Denomination,Username,Password\n${id},Other,by.id,${password}\n`);
    expect((await folder.run(['import', 'perid.csv'])).code).toBe(3);
    expect(reasons('perid.failed.csv')[0]?.[1]).toMatch(/^Denomination: .*By ID.*Other/);
  });

  it('applies company fields that were corrected in the file of the failed rows', async () => {
    const header = 'ExternalKey,Denomination,PrincipalEmail,Username,Password';
    folder.write(
      'azienda.csv',
      `${header}\nF1,Wrong,no address,failed.1,${password}\nF1,Wrong,,failed.2,short\n`,
    );
    expect((await folder.run(['import', 'azienda.csv'])).code).toBe(3);
    // No row was applied, so the principal must not exist.
    expect(await stored('F1')).toBeUndefined();
    const corrected = folder
      .read('azienda.failed.csv')
      .replaceAll('Wrong', 'Right')
      .replace('no address', 'right@example.com')
      .replace(',short', `,${password}`);
    folder.write('azienda.failed.csv', corrected);
    expect((await folder.run(['import', 'azienda.failed.csv'])).code).toBe(0);
    expect(await stored('F1')).toMatchObject({
      Denomination: 'Right',
      Email: 'right@example.com',
      Users: [{ Username: 'failed.1' }, { Username: 'failed.2' }],
    });
  });

  it('does not create a principal with --update for a key that no row describes', async () => {
    folder.write('refuso.csv', `ExternalKey,Username,Password\nTYPO,refuso.1,${password}\n`);
    for (const options of [['--dry-run'], []]) {
      expect((await folder.run(['import', 'refuso.csv', '--update', ...options])).code).toBe(3);
      const name = options.length > 0 ? 'refuso.would-fail.csv' : 'refuso.failed.csv';
      expect(reasons(name)[0]?.[1]).toMatch(/^ExternalKey: There is no principal with this ExternalKey/);
    }
    expect(await stored('TYPO')).toBeUndefined();
  });

  it.each([[[]], [['--update']]])(
    'refuses a row with both ID and ExternalKey, and not the others, with %j',
    async (options) => {
      const { body } = await service.call<{ Item1: number }>('irs/insert', [
        { ExternalKey: `B${options.length}`, Denomination: 'Both' },
      ]);
      const id = body.result?.records[0]?.Item1;
      const username = (n: number) => `both.${options.length}.${n}`;
      folder.write(
        'ambedue.csv',
        `ID,ExternalKey,Denomination,Username,Password
,B${options.length},Both,${username(1)},${password}
${id},B${options.length},Both,${username(2)},${password}
${id},,Both,${username(3)},${password}
`,
      );
      const { code, stdout } = await folder.run(['import', 'ambedue.csv', '--json', ...options]);
      expect(code).toBe(3);
      const { failedFile } = JSON.parse(stdout);
      expect(reasons(basename(failedFile))).toEqual([
        ['3', 'ID: Send either the ID or the ExternalKey of the principal, not both.'],
      ]);
      const principal = await stored(`B${options.length}`);
      expect(principal?.Users.map(({ Username }) => Username).sort()).toEqual([username(1), username(3)]);
    },
  );

  it('refuses a username that occurs twice with --update too', async () => {
    folder.write(
      'due.csv',
      `ExternalKey,Denomination,Username,Password\nD,D,due.1,${password}\nD,D,DUE.1,${password}\n`,
    );
    expect((await folder.run(['import', 'due.csv', '--update'])).code).toBe(3);
    expect(reasons('due.failed.csv')).toEqual([['3', 'Username: An earlier row has the same username.']]);
  });
});

describe('the messages of an import', () => {
  it('contain what was removed, what looks wrong and what is not used', async () => {
    folder.write(
      'note.csv',
      `Codice cliente;Ragione sociale;Partita IVA;Codice fiscale;Cognome;Nome;Nome utente;Password;Fax;Nota
N1;Nota Srl ;12345678901;743110157;Rossi;Mario; nota.1;${password};02 1234;
N2;Senza utenti;12345678901;;;;;;;
`,
    );
    const { code, stderr } = await folder.run(['import', 'note.csv', '--dry-run']);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'Column "Cognome" maps to LastName of the user; for the principal: --map "Cognome=Surname"',
    );
    expect(stderr).toContain(
      'Ragione sociale: spaces before or after the value are removed in 1 row (line 2)',
    );
    expect(stderr).toContain('Partita IVA: not a valid Italian VAT number in 2 rows (lines 2, 3)');
    expect(stderr).toContain(
      'Codice fiscale: zeros at the beginning of the number seem to be lost in 1 row (line 2)',
    );
    expect(stderr).toContain('Column "Fax" is not used (numbers in 1 row). To use it: --map "Fax=<field>"');
    expect(stderr).toContain('Column "Nota" is not used (empty)');
    expect((await folder.run(['import', 'note.csv', '--json'])).stdout).toContain(
      '"code":"VATNUMBER_INVALID"',
    );
    expect(await stored('N1')).toMatchObject({
      Denomination: 'Nota Srl',
      Surname: null,
      Users: [{ Username: 'nota.1', FirstName: 'Mario', LastName: 'Rossi' }],
    });
  });

  it('are in Italian with --language it, in the file of the failed rows too', async () => {
    folder.write(
      'lingua.csv',
      `ExternalKey;Denomination;Username;Password
L1;Uno;lingua.1;${password}
L1;Due;lingua.2;${password}
L1;Uno;lingua.3;corta
L1;Uno;#N/A;${password}
`,
    );
    expect((await folder.run(['import', 'lingua.csv', '--language', 'it'])).code).toBe(3);
    expect(reasons('lingua.failed.csv')).toEqual([
      ['3', 'Denomination: "Due" contraddice la riga 2, che per la stessa anagrafica ha "Uno".'],
      ['4', expect.stringMatching(/^Password: .*almeno 8 caratteri/)],
      ['5', expect.stringMatching(/^"Username" contiene l'errore di una formula/)],
    ]);
  });
});

describe('the passwords that an import generates', () => {
  it('are listed with the email address, and with --update only for new users', async () => {
    await service.call('irs/insert', [{ ExternalKey: 'P1', Users: [newUser('pass.old')] }]);
    folder.write(
      'pass.csv',
      'ExternalKey,Username,Email\nP1,pass.old,old@example.com\nP1,pass.new,new@example.com\n',
    );
    const options = ['--update', '--generate-passwords', 'pass-generated.csv'];
    expect((await folder.run(['import', 'pass.csv', ...options])).code).toBe(0);
    const rows = rowsOf(folder, 'pass-generated.csv');
    expect(rows.map(({ Username, Email }) => [Username, Email])).toEqual([['pass.new', 'new@example.com']]);
    expect(await canSignIn(service, 'pass.new', rows[0]?.Password ?? '')).toBe(true);
    expect(await canSignIn(service, 'pass.old', newUser('pass.old').Password)).toBe(true);
    expect((await stored('P1'))?.Users[0]?.Email).toBe('old@example.com');
  });
});

describe('an XLSX file', () => {
  it('is imported with a mapping that was saved from another file, and its failed rows become a CSV file on request', async () => {
    folder.write('mappa.csv', `Conto;Azienda;Login name;Parola\nX1;Ics;xlsx.0;${password}\n`);
    const map = ['--map', 'Conto=ExternalKey', '--map', 'Login name=Username', '--map', 'Parola=Password'];
    const saved = await folder.run([
      'import',
      'mappa.csv',
      '--dry-run',
      ...map,
      '--save-mapping',
      'mappa.json',
    ]);
    expect(saved.code).toBe(0);
    expect(JSON.parse(folder.read('mappa.json'))).toEqual({
      Conto: 'ExternalKey',
      Azienda: 'Denomination',
      'Login name': 'Username',
      Parola: 'Password',
    });
    const rows = [
      textRow(1, ['Conto', 'Azienda', 'Login name', 'Parola']),
      textRow(2, ['X1', 'Ics', 'xlsx.1', password]),
      textRow(3, ['X1', 'Ics', 'xlsx.2', 'corta']),
    ];
    const sheets = { Altro: textRow(1, ['x']), Utenti: rows.join('') };
    writeFileSync(folder.path('foglio.xlsx'), zip(workbookFiles({ sheets })));
    const options = ['--sheet', 'Utenti', '--mapping', 'mappa.json'];
    const { code, stderr } = await folder.run([
      'import',
      'foglio.xlsx',
      '--failed',
      'foglio.failed.csv',
      ...options,
    ]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('foglio.xlsx (XLSX, sheet "Utenti")')]);
    expect((await stored('X1'))?.Users.map(({ Username }) => Username)).toEqual(['xlsx.1']);
    folder.write('foglio.failed.csv', folder.read('foglio.failed.csv').replace('corta', password));
    expect((await folder.run(['import', 'foglio.failed.csv', '--mapping', 'mappa.json'])).code).toBe(0);
    expect((await stored('X1'))?.Users).toHaveLength(2);
  });
});

describe('the file of the rows that would fail', () => {
  it('is never overwritten by another dry run, and numbered instead', async () => {
    folder.write('prova.csv', 'ExternalKey,Denomination,Username,Password\nW,W,prova.1,short\n');
    await folder.run(['import', 'prova.csv', '--dry-run']);
    folder.write('prova.would-fail.csv', 'corrected by hand');
    const { stderr } = await folder.run(['import', 'prova.csv', '--dry-run']);
    expect(stderr).toContain('prova.would-fail-2.csv');
    expect(folder.read('prova.would-fail.csv')).toBe('corrected by hand');
    await folder.run(['import', 'prova.would-fail-2.csv', '--dry-run']);
    expect(rowsOf(folder, 'prova.would-fail-3.csv')).toHaveLength(1);
    folder.write('prova.csv', `ExternalKey,Denomination,Username,Password\nW,W,prova.1,${password}\n`);
    await folder.run(['import', 'prova.csv', '--dry-run']);
    expect(existsSync(folder.path('prova.would-fail-4.csv'))).toBe(false);
  });
});

describe('the file of the failed rows', () => {
  it('is never overwritten, and numbered instead', async () => {
    folder.write('numero.csv', 'ExternalKey,Denomination,Username,Password\nQ,Q,numero.1,short\n');
    await folder.run(['import', 'numero.csv']);
    folder.write('numero.failed.csv', 'corrected by hand');
    const { stderr } = await folder.run(['import', 'numero.csv']);
    expect(stderr).toContain('numero.failed-2.csv');
    expect(folder.read('numero.failed.csv')).toBe('corrected by hand');
    expect(rowsOf(folder, 'numero.failed-2.csv')).toHaveLength(1);
    await folder.run(['import', 'numero.failed-2.csv']);
    expect(rowsOf(folder, 'numero.failed-3.csv')).toHaveLength(1);
    expect(existsSync(folder.path('numero.failed-2.failed.csv'))).toBe(false);
  });
});

describe('an exported file', () => {
  it('can be imported into another service as it is, with states and password hashes', async () => {
    // The hashes of other tests are too weak to be imported.
    const source = await startTestService({ ANAGRAFE_HASH_MEMORY_KIB: '19456' });
    await source.call('irs/insert', [
      { ExternalKey: 'E1', Denomination: 'Uno', Users: [newUser('export.1'), newUser('export.2')] },
      { ExternalKey: 'E2', Denomination: 'Senza utenti' },
      { ExternalKey: 'E3', Surname: 'Rossi', Users: [newUser('export.3')] },
    ]);
    await source.call('irs/upsert', [
      { ExternalKey: 'E1', Users: [{ Username: 'export.2', State: 'disabled', Attributes: { Note: 'sì' } }] },
      { ExternalKey: 'E3', State: 'disabled' },
    ]);
    const answer = await fetch(`${source.url}/api/sync/v1/irs/export?hashes=true`, {
      headers: { Accept: 'text/csv' },
    });
    const target = await startTestService();
    const other = newWorkFolder(target);
    other.write('export.csv', await answer.text());
    const { code, stderr } = await other.run(['import', 'export.csv']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('4 of 4 rows applied.')]);
    const shown = async (at: TestService) =>
      Promise.all(
        ['E1', 'E2', 'E3'].map(async (key) => {
          const { Denomination, State, Users } = (await stored(key, at)) ?? ({ Users: [] } as never);
          return [Denomination, State, Users.map((user) => [user.Username, user.State])];
        }),
      );
    expect(await shown(target)).toEqual(await shown(source));
    expect(await canSignIn(target, 'export.1', newUser('export.1').Password)).toBe(true);
    expect(await canSignIn(target, 'export.2', newUser('export.2').Password)).toBe(false);
  });
});
