import { canSignIn, storedUsernames } from '@anagrafe/testing/importing';
import { workbookFiles, zip } from '@anagrafe/testing/workbook-files';
import { describe, expect, it } from 'vitest';
import { openImportFile } from '../../../../importer/src/index.ts';
import { expectAccessible } from '../accessibility.ts';
import { useConsole } from '../browser.ts';
import { choose, downloaded, openImport, press, said } from './importing.ts';

const { service, office } = await useConsole();
await service.call('irs/insert', [{ Denomination: 'Prima', ExternalKey: 'P-1' }], { headers: office });

const content = [
  'Username;Email;ExternalKey',
  'pia;pia@example.com;P-1',
  'piero;not an address;P-1',
  'pino;=cmd@example.com;P-1',
].join('\n');

/** An Excel workbook with one sheet. */
function workbook(rows: readonly (readonly string[])[]): Uint8Array {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const row = (cells: readonly string[], at: number) =>
    `<row r="${at + 1}">${cells.map(cell).join('')}</row>`;
  return zip(workbookFiles({ sheets: { Utenti: rows.map(row).join('') } }));
}

describe('an Excel workbook', () => {
  it('is imported like a CSV file', async () => {
    const page = await openImport(service, office);
    const rows = [
      ['Nome utente', 'Email', 'Password', 'Codice cliente'],
      ['xenia', 'xenia@example.com', 'una frase lunga', 'P-1'],
      ['xavier', 'not an address', 'una frase lunga', 'P-1'],
    ];
    await choose(page, 'utenti.xlsx', workbook(rows));
    await page.getByText('utenti.xlsx (2 rows)').waitFor();
    await press(page, 'Check rows');
    await said(page, '1 of 2 rows with errors.');
    await press(page, 'Import 1 row');
    await said(page, 'Applied: 1. Failed: 1.');
    expect(await canSignIn(service, 'xenia', 'una frase lunga')).toBe(true);
    const { name, bytes } = await downloaded(page);
    expect(name).toBe('utenti-failed.xlsx');
    const failed = await openImportFile(new Blob([new Uint8Array(bytes)]).stream());
    const cells: unknown[] = [];
    for await (const { source } of failed) cells.push(source);
    expect(cells).toEqual([rows[2]]);
  });

  it('that decompresses to far more than its size is refused with the limit', async () => {
    const page = await openImport(service, office);
    await choose(page, 'utenti.xlsx', zip(workbookFiles({ sheets: { A: '<row/>'.repeat(1_048_577) } })));
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'more than 1,048,576 rows, including empty ones' }).waitFor();
  });
});

describe('a check of rows that are only created', () => {
  it('says how many principals and users would be created', async () => {
    const page = await openImport(service, office);
    const rows = ['C-81;Uno Srl;conto.1', 'C-81;Uno Srl;conto.2', 'C-82;Due Srl;', 'P-1;Prima;conto.3'];
    await choose(page, 'new.csv', ['ExternalKey;Denomination;Username', ...rows].join('\n'));
    await page.getByLabel('Generate passwords').click();
    await press(page, 'Check rows');
    await page.getByText('New: 2 principals, 3 users.').waitFor();
  });

  it('keeps rows that seem to be totals when asked', async () => {
    const page = await openImport(service, office);
    const rows = ['C-83;Tre Srl;totale.1', 'Totale;1;'];
    await choose(page, 'totals.csv', ['ExternalKey;Denomination;Username', ...rows].join('\n'));
    await page.getByText('Rows that seem to be totals or headings are left out: 1 (line 3)').waitFor();
    await page.getByLabel('Generate passwords').click();
    await press(page, 'Check rows');
    await page.getByText('New: 1 principal, 1 user.').waitFor();
    await page.getByLabel('Keep these rows: they are data').click();
    await page.getByText('totals.csv (2 rows)').waitFor();
    await page.getByLabel('Generate passwords').click();
    await press(page, 'Check rows');
    await page.getByText('New: 2 principals, 1 user.').waitFor();
    await expectAccessible(page);
  });
});

