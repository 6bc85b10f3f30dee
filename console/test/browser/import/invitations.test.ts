import { canSignIn } from '@anagrafe/testing/importing';
import { answered, codesIn, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { enter, useConsole, visit } from '../browser.ts';
import { rowOf } from '../principals.ts';
import { choose, downloaded, openImport, press, said } from './importing.ts';

const mailServer = await startMailServer({
  onRecipient: (address) => (address.startsWith('sconosciuta') ? answered(550, '5.1.1 User unknown') : null),
});
const { service, office } = await useConsole(mailSettingsOf(mailServer));
const known = [
  { Username: 'vecchio', Password: 'a long enough sentence', ConfirmPassword: 'a long enough sentence' },
];
await service.call('irs/insert', [{ Denomination: 'Prima', ExternalKey: 'P-1', Users: known }], {
  headers: office,
});

async function setPassword(Code: string | undefined, Password: string): Promise<number> {
  return (await service.call('password/set', { Code, Password, ConfirmPassword: Password })).status;
}

describe('an import that invites', () => {
  it('by email sends a mail to each new user, and refuses those without an address before the import', async () => {
    const page = await openImport(service, office);
    const rows = ['anna;anna@example.com;P-1', 'senza;;P-1', 'sconosciuta;sconosciuta@example.com;P-1'];
    await choose(page, 'people.csv', ['Username;Email;ExternalKey', ...rows].join('\n'));
    await page.getByLabel('Generate passwords').click();
    await page.getByLabel('Invite new users').click();
    expect(await page.getByLabel('Generate passwords').isChecked()).toBe(false);
    await expectAccessible(page);
    await press(page, 'Check rows');
    await said(page, '1 of 3 rows with errors.');
    await press(page, 'Import 2 rows');
    await said(page, 'Applied: 2. Failed: 1.');
    await expect.poll(() => mailServer.to('anna@example.com').length, { timeout: 20_000 }).toBe(1);
    const [mail] = mailServer.to('anna@example.com');
    expect(await setPassword(mail && codesIn(mail)[0], 'another long sentence')).toBe(200);
    await downloaded(page);
    await page.getByRole('link', { name: 'Show mails' }).click();
    await page.getByText(/^Mails of import [0-9a-f]{8}$/).waitFor();
    await rowOf(page, 'Mails', /sconosciuta.*Failed.*5\.1\.1 User unknown/s).waitFor();
  });

  it('with codes changes no existing user, and issues the codes of the new ones as a file', async () => {
    const page = await openImport(service, office);
    const rows = ['bice;;P-1', 'vecchio;vecchio@example.com;P-1'];
    await choose(page, 'people.csv', ['Username;Email;ExternalKey', ...rows].join('\n'));
    await page.getByLabel('Create and update').click();
    await page.getByLabel('Invite new users').click();
    await page.getByLabel('Hand out a code').click();
    await press(page, 'Check rows');
    await press(page, 'Import 2 rows');
    await said(page, 'Applied: 2.');
    await press(page, 'Invitation codes');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Issue codes' }).click();
    await dialog.getByText('1 code issued.').waitFor();
    const { bytes } = await downloaded(page, () => dialog.getByRole('button', { name: /CSV/ }).click());
    const [, ...lines] = bytes.toString('utf8').trim().split('\r\n');
    expect(lines).toHaveLength(1);
    const cells = lines[0]?.split(',') ?? [];
    expect(cells).toContain('bice');
    expect(await setPassword(cells[7], 'another long sentence')).toBe(200);
    expect(await page.content()).not.toContain(cells[7]);
    expect(await canSignIn(service, 'vecchio', 'a long enough sentence')).toBe(true);
  });
});

describe('a synchronisation that invites', () => {
  const file = (...rows: readonly string[]) =>
    ['ExternalKey;Denomination;Username;Email', ...rows.map((row) => `P-2;Sincro;${row}`)].join('\n');

  it('by email sends a mail to each new user, and shows the mails of this synchronisation alone', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/sync', office);
    await choose(page, 'people.csv', file('dora;dora@example.com'));
    await page.getByLabel('Invite new users').click();
    await expectAccessible(page);
    await press(page, 'Compare');
    await press(page, 'Apply changes');
    await said(page, '2 changes applied.');
    await expect.poll(() => mailServer.to('dora@example.com').length, { timeout: 20_000 }).toBe(1);
    await page.getByRole('link', { name: 'Show mails' }).click();
    await rowOf(page, 'Mails', /dora/).waitFor();
    expect(await page.getByRole('table', { name: 'Mails' }).getByRole('row').count()).toBe(2);
    await press(page, 'Show all');
    await rowOf(page, 'Mails', /sconosciuta/).waitFor();
  });

  it('with codes issues those of the new users alone', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/sync', office);
    await choose(page, 'people.csv', file('dora;dora@example.com', 'elio;'));
    await page.getByLabel('Invite new users').click();
    await page.getByLabel('Hand out a code').click();
    await press(page, 'Compare');
    await press(page, 'Apply changes');
    await said(page, '1 change applied.');
    await press(page, 'Invitation codes');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Issue codes' }).click();
    await dialog.getByText('1 code issued.').waitFor();
    const { bytes } = await downloaded(page, () => dialog.getByRole('button', { name: /CSV/ }).click());
    expect(bytes.toString('utf8')).toContain('elio');
  });
});
