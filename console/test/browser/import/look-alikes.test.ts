import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { useConsole } from '../browser.ts';
import { insert } from '../principals.ts';
import { choose, openImport, press, said } from './importing.ts';

const { service, office } = await useConsole();
await insert(service, office, [
  { Denomination: 'Rossi Srl', ExternalKey: '00123', Vatnumber: '01234567890' },
  { Denomination: 'Verdi Srl', ExternalKey: '00456' },
]);

const content = [
  'ExternalKey;Denomination;Vatnumber;Username;Password',
  '123;Rossi Srl;1234567890;mario;una frase lunga',
  '456;Verdi Srl;;vera;una frase lunga',
  '789;Neri Srl;;nero;una frase lunga',
].join('\n');

async function keys(): Promise<unknown[]> {
  const { body } = await service.call<{ ExternalKey: string }>('irs/list', {}, { headers: office });
  return (body.result?.records ?? []).map(({ ExternalKey }) => ExternalKey);
}

describe('an import of new principals that look like stored ones', () => {
  it('shows both beside each other, and creates those that a person accepts', async () => {
    const page = await openImport(service, office);
    await choose(page, 'customers.csv', content);
    await press(page, 'Check rows');
    await said(page, '2 of 3 rows with errors.');
    const sides = page.getByRole('row').filter({ hasText: '01234567890' }).first();
    for (const text of ['This row', 'Stored, ID 1', '00123', '123', 'Rossi Srl', '1234567890'])
      expect(await sides.textContent()).toContain(text);
    await expectAccessible(page);
    await page.getByLabel('Both are right: create this one too').first().check();
    await press(page, 'Check again');
    await said(page, '1 of 3 rows with errors.');
    await press(page, 'Import 2 rows');
    await said(page, 'Applied: 2.');
    expect(await keys()).toEqual(['00123', '00456', '123', '789']);
  });

  it('creates all of them if a person accepts those of the file', async () => {
    const page = await openImport(service, office);
    await choose(
      page,
      'all.csv',
      'ExternalKey;Denomination;Username;Password\n0789;Neri Srl;nera;una frase lunga',
    );
    await page.getByLabel('Create principals that look like others').click();
    await press(page, 'Check rows');
    await said(page, '1 row, no errors.');
    await press(page, 'Import 1 row');
    await said(page, 'Applied: 1.');
    expect(await keys()).toContain('0789');
  });
});
