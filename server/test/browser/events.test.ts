import { describe, expect, it } from 'vitest';
import { credential } from '../setup/admin.ts';
import { allSealed } from '../setup/journal.ts';
import { newUser } from '../setup/service.ts';
import { enter, startConsole, useBrowser, visit } from './browser.ts';
import { fill } from './filled.ts';

useBrowser();

describe('the events', () => {
  it('are read in order, by type, and read on', async () => {
    const service = await startConsole();
    const headers = await credential(service);
    await fill(service, headers);
    await allSealed(service);
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/events', headers);
    const table = page.getByRole('table', { name: 'Events' });
    await table.getByRole('row', { name: /User registered.*mario\.rossi · principal 1/ }).waitFor();
    const types = page.getByLabel('Type', { exact: true });
    await types.selectOption({ label: 'Call completed' });
    await expect.poll(() => table.getByRole('row').count(), { timeout: 10_000 }).toBe(3);
    await table.getByText('Users · 3 records, 2 not applied').waitFor();
    await types.selectOption({ label: 'Password reset' });
    await page.getByText('None of this type so far').waitFor();
    await page.getByText('The beginning').click();
    await types.selectOption({ label: 'Principal inserted' });
    await expect.poll(() => table.getByRole('row').count(), { timeout: 10_000 }).toBe(3);
    expect(new URL(page.url()).search).toBe('?from=beginning&type=principal.inserted');

    const more = [{ Denomination: 'Later', Users: [newUser('later')] }];
    await service.call('irs/insert', more, { headers });
    await allSealed(service);
    await page.getByRole('button', { name: 'Read on' }).click();
    await expect.poll(() => table.getByRole('row').count(), { timeout: 10_000 }).toBe(4);

    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await page.getByRole('table', { name: 'Eventi' }).getByText('anagrafica 1').waitFor();
  });
});