describe('generated passwords', () => {
  it('are offered as a file once, for the users that were registered, and the page warns before they are lost', async () => {
    const page = await openImport(service, office);
    await choose(page, 'people.csv', content);
    await press(page, 'Check rows');
    await page.getByRole('alert').filter({ hasText: 'no column for Password' }).waitFor();
    await page.getByLabel('Generate passwords').click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await press(page, 'Check rows');
    await said(page, '1 of 3 rows with errors.');
    await press(page, 'Import 2 rows');
    await said(page, 'Applied: 2.');
    await page.getByText('2 generated passwords').waitFor();
    await page.getByText('They are stored nowhere and cannot be shown again.', { exact: false }).waitFor();
    await expectAccessible(page);

    await press(page, 'Choose another file');
    const warning = page.getByRole('dialog', { name: 'Discard this file?' });
    await warning.getByText('generated passwords that you have not downloaded').waitFor();
    await warning.getByRole('button', { name: 'Cancel' }).click();
    const { name, bytes } = await downloaded(page, () => press(page, 'Download passwords'));
    expect(name).toBe('people-passwords.csv');
    const lines = bytes.toString('utf8').replace('\ufeff', '').trim().split('\r\n');
    expect(lines[0]).toBe('Line;PrincipalID;ExternalKey;UserID;Username;Email;Password');
    const rows = lines.slice(1).map((line) => line.split(';'));
    expect(rows.map((cells) => cells.slice(0, 6))).toEqual([
      ['2', '', 'P-1', '', 'pia', 'pia@example.com'],
      ['4', '', 'P-1', '', 'pino', "'=cmd@example.com"],
    ]);
    for (const [, , , , username = '', , password = ''] of rows)
      expect(await canSignIn(service, username, password)).toBe(true);
    expect(await storedUsernames(service)).toEqual(expect.arrayContaining(['pia', 'pino']));
    expect(await page.content()).not.toContain(rows[0]?.[6]);
  });
});

describe('the columns of a file', () => {
  const rows = (name: string) =>
    `Login;Ditta;Conto;Partita IVA;Fax\n${name};Numeri Srl ;N-1;12345678901;02 1234`;

  it('are mapped as in the last file with the same columns, and by their names on request', async () => {
    const page = await openImport(service, office);
    const field = (column: string) => page.getByLabel(`${column} maps to`, { exact: true });
    await choose(page, 'first.csv', rows('numeri.1'));
    await expect.poll(() => field('Conto').inputValue()).toBe('');
    await field('Conto').selectOption('ExternalKey');
    await press(page, 'Choose another file');
    await choose(page, 'second.csv', rows('numeri.2'));
    await page.getByText('Mapped as in the last file with these columns.').waitFor();
    await expect.poll(() => field('Conto').inputValue()).toBe('ExternalKey');
    await expect.poll(() => field('Login').inputValue()).toBe('Username');
    await press(page, 'Map by column names');
    await expect.poll(() => field('Conto').inputValue()).toBe('');
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toMatch(/Conto|Ditta/);
  });

  it('that are not imported are reported after the check, with values that may be mistakes', async () => {
    const page = await openImport(service, office);
    await choose(page, 'numbers.csv', rows('numeri.3'));
    await page.getByLabel('Conto maps to', { exact: true }).selectOption('ExternalKey');
    await page.getByLabel('Ditta maps to', { exact: true }).selectOption('Denomination');
    await page.getByLabel('Generate passwords').click();
    await press(page, 'Check rows');
    await said(page, '1 row, no errors.');
    const warnings = page.getByRole('note').filter({ hasText: 'Values to check' }).getByRole('listitem');
    await expect
      .poll(() => warnings.allInnerTexts())
      .toEqual([
        'Principal: company name: spaces before or after the value are removed in 1 row (line 2)',
        'Principal: VAT number: not a valid Italian VAT number in 1 row (line 2)',
        'Column "Fax" is not used (numbers in 1 row).',
      ]);
    await expectAccessible(page);
  });
});
