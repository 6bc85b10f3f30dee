import { describe, it } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { useConsole } from '../browser.ts';
import { choose, openImport, press, said } from './importing.ts';

const { service, office } = await useConsole();
// The file of the test refers to this principal by its ID, 1.
await service.call('irs/insert', [{ Denomination: 'Prima' }], { headers: office });

describe('in light and dark, on a desktop and on a phone', () => {
  it('the import is accessible from the choice of a file to its result', async () => {
    const page = await openImport(service, office);
    await expectAccessible(page);
    await choose(page, 'no.xlsx', Uint8Array.of(0x50, 0x4b, 0x03, 0x04));
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    const rows = ['looked.at,una frase lunga,a@example.com', 'looked.at.2,breve,b'];
    await choose(
      page,
      'users.csv',
      ['Username,Password,Email,Note', ...rows.map((row) => `${row},x`)].join('\n'),
    );
    await page.getByLabel('ID or external key').fill('1x');
    await page.getByText('Enter a whole number').waitFor();
    await expectAccessible(page);
    await page.getByLabel('ID or external key').fill('1');
    await press(page, 'Check rows');
    await said(page, '1 of 2 rows with errors.');
    await expectAccessible(page);
    await press(page, 'Import 1 row');
    await said(page, 'Applied: 1. Failed: 1.');
    await expectAccessible(page);
  });
});
