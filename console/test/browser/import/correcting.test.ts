import { canSignIn, storedUsernames } from '@anagrafe/testing/importing';
import { newUser } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { desktop, phone, useConsole } from '../browser.ts';
import { choose, correct, openImport, press, said } from './importing.ts';

const { service, office } = await useConsole();
// The files of the tests refer to this principal by its ID, 1.
await service.call('irs/insert', [{ Denomination: 'Prima' }], { headers: office });

describe('the import of rows with errors', () => {
  it('shows each row as a card on a phone, with every field inside the screen', async () => {
    const page = await openImport(service, office);
    await page.setViewportSize(phone);
    await choose(
      page,
      'card.csv',
      'Username,Email,Password,ID,Phone\ncard.1,card,una frase lunga,1,+39 010 1\n',
    );
    await press(page, 'Check rows');
    await said(page, '1 of 1 row with errors.');
    for (const field of ['Username', 'Email', 'Password', 'Phone']) {
      const box = await page.getByLabel(`${field}, line 2`).boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? Infinity) + (box?.width ?? 0)).toBeLessThanOrEqual(phone.width);
    }
    await correct(page, 'Email, line 2', 'card@example.com');
    await press(page, 'Check again');
    await said(page, '1 row, no errors.');
  });

  it('shows the wrong cells of a wide file beside the errors, in view and under an Italian heading', async () => {
    const page = await openImport(service, office, { locale: 'it-IT' });
    const header = 'Nome utente;Email;Telefono;Lingua;Attributes.A;Attributes.B;Password;ID;Stato';
    const row = 'wide.1;wide@example.com;055 1;it;uno;due;una frase lunga;1;acceso';
    await choose(page, 'wide.csv', `${header}\n${row}\n`, 'Scegli un file');
    await press(page, 'Controlla le righe');
    await said(page, 'Righe con errori: 1 su 1.');
    const headings = page.getByRole('region', { name: 'Righe', exact: true }).getByRole('columnheader');
    await expect
      .poll(async () => (await headings.allInnerTexts()).slice(0, 4))
      .toEqual(['Riga', 'Errori', 'Nome utente', 'Stato']);
    const cell = page.getByLabel('Stato, riga 2');
    expect(await cell.getAttribute('aria-invalid')).toBe('true');
    const box = await cell.boundingBox();
    expect((box?.x ?? Infinity) + (box?.width ?? 0)).toBeLessThanOrEqual(desktop.width);
    expect((await headings.nth(1).boundingBox())?.width).toBeGreaterThan(300);
  });

  it('returns to the first columns after a check, and to a wrong cell that is not beside them', async () => {
    const page = await openImport(service, office, {
      locale: 'it-IT',
      viewport: { width: 800, height: 800 },
    });
    const header = 'Nome utente;Email;Telefono;Lingua;Attributes.A;Attributes.B;Password;ID;Stato';
    const row = 'torna.1;torna@example.com;055 1;it;uno;due;una frase lunga;1;acceso';
    await choose(page, 'torna.csv', `${header}\n${row}\n`, 'Scegli un file');
    await press(page, 'Controlla le righe');
    await said(page, 'Righe con errori: 1 su 1.');
    const table = page.getByRole('table', { name: 'Righe' }).locator('xpath=..');
    const scrollToEnd = () =>
      table.evaluate((region: { scrollLeft: number; scrollWidth: number }) => {
        region.scrollLeft = region.scrollWidth;
      });
    const isInView = async (label: string) => {
      const [cell, box] = [await page.getByLabel(label).boundingBox(), await table.boundingBox()];
      if (!cell || !box) return null;
      return cell.x >= box.x && cell.x + cell.width <= box.x + box.width;
    };
    await scrollToEnd();
    expect(await isInView('Stato, riga 2')).toBe(false);
    await press(page, 'Ricontrolla');
    await expect.poll(() => isInView('Stato, riga 2')).toBe(true);
    await page.getByText('Tutte le righe', { exact: true }).click();
    await correct(page, 'Stato, riga 2', 'attivo');
    await scrollToEnd();
    await press(page, 'Ricontrolla');
    await said(page, 'nessun errore');
    await expect.poll(() => table.evaluate(({ scrollLeft }: { scrollLeft: number }) => scrollLeft)).toBe(0);
  });

  it('lets rows that fail after a successful check be corrected and sent again', async () => {
    const page = await openImport(service, office);
    await choose(
      page,
      'late.json',
      JSON.stringify([
        { Username: 'late.1', Password: 'una frase lunga' },
        { Username: 'late.2', Email: 'late.2@example.com', Password: 'una frase lunga' },
      ]),
    );
    await page.getByLabel('Identified by').selectOption('ExternalKey');
    await page.getByLabel('ID or external key').fill('LATE');
    await press(page, 'Check rows');
    await said(page, '2 of 2 rows with errors.');
    await service.call('irs/insert', [{ ExternalKey: 'LATE', Denomination: 'Late Srl' }], {
      headers: office,
    });
    await press(page, 'Check again');
    await said(page, '2 rows, no errors.');
    await page.getByText('No rows with errors').waitFor();
    await service.call('irs/update', [{ ExternalKey: 'LATE', Users: [newUser('late.2')] }], {
      headers: office,
    });
    await press(page, 'Import 2 rows');
    await said(page, 'Applied: 1. Failed: 1.');
    await press(page, 'Fix failed rows');
    await said(page, '1 of 1 row with errors.');
    await correct(page, 'Username, record 2', 'late.3');
    await press(page, 'Check again');
    await said(page, '1 row, no errors.');
    await press(page, 'Import 1 row');
    await said(page, 'Applied: 1.');
    expect((await storedUsernames(service)).filter((name) => name.startsWith('late'))).toEqual([
      'late.2',
      'late.1',
      'late.3',
    ]);
  });

  it('finds the same username in an update row and an insert row before they are sent', async () => {
    const page = await openImport(service, office);
    const content =
      'ID,Company,Username,Password\n1,,gemello,una frase lunga\n,Due,Gemello,una frase lunga\n';
    await choose(page, 'twins.csv', content);
    await press(page, 'Check rows');
    await said(page, '1 of 2 rows with errors.');
    await page.getByText('Username: An earlier row has the same username.').waitFor();
    await expect.poll(() => page.getByLabel('Username, line 3').getAttribute('aria-invalid')).toBe('true');
  });

  it('resets no password, whatever form a row has', async () => {
    const page = await openImport(service, office);
    const resets = [
      { ID: 1, Users: [newUser('beside'), { ID: 1, Password: 'una frase lunga' }] },
      { ID: 1, UserID: 1, Password: 'una frase lunga' },
    ];
    await choose(page, 'resets.json', JSON.stringify(resets));
    await press(page, 'Check rows');
    await said(page, '2 of 2 rows with errors.');
    await page.getByText(/^User 2, ID \(line \d+\): This row resets a password; .* on the page of/).waitFor();
    await page.getByText('User ID (password resets only): This row resets a password').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Import/ }).isDisabled()).toBe(true);
  });

  it('does not send a row with too many cells until the extra cells are removed', async () => {
    await service.call('irs/insert', [{ ExternalKey: 'SURPLUS' }], { headers: office });
    const page = await openImport(service, office);
    const row = 'surplus,SURPLUS,una frase lunga,a note';
    await choose(page, 'surplus.csv', `Username,ExternalKey,Password\n${row}\n`);
    await press(page, 'Check rows');
    await said(page, '1 of 1 row with errors.');
    await expect.poll(() => page.getByLabel('Extra cells, line 2').inputValue()).toBe('a note');
    await correct(page, 'Username, line 2', 'surplus.one');
    await press(page, 'Check again');
    await said(page, '1 of 1 row with errors.');
    await correct(page, 'Extra cells, line 2', '');
    await press(page, 'Check again');
    await said(page, 'no errors.');
    await press(page, 'Import 1 row');
    await said(page, 'Applied: 1.');
    expect(await canSignIn(service, 'surplus.one', 'una frase lunga')).toBe(true);
  });
});
