import { cut, readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';
import { ColumnProfiles, type ImportField, ImportFileError, openImportFile } from '../src/index.ts';

async function fieldsOf(header: string): Promise<(ImportField | null)[] | undefined> {
  const { file, error } = await readFile(`${header}\n`, { principal: { ID: 1 } });
  if (error) throw new ImportFileError(error);
  return file?.columns.map(({ field }) => field);
}

describe('the columns of a file', () => {
  it.each([
    [
      'Username',
      ['Username', 'User name', 'USER_NAME', 'user-name', 'Nome utente', 'Utente', 'Login', ' Username '],
    ],
    ['Email', ['Email', 'E-mail', 'e mail', 'Posta elettronica']],
    ['ConfirmPassword', ['ConfirmPassword', 'Confirm password', 'Conferma password']],
    ['ID', ['ID', 'PrincipalID', 'IRID', 'ID anagrafica', 'id_anagrafica']],
    ['ExternalKey', ['ExternalKey', 'Codice cliente', 'Codice esterno', 'Chiave esterna']],
    ['Denomination', ['Denomination', 'Ragione sociale', 'RAGIONE-SOCIALE', 'Company', 'Denominazióne']],
    ['Surname', ['Surname', 'Cognome']],
    ['Name', ['Name', 'Nome']],
    ['Vatnumber', ['Vatnumber', 'Partita IVA', 'P.IVA', 'P. Iva', 'VAT', 'VAT number']],
    ['Taxcode', ['Taxcode', 'Codice fiscale', 'Tax code']],
    ['PrincipalEmail', ['PrincipalEmail', 'Email azienda']],
    ['Tags', ['Tags', 'Tag', 'Etichette', 'Etichetta']],
    ['UserID', ['UserID', 'ID utente']],
  ])('are recognised in English and Italian: %s', async (field, names) => {
    for (const name of names) {
      const others = ['Username', 'Password'].filter((other) => other !== field);
      expect(await fieldsOf([name, ...others].join(';'))).toEqual([field, ...others]);
    }
  });

  it.each([
    ['Cognome;Nome', ['Surname', 'Name'], ['LastName', 'FirstName']],
    [
      'Cognome;Nome;Ragione sociale',
      ['LastName', 'FirstName', 'Denomination'],
      ['Surname', 'Name', undefined],
    ],
    [
      'First name;LastName;ExternalKey',
      ['FirstName', 'LastName', 'ExternalKey'],
      [undefined, undefined, undefined],
    ],
    ['Surname;Name;Denomination', ['Surname', 'Name', 'Denomination'], [undefined, undefined, undefined]],
  ])(
    'with names of people mean the user if the file has company names: %s',
    async (header, fields, others) => {
      const { file } = await readFile(`${header};Username\n`, { withoutPasswords: true });
      const columns = file?.columns.slice(0, -1);
      expect(columns?.map(({ field }) => field)).toEqual(fields);
      expect(columns?.map(({ alternative }) => alternative)).toEqual(others);
    },
  );

  it('with names of people can be mapped to the principal', async () => {
    const { file } = await readFile('Cognome;Ragione sociale;Username\n', {
      withoutPasswords: true,
      columns: { Cognome: 'Surname' },
    });
    expect(file?.columns[0]).toEqual({ name: 'Cognome', field: 'Surname', kind: 'mapped' });
  });

  it('that are not imported are described by their values, without showing them', async () => {
    const content =
      'Username;Nota;Fax;Posta;Vuota;Dal;Privacy\na;uno;02 123;x@example.com;;31/01/2026;sì\nb;2;06/77;y@example.com;;2026-01-31;no\n';
    const { file, rows } = await readFile(content, { principal: { ID: 1 }, withoutPasswords: true });
    const profiles = new ColumnProfiles(file?.columns ?? []);
    for (const { source } of rows) profiles.add(source);
    expect(profiles.unused.map(({ name, content, values }) => [name, content, values])).toEqual([
      ['Nota', 'texts', 2],
      ['Fax', 'numbers', 2],
      ['Posta', 'emails', 2],
      ['Vuota', 'empty', 0],
      ['Dal', 'dates', 2],
      ['Privacy', 'booleans', 2],
    ]);
  });

  it('are all returned with their cells by the option preview, even if they are unknown or duplicate', async () => {
    const content = 'Email,E-mail,Parola,Email\na,b,c,d\n';
    await expect(openImportFile(cut(content))).rejects.toMatchObject({ code: 'DUPLICATE_COLUMN' });
    const { file, rows } = await readFile(content, { preview: true });
    expect(file?.columns.map(({ field }) => field)).toEqual(['Email', 'Email', null, 'Email']);
    expect(rows.map(({ source }) => source)).toEqual([['a', 'b', 'c', 'd']]);
    const json = await readFile('[{"Parola": "c"}, {"Note": 1}]', { preview: true });
    expect(json.rows.map(({ source }) => source)).toEqual([{ Parola: 'c' }, { Note: 1 }]);
  });

  it('may contain hashes instead of passwords', async () => {
    expect(await fieldsOf('Login;PasswordHash')).toEqual(['Username', 'PasswordHash']);
    expect(await fieldsOf('Login;Hash')).toEqual(['Username', 'PasswordHash']);
  });

  it('are mapped by the options with precedence over their names', async () => {
    const { file, rows } = await readFile('Login name,Username,Password,ID,Note\na,b,c,1,d\n', {
      columns: { login_name: 'Username', Username: null, Note: null },
    });
    expect(file?.columns.map(({ field, kind }) => [field, kind])).toEqual([
      ['Username', 'mapped'],
      [null, 'ignored'],
      ['Password', 'known'],
      ['ID', 'known'],
      [null, 'ignored'],
    ]);
    expect(file?.unknown).toEqual([]);
    expect(rows).toMatchObject([{ user: { Username: 'a' } }]);
  });

  it('are reported if they are unknown', async () => {
    const { file, rows } = await readFile('Username,Password,ID,Fax,Note\na,b,1,c,d\n');
    expect(file?.unknown).toEqual(['Fax', 'Note']);
    expect(rows.map((row) => row.kind === 'user' && [row.principal, row.user])).toEqual([
      [{ ID: 1 }, { Username: 'a', Password: 'b', ConfirmPassword: 'b' }],
    ]);
  });

  it('must be empty if they have no name', async () => {
    const { file, rows } = await readFile('Username,Password,ID,,\na,b,1,,\na,b,1,,x\n');
    expect(file?.unknown).toEqual([]);
    expect(rows).toMatchObject([
      { kind: 'user' },
      { kind: 'invalid', errors: [{ code: 'UNNAMED_COLUMN', params: { column: 5 } }] },
    ]);
  });

  it.each([
    [
      'two are one field',
      'Email;E-mail;Username;Password;ID',
      {},
      { code: 'DUPLICATE_COLUMN', params: { field: 'Email', columns: ['Email', 'E-mail'] } },
    ],
    [
      'one is mapped to a field that another is named after',
      'Conto;Username;Password;ID',
      { Conto: 'Username' },
      { code: 'DUPLICATE_COLUMN', params: { columns: ['Conto', 'Username'] } },
    ],
    [
      'a mapped one is not there',
      'Username;Password;ID',
      { Logn: 'Username' },
      { code: 'MAPPED_COLUMN_MISSING', params: { column: 'Logn', found: ['Username', 'Password', 'ID'] } },
    ],
    [
      'one is mapped to what is no field',
      'Username;Password;ID',
      { ID: 'Nickname' },
      { code: 'UNKNOWN_FIELD', params: { column: 'ID', field: 'Nickname' } },
    ],
    [
      'none says who the user is',
      'Conto;Password;ID',
      {},
      {
        code: 'MISSING_COLUMN',
        params: { needed: ['Username'], found: ['Conto', 'Password', 'ID'] },
      },
    ],
    [
      'none has a secret',
      'Username;ID',
      {},
      { code: 'MISSING_COLUMN', params: { needed: ['Password', 'PasswordHash'] } },
    ],
    [
      'none is of the principal',
      'Username;Password',
      {},
      { code: 'MISSING_COLUMN', params: { found: ['Username', 'Password'] } },
    ],
  ])('are refused if %s', async (_, header, columns, expected) => {
    const { error } = await readFile(`${header}\na;b;c;d;e\n`, {
      columns: columns as Record<string, ImportField>,
    });
    expect(error).toMatchObject(expected);
  });

  it('are listed in the error message that asks for a mapping', async () => {
    const opening = openImportFile(cut('Conto;Password;ID\n'));
    await expect(opening).rejects.toThrow(
      'There is no column for Username. Columns found: "Conto", "Password", "ID".',
    );
    await expect(openImportFile(cut('Conto;Password;ID\n'), { resets: true })).rejects.toThrow(
      'There is no column for Username or UserID. Columns found: "Conto", "Password", "ID".',
    );
  });
});
