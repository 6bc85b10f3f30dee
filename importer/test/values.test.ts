import { errorsOf, readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';
import { checkTaxcode, checkVatnumber } from '../src/file/values.ts';

async function rowOf(header: string, row: string) {
  const { rows } = await readFile(`${header}\n${row}\n`, { principal: { ID: 1 }, withoutPasswords: true });
  return rows[0];
}

describe('the values of a row', () => {
  it('lose the spaces before and after them, except passwords and hashes', async () => {
    const row = await rowOf(
      'ExternalKey;Denomination;Username;Password;ConfirmPassword',
      ' C1;Alfa  Srl\u00a0; anna ; una frase ; una frase ',
    );
    expect(row).toMatchObject({
      principal: { ExternalKey: 'C1', Denomination: 'Alfa  Srl' },
      user: { Username: 'anna', Password: ' una frase ' },
      source: [' C1', 'Alfa  Srl\u00a0', ' anna ', ' una frase ', ' una frase '],
      warnings: [
        { code: 'TRIMMED', field: 'ExternalKey' },
        { code: 'TRIMMED', field: 'Denomination' },
        { code: 'TRIMMED', field: 'Username' },
      ],
    });
  });

  it('count as empty if they consist of spaces', async () => {
    const row = await rowOf('ExternalKey,Denomination,Username', 'C1,   ,anna');
    expect(row?.kind === 'user' && row.principal).toEqual({ ExternalKey: 'C1' });
  });

  it('are trimmed in JSON rows too', async () => {
    const { rows } = await readFile('[{"ID": 1, "Username": " anna ", "Password": " x "}]');
    expect(rows).toMatchObject([{ user: { Username: 'anna', Password: ' x ' } }]);
  });

  it.each([
    ['Vatnumber', '1,23457E+10'],
    ['Vatnumber', '1.23457E+10'],
    ['Vatnumber', '12345678901.0'],
    ['Taxcode', '1E+10'],
    ['Phone', '3,93331E+11'],
    ['ExternalKey', '1,2E+15'],
    ['Username', '4,56E+09'],
    ['ID', '17.0'],
    ['UserID', '2,0'],
  ])('are refused as damaged by a spreadsheet: %s %s', async (field, value) => {
    const header = ['Username', 'ID', field].filter((name, at, all) => all.lastIndexOf(name) === at);
    const cells = header.map((name) => (name === field ? value : name === 'ID' ? '1' : 'anna'));
    const read = await readFile(`${header.join(';')}\n${cells.join(';')}\n`, { withoutPasswords: true });
    expect(errorsOf(read)).toEqual({ 1: [{ code: 'DAMAGED_NUMBER', column: field }] });
  });

  it.each([
    ['ExternalKey', '1E5'],
    ['ExternalKey', '2.0'],
    ['Denomination', '1,5E+10'],
    ['Phone', '+39 333 123.4567'],
  ])('are accepted although they look like a number: %s %s', async (field, value) => {
    expect(await rowOf(`Username;${field}`, `anna;${value}`)).toMatchObject({ kind: 'user' });
  });

  it.each(['#N/A', '#RIF!', '#VALORE!', '#DIV/0!'])(
    'are refused if a formula has failed: %s',
    async (value) => {
      const read = await readFile(`ID;Username;Email\n1;anna;${value}\n`, { withoutPasswords: true });
      expect(errorsOf(read)).toEqual({ 1: [{ code: 'FORMULA_ERROR', column: 'Email' }] });
    },
  );

  it('cause a warning if a VAT number or a tax code is not valid', async () => {
    const row = await rowOf('Vatnumber;Taxcode;Username', '01234567890;RSSMRA80A01H501X;anna');
    expect(row?.kind === 'user' && row.warnings).toEqual([
      { code: 'VATNUMBER_INVALID', field: 'Vatnumber' },
      { code: 'TAXCODE_INVALID', field: 'Taxcode' },
    ]);
  });
});

describe('the check of VAT numbers', () => {
  it.each([
    '00743110157',
    'IT00743110157',
    'it 0074 3110 157',
    '12345670017',
    'DE123456789',
    'FR40303265045',
  ])('accepts %s', (number) => expect(checkVatnumber(number)).toBe(null));

  it.each(['00743110158', '0074311015', '007431101577', '00000000000', 'IT123', 'x'])(
    'reports %s',
    (number) => expect(checkVatnumber(number)).toBe('VATNUMBER_INVALID'),
  );

  it('reports lost zeros if the number is valid with them', () => {
    expect(checkVatnumber('743110157')).toBe('LEADING_ZEROS_LOST');
    expect(checkVatnumber('743110158')).toBe('VATNUMBER_INVALID');
  });
});

describe('the check of tax codes', () => {
  it.each([
    ['of a person', 'RSSMRA80A01H501U'],
    ['in lower case', 'rssmra80a01h501u'],
    ['with letters instead of digits', 'RSSMRAULALMHRLMD'],
    ['of a company', '00743110157'],
  ])('accepts one %s', (_, code) => expect(checkTaxcode(code)).toBe(null));

  it.each(['RSSMRA80A01H501X', 'RSSMRA80A01H501', 'RSSMRA80F01H501U', '12345678901', 'x'])(
    'reports %s',
    (code) => expect(checkTaxcode(code)).toBe('TAXCODE_INVALID'),
  );
});
