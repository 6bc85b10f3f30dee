import { latin, readFile } from '@anagrafe/testing/import-file';
import { canSignIn, storedUsernames } from '@anagrafe/testing/importing';
import { holding, principalLock } from '@anagrafe/testing/jobs';
import { newUser } from '@anagrafe/testing/service';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { useConsole } from '../browser.ts';
import { choose, correct, downloaded, openImport, press, said } from './importing.ts';

const { service, office } = await useConsole();
// The files of the tests refer to this principal by its ID, 1.
await service.call('irs/insert', [{ Denomination: 'Prima' }], { headers: office });

/** Drops a file on the page, as a drag from a file manager does. */
async function drop(page: Page, name: string, content: Uint8Array): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.of(${content})], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  await page
    .getByText('Drop a CSV, Excel (.xlsx), JSON or NDJSON file here')
    .dispatchEvent('drop', { dataTransfer });
}

const contentWithErrors = [
  'Nome utente;E-mail;Parola;Codice cliente;Ragione sociale;Note',
  'nicolò;nicolo@example.com;una frase lunga;C1;"Caffè ""Città""";è il primo',
  'anna;anna.example.com;una frase lunga;C1;;',
  'luca;luca@example.com;breve;C1;;"=1+1"',
  'nicolò;altro@example.com;una frase lunga;C1;;',
  'rita;rita@example.com;una frase lunga;C1;;;troppo',
].join('\r\n');

