import { describe, expect, it } from 'vitest';
import { canSignIn, storedUsernames } from '../../import/importing.ts';
import { newUser } from '../../setup/service.ts';
import { useConsole } from '../browser.ts';
import { choose, correct, openImport, press, said } from './importing.ts';

const { service, office } = await useConsole();
// The files of the tests refer to this principal by its ID, 1.
await service.call('irs/insert', [{ Denomination: 'Prima' }], { headers: office });

describe('the import of rows with errors', () => {
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
    await page.getByLabel('Known by').selectOption('ExternalKey');
    await page.getByLabel('Its ID or key').fill('LATE');
    await press(page, 'Check the rows');
    await said(page, 'Rows with problems: 2 of 2.');
    await service.call('irs/insert', [{ ExternalKey: 'LATE', Denomination: 'Late Srl' }], {
      headers: office,
    });
    await press(page, 'Check again');
    await said(page, 'Rows: 2. All of them are fine.');
    await page.getByText('No row has a problem.').waitFor();
    await service.call('irs/update', [{ ExternalKey: 'LATE', Users: [newUser('late.2')] }], {
      headers: office,
    });
    await press(page, 'Import 2 rows');
    await said(page, 'Rows imported: 1. Rows not imported: 1.');
    await press(page, 'Mend the rows that failed');
    await said(page, 'Rows with problems: 1 of 1.');
    await correct(page, 'Username, line 1', 'late.3');
    await press(page, 'Check again');
    await said(page, 'Rows: 1. All of them are fine.');
    await press(page, 'Import 1 row');
    await said(page, 'Rows imported: 1.');
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
    await press(page, 'Check the rows');
    await said(page, 'Rows with problems: 1 of 2.');
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
    await press(page, 'Check the rows');
    await said(page, 'Rows with problems: 2 of 2.');
    await page
      .getByText(/^User 2, ID \(line \d+\): This would reset a password, .* on the page of/)
      .waitFor();
    await page.getByText('User ID (for resets): This would reset a password').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Import/ }).isDisabled()).toBe(true);
  });

  it('does not send a row with too many cells until the extra cells are removed', async () => {
    await service.call('irs/insert', [{ ExternalKey: 'SURPLUS' }], { headers: office });
    const page = await openImport(service, office);
    const row = 'surplus,SURPLUS,una frase lunga,a note';
    await choose(page, 'surplus.csv', `Username,ExternalKey,Password\n${row}\n`);
    await press(page, 'Check the rows');
    await said(page, 'Rows with problems: 1 of 1.');
    await expect.poll(() => page.getByLabel('Cells too many, line 2').inputValue()).toBe('a note');
    await correct(page, 'Username, line 2', 'surplus.one');
    await press(page, 'Check again');
    await said(page, 'Rows with problems: 1 of 1.');
    await correct(page, 'Cells too many, line 2', '');
    await press(page, 'Check again');
    await said(page, 'All of them are fine.');
    await press(page, 'Import 1 row');
    await said(page, 'Rows imported: 1.');
    expect(await canSignIn(service, 'surplus.one', 'una frase lunga')).toBe(true);
  });
});
