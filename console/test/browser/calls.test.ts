import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { enter, phone, useConsole, visit } from './browser.ts';
import { fill } from './filled.ts';

const { service, office } = await useConsole();
await fill(service, office);

describe('the calls pages', () => {
  it('filter by calls with failed records, show their errors, and offer these records as a file', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/calls', office);
    const rows = page.getByRole('table', { name: 'Calls' }).getByRole('row');
    await page.getByRole('row', { name: /Create principals/ }).waitFor();
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('switch', { name: 'With failed records only' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => new URL(page.url()).search).toBe('?failed=true');
    await expect
      .poll(() => rows.nth(1).innerText())
      .toMatch(/Update users · \w{8}\s+office\s+3\s+2\s+2\s+[\d,]+ ms/);

    await rows.nth(1).getByRole('link').click();
    const figures = page.getByRole('region', { name: 'Summary' });
    await figures.getByText('127.0.0.1').waitFor();
    const records = page.getByRole('region', { name: 'Records', exact: true });
    const applied = records.getByText('Applied', { exact: true }).filter({ visible: true });
    await expect.poll(() => applied.count()).toBe(1);
    await records.getByText(/User 1, Username: .*USERNAME_TAKEN/).waitFor();
    await records.getByRole('switch', { name: 'Failed only' }).click();
    await expect.poll(() => applied.count()).toBe(0);
    await records.getByText(/User 1, Password: .*PASSWORD_TOO_SHORT/).waitFor();
    const numbers = () => records.getByRole('row').locator('td:first-child').allInnerTexts();
    await expect.poll(numbers).toEqual(['2', '3']);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      records.getByRole('button', { name: 'Download failed records' }).click(),
    ]);
    const failedRecords = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(failedRecords).toMatchObject([
      { Position: 1 },
      { Position: 2, Users: [{ Username: 'luca.verdi' }] },
    ]);

    await records.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('heading', { name: 'Bianchi SpA', level: 1 }).waitFor();
  });

  it('are cards on a phone, with the number of failed records inside the screen', async () => {
    const person = await visit(service, { viewport: phone });
    const { page } = person;
    await enter(person, '/calls?failed=true', office);
    const card = page.getByRole('table', { name: 'Calls' }).getByRole('row').nth(1);
    const failed = card.getByRole('cell', { name: '2', exact: true });
    await failed.waitFor();
    const box = await failed.boundingBox();
    expect((box?.x ?? Infinity) + (box?.width ?? 0)).toBeLessThanOrEqual(phone.width);
    expect(await failed.getAttribute('data-label')).toBe('Failed');
    expect((await card.getByRole('link').boundingBox())?.y).toBeLessThan(box?.y ?? 0);
  });

  it('link to the last page if the URL names a page beyond it', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/calls?page=99', office);
    await page.getByText('No results on this page').waitFor();
    expect(await page.getByText(/No calls yet|Page 99|of 0/).count()).toBe(0);
    await page.getByRole('button', { name: 'Go to last page' }).click();
    await page.getByRole('row', { name: /Update users ·/ }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    // An empty list shows its usual message, whatever page the URL names.
    for (const path of ['/jobs?page=99', '/jobs']) {
      await person.goTo(path);
      await page.getByText('No jobs yet').waitFor();
    }
    expect(await page.getByText(/Page 99|of 0/).count()).toBe(0);
  });

  it('are translated into Italian', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/calls', office);
    await page.getByRole('row', { name: /Update users ·/ }).waitFor();
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await page.getByRole('heading', { name: 'Chiamate', level: 1 }).waitFor();
    await page
      .getByRole('row', { name: /Aggiornamento utenti ·/ })
      .getByRole('link')
      .click();
    await page.getByText(/Utente 1, Nome utente: .*già/).waitFor();
  });
});
