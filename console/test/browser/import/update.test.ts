import { canSignIn } from '@anagrafe/testing/importing';
import { newUser } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { useConsole } from '../browser.ts';
import { insert } from '../principals.ts';
import { choose, correct, downloaded, openImport, press, said } from './importing.ts';

const { service, office } = await useConsole();
const [rossi, bianchi] = await insert(service, office, [
  { Denomination: 'Rossi Srl', ExternalKey: 'C-1', Users: [newUser('mario', { Email: 'old@example.com' })] },
  { Denomination: 'Bianchi SpA', ExternalKey: 'C-2', Users: [newUser('bianca', { Phone: '02 1' })] },
]);
const password = String(newUser('any').Password);

const content = [
  'ExternalKey;Denomination;Username;Email;Phone',
  'C-1;Rossi SpA;mario;new@example.com;',
  'C-2;Bianchi SpA;bianca;;02 1',
  'C-3;Verdi Snc;vera;vera@example.com;',
  'C-3;Verdi Snc;vito;no address;',
].join('\n');

async function stored(ID: number | undefined): Promise<Record<string, unknown> | undefined> {
  const { body } = await service.call<Record<string, unknown>>('irs/list', { ID }, { headers: office });
  return body.result?.records[0];
}

describe('an import that creates and updates', () => {
  it('shows every change with both values, applies what was confirmed and keeps passwords', async () => {
    const page = await openImport(service, office);
    await choose(page, 'customers.csv', content);
    await page.getByLabel('Generate passwords').click();
    await page.getByLabel('Create and update').click();
    await press(page, 'Check rows');
    await said(page, '1 of 4 rows with errors.');
    await correct(page, 'Email, line 5', 'vito@example.com');
    await press(page, 'Check again');
    await said(page, '4 rows, no errors.');
    await page.getByText('Principals: 1 new, 1 changed. Users: 2 new, 1 changed.').waitFor();
    const row = (name: RegExp) =>
      page.getByRole('table', { name: 'Changes that the import would make' }).getByRole('row', { name });
    await row(/^Rossi SpA Change Company name: Rossi Srl → Rossi SpA/).waitFor();
    await row(/^mario .*Change Email: old@example\.com → new@example\.com/).waitFor();
    await row(/^Verdi Snc Create/).waitFor();
    await row(/^vera .*Register/).waitFor();
    expect(await row(/bianca/).count()).toBe(0);
    await expectAccessible(page);
    expect(await stored(rossi)).toMatchObject({ Denomination: 'Rossi Srl' });

    const before = await stored(bianchi);
    await press(page, 'Import 4 rows');
    await said(page, 'Applied: 3. Skipped, because stored already: 1.');
    expect(await stored(rossi)).toMatchObject({
      Denomination: 'Rossi SpA',
      Users: [{ Username: 'mario', Email: 'new@example.com' }],
    });
    expect(await stored(bianchi)).toEqual(before);
    expect(await canSignIn(service, 'mario', password)).toBe(true);
    await page.getByText('2 generated passwords').waitFor();
    const { bytes } = await downloaded(page, () => press(page, 'Download passwords'));
    const lines = bytes.toString('utf8').trim().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(';')[4])).toEqual(['vera', 'vito']);
    expect(await canSignIn(service, 'vera', lines[0]?.split(';')[6] ?? '')).toBe(true);
  });

  it('reports a row that contradicts an earlier row about its principal, and does not merge them', async () => {
    const page = await openImport(service, office);
    await choose(
      page,
      'contradiction.csv',
      'ExternalKey;Denomination;Username\nC-77;Alfa Srl;alfa.user\nC-77;Beta Srl;beta.user',
    );
    await page.getByLabel('Generate passwords').click();
    await page.getByLabel('Create and update').click();
    await press(page, 'Check rows');
    await page.getByText('"Beta Srl" contradicts line 2, which has "Alfa Srl"').first().waitFor();
  });

  it('compares and combines rows that name a principal by its ID and by its external key', async () => {
    const page = await openImport(service, office);
    const [id] = await insert(service, office, [{ Denomination: 'Due Nomi', ExternalKey: 'C-20' }]);
    const file = (name: string) =>
      `ID;ExternalKey;Denomination;Username\n;C-20;Due Nomi;due.1\n${id};;${name};due.2`;
    await choose(page, 'both.csv', file('Tre Nomi'));
    await page.getByLabel('Generate passwords').click();
    await page.getByLabel('Create and update').click();
    await press(page, 'Check rows');
    await said(page, '1 of 2 rows with errors.');
    await page.getByText('"Tre Nomi" contradicts line 2, which has "Due Nomi"').first().waitFor();
    await correct(page, 'Principal: company name, line 3', 'Due Nomi');
    await press(page, 'Check again');
    await said(page, '2 rows, no errors.');
    await page.getByText('Principals: 0 new, 0 changed. Users: 2 new, 0 changed.').waitFor();
    await press(page, 'Import 2 rows');
    await said(page, 'Applied: 2.');
    expect(await stored(id)).toMatchObject({ Users: [{ Username: 'due.1' }, { Username: 'due.2' }] });
  });

  it('counts rows whose values are stored already as skipped', async () => {
    const page = await openImport(service, office);
    await insert(service, office, [
      { Denomination: 'Uguale', ExternalKey: 'C-30', Users: [newUser('uguale')] },
      { Denomination: 'Vuota', ExternalKey: 'C-31' },
    ]);
    await choose(
      page,
      'equal.csv',
      'ExternalKey;Denomination;Username\nC-30;Uguale;uguale\nC-31;Vuota;\nC-32;Nuova;',
    );
    await page.getByLabel('Generate passwords').click();
    await page.getByLabel('Create and update').click();
    await press(page, 'Check rows');
    await press(page, 'Import 3 rows');
    await said(page, 'Applied: 1. Skipped, because stored already: 2.');
  });

  it('inserts one principal for rows that name it by no key, as the command line does, and shows them in the plan', async () => {
    const page = await openImport(service, office);
    await choose(
      page,
      'mixed.csv',
      'ExternalKey;Denomination;Username\nC-1;Rossi SpA;mario\n;Gialli Srl;giallo.1\n;Gialli Srl;giallo.2',
    );
    await page.getByLabel('Generate passwords').click();
    await page.getByLabel('Create and update').click();
    await press(page, 'Check rows');
    await said(page, '3 rows, no errors.');
    await page.getByText('Principals: 1 new, 0 changed. Users: 2 new, 0 changed.').waitFor();
    await page.getByRole('row', { name: /^giallo\.1 Gialli Srl Register/ }).waitFor();
    await press(page, 'Import 3 rows');
    await said(page, 'Applied: 2. Skipped, because stored already: 1.');
    await page.getByText('2 generated passwords').waitFor();
    const { bytes } = await downloaded(page, () => press(page, 'Download passwords'));
    const [, first = ''] = bytes.toString('utf8').trim().split('\r\n');
    expect(await canSignIn(service, 'giallo.1', first.split(';')[6] ?? '')).toBe(true);
    const inserted = await service.database.query(
      "select id from anagrafe.principals where denomination = 'Gialli Srl'",
    );
    expect(inserted).toHaveLength(1);
  });

  it('reports an error of the principal with the column of the file, also in a row without a user', async () => {
    const page = await openImport(service, office);
    await choose(
      page,
      'emails.csv',
      'ExternalKey;Denomination;PrincipalEmail;Username;Email\nC-8;Otto Srl;no address;;\nC-9;Nove Srl;wrong;nove;',
    );
    await page.getByLabel('Generate passwords').click();
    await page.getByLabel('Create and update').click();
    await press(page, 'Check rows');
    await said(page, '2 of 2 rows with errors.');
    for (const line of [2, 3]) {
      const invalid = (field: string) => page.getByLabel(`${field}, line ${line}`, { exact: true });
      await expect.poll(() => invalid('Principal: email').getAttribute('aria-invalid')).toBe('true');
      await expect.poll(() => invalid('Email').getAttribute('aria-invalid')).not.toBe('true');
    }
    await expect.poll(() => page.getByText(/^Principal: email: This is not a valid email/).count()).toBe(2);
  });

  it('is refused if the stored data has changed since the check, and is planned again', async () => {
    const page = await openImport(service, office, {}, 412);
    await choose(page, 'one.csv', 'ExternalKey;Denomination;Username\nC-2;Bianchi Srl;bianca');
    await page.getByLabel('Generate passwords').click();
    await page.getByLabel('Create and update').click();
    await press(page, 'Check rows');
    // The button appears with the plan; the name of the company is shown before, with the row.
    await page.getByRole('button', { name: 'Import 1 row' }).waitFor();
    await service.call('irs/update', [{ ID: bianchi, Vatnumber: 'IT123' }], { headers: office });
    await press(page, 'Import 1 row');
    const alert = page.getByRole('alert').filter({ hasText: 'Import failed' });
    await alert.waitFor();
    await alert.getByRole('button', { name: 'Retry' }).click();
    await alert.waitFor({ state: 'hidden' });
    await press(page, 'Import 1 row');
    await said(page, 'Applied: 1.');
    expect(await stored(bianchi)).toMatchObject({ Denomination: 'Bianchi Srl', Vatnumber: 'IT123' });
  });

  it('refuses rows that differ from the stored data if it only creates', async () => {
    const page = await openImport(service, office);
    await choose(
      page,
      'again.csv',
      'ExternalKey;Denomination;Username;Password\nC-1;Altra Srl;nuovo;una frase lunga',
    );
    await press(page, 'Check rows');
    await said(page, '1 of 1 row with errors.');
    await page.getByText(/Rossi SpA.*Altra Srl|Altra Srl.*Rossi SpA/).waitFor();
  });
});