describe('the import', () => {
  it('reads a CSV file from Excel in Italy, lets its columns be mapped and its rows be corrected, and imports it', async () => {
    const before = await storedUsernames(service);
    const page = await openImport(service, office);
    await drop(page, 'clienti.csv', latin(contentWithErrors));
    await page.getByText('clienti.csv (5 rows)').waitFor();
    await expect.poll(() => page.getByLabel('Nome utente maps to').inputValue()).toBe('Username');
    await expect.poll(() => page.getByLabel('Note maps to').inputValue()).toBe('');
    await expect.poll(() => page.getByRole('row', { name: /^Note/ }).innerText()).toContain('è il primo');

    await press(page, 'Check rows');
    await page.getByRole('alert').filter({ hasText: 'no column for Password or PasswordHash' }).waitFor();
    await page.getByLabel('Parola maps to').selectOption('Password');
    await press(page, 'Check rows');
    await said(page, '4 of 5 rows with errors.');
    const row = (line: number) =>
      page.getByRole('row').filter({ has: page.getByRole('cell', { name: String(line), exact: true }) });
    await expect.poll(() => row(3).innerText()).toContain('Email: This is not a valid email address.');
    await expect.poll(() => row(4).innerText()).toContain('Password: ');
    await expect.poll(() => row(5).innerText()).toContain('Username: ');
    await expect.poll(() => row(6).innerText()).toContain('The row has 7 cells; expected 6.');
    await expect.poll(() => page.getByLabel('Email, line 3').getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => page.getByLabel('Email, line 4').getAttribute('aria-invalid')).not.toBe('true');
    await expect.poll(() => page.getByLabel('Password, line 4').getAttribute('type')).toBe('password');
    await expect.poll(() => row(2).count()).toBe(0);
    await page.getByText('All rows', { exact: true }).click();
    await expect.poll(() => row(2).innerText()).toContain('OK');

    await correct(page, 'Email, line 3', 'anna@example.com');
    await correct(page, 'Password, line 4', 'una frase abbastanza lunga');
    await page.keyboard.press('Tab');
    await said(page, 'Rows have changed.');
    await expect.poll(() => page.getByRole('button', { name: /^Import \d/ }).isDisabled()).toBe(true);
    await press(page, 'Check again');
    await said(page, '2 of 5 rows with errors.');
    expect(await storedUsernames(service)).toEqual(before);
    await press(page, 'Import 3 rows');
    await said(page, 'Applied: 3. Failed: 2.');

    expect(await storedUsernames(service)).toEqual([...before, 'nicolò', 'anna', 'luca']);
    expect(await canSignIn(service, 'luca', 'una frase abbastanza lunga')).toBe(true);
    const found = await service.call<{ Denomination: string; UsersCount: number }>(
      'irs/list',
      { ExternalKey: 'C1' },
      { headers: office },
    );
    expect(found.body.result?.records).toMatchObject([{ Denomination: 'Caffè "Città"', UsersCount: 3 }]);

    const { name, bytes } = await downloaded(page);
    expect(name).toBe('clienti-failed.csv');
    const text = bytes.toString();
    expect(text.startsWith('\ufeffAnagrafe line;Anagrafe errors;Nome utente;E-mail;Parola;')).toBe(true);
    expect(text).toMatch(/\r\n5;Username: [^;]+;nicolò;altro@example.com;una frase lunga;C1;;\r\n/);
    const { rows } = await readFile(bytes, { columns: { Parola: 'Password' } });
    expect(rows.map(({ source }) => source)).toEqual([
      ['nicolò', 'altro@example.com', 'una frase lunga', 'C1', '', ''],
      ['rita', 'rita@example.com', 'una frase lunga', 'C1', '', '', 'troppo'],
    ]);
  });

  it('accepts whole records as NDJSON', async () => {
    const page = await openImport(service, office);
    const records = ['Uno', 'Due'].map((Denomination) => ({
      Denomination,
      Users: [newUser(`${Denomination}.a`), newUser(`${Denomination}.b`)],
    }));
    await choose(page, 'records.ndjson', records.map((record) => JSON.stringify(record)).join('\n'));
    await page.getByText('There are no columns to map').waitFor();
    await press(page, 'Check rows');
    await said(page, '2 rows, no errors.');
    await press(page, 'Import 2 rows');
    await said(page, 'Applied: 2.');
    expect(await storedUsernames(service)).toEqual(
      expect.arrayContaining(['Uno.a', 'Uno.b', 'Due.a', 'Due.b']),
    );
  });

  it('checks 2,002 rows together, so that a row may refer to a principal from an earlier row', async () => {
    const page = await openImport(service, office);
    const rows = Array.from({ length: 2_001 }, (_, n) => `far.${n},una frase lunga,FAR,`);
    const content = ['Username,Password,ExternalKey,Company', 'far,una frase lunga,FAR,Far Srl', ...rows];
    await choose(page, 'far.csv', content.join('\n'));
    await press(page, 'Check rows');
    await said(page, '2,002 rows, no errors.');
    await page.getByText('All rows', { exact: true }).click();
    await page.getByRole('button', { name: 'Last page' }).click();
    await correct(page, 'Username, line 2,003', 'FAR.1');
    await page.keyboard.press('Tab');
    const last = page.getByRole('row').filter({ has: page.getByLabel('Username, line 2,003') });
    await last.getByText('OK', { exact: true }).waitFor();
    await press(page, 'Check again');
    await said(page, '1 of 2,002 rows with errors.');
  });

  it('shows its progress, and continues when the user leaves the page', async () => {
    const { body } = await service.call('irs/insert', [{ ExternalKey: 'MANY', Denomination: 'Many Srl' }], {
      headers: office,
    });
    const principal = body.result?.records[0]?.Item1 ?? 0;
    const page = await openImport(service, office);
    const rows = Array.from({ length: 400 }, (_, n) => `many.${n},una frase lunga,MANY,Many Srl`);
    await choose(page, 'many.csv', ['Username,Password,ExternalKey,Company', ...rows].join('\n'));
    await press(page, 'Check rows');
    await said(page, 'no errors.');
    await page.getByText('All rows', { exact: true }).click();
    await page.getByText('1–25 of 400').waitFor();
    await page.getByRole('button', { name: 'Last page' }).click();
    await expect.poll(() => page.getByLabel('Username, line 401').inputValue()).toBe('many.399');
    // The lock keeps the job running until its page is open.
    await holding(service, principalLock(principal), async () => {
      await press(page, 'Import 400 rows');
      await page.getByText('You can leave this page').waitFor();
      await page.getByRole('progressbar', { name: /of 400 users$/ }).waitFor({ state: 'attached' });
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Show jobs' }).click();
      await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
      await page.getByRole('row', { name: /400/ }).first().waitFor();
    });
    const count = async () =>
      (await storedUsernames(service)).filter((name) => name.startsWith('many.')).length;
    await expect.poll(count).toBe(400);
  });

  it('shows why a file cannot be read, and accepts another one', async () => {
    const page = await openImport(service, office);
    const refused = (why: string) => page.getByRole('alert').filter({ hasText: why }).waitFor();
    await choose(page, 'users.xlsx', Uint8Array.of(0x50, 0x4b, 0x03, 0x04, 0, 0, 0, 0));
    await refused('The .xlsx file cannot be read');
    await choose(page, 'open.csv', 'Username,Password\n"anna,una frase');
    await refused('The quote that opens on line 2 is not closed');
    await choose(page, 'empty.csv', 'Username,Password\n');
    await refused('The file has no rows.');
    await choose(page, 'large.csv', `Username\n${'a\n'.repeat(100_001)}`);
    await refused('more than 100,000 rows. Import it with "anagrafe import"');
    await choose(page, 'large.csv', 'Username,Password,ID\nanna.2,una frase lunga,1\n');
    await page.getByText('large.csv (1 row)').waitFor();
    await press(page, 'Choose another file');
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Choose file');
  });

  it('is translated into Italian, with its error messages', async () => {
    const page = await openImport(service, office);
    await press(page, 'Language');
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await page.getByRole('heading', { name: 'Importazione', level: 1 }).waitFor();
    await choose(page, 'utenti.xls', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0, 0), 'Scegli un file');
    await page.getByRole('alert').filter({ hasText: 'È un foglio di calcolo' }).waitFor();
    const content = 'Utente;Password;ID anagrafica\nugo;breve;1\npia;una frase lunga;1a\n';
    await choose(page, 'utenti.csv', content, 'Scegli un file');
    await press(page, 'Controlla le righe');
    await said(page, 'Righe con errori: 2 su 2.');
    await page.getByText(/^Password: .*caratteri/).waitFor();
    await page.getByText('ID deve essere un numero intero maggiore di zero.').waitFor();

    await press(page, 'Scegli un altro file');
    const rows = [
      { ID: 1, Username: 'gemella', Password: 'una frase lunga' },
      { Denomination: 'Due', Username: 'gemella', Password: 'una frase lunga' },
      { ID: 1, Users: [{ ID: 1, Password: 'una frase lunga' }] },
    ];
    await choose(page, 'utenti.json', JSON.stringify(rows), 'Scegli un file');
    await press(page, 'Controlla le righe');
    await said(page, 'Righe con errori: 2 su 3.');
    await page.getByText('Nome utente: Nome utente già presente in una riga precedente.').waitFor();
    await page.getByText(/Questa riga reimposta una password; .* nella pagina dell'anagrafica/).waitFor();
  });
});
