import { describe, expect, it } from 'vitest';
import { enter, useConsole, visit } from './browser.ts';
import { fill } from './filled.ts';

const { service, office } = await useConsole();
await fill(service, office);

describe('the console in Italian', () => {
  it('is the default for an Italian browser', async () => {
    const { page, goTo } = await visit(service, { locale: 'it-IT' });
    await goTo('');
    await page.getByRole('heading', { name: 'Accesso' }).waitFor();
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('it');
    await expect.poll(() => page.title()).toBe('Accesso · Anagrafe');
  });

  it('is chosen in the header, translates messages of the service too, and is kept after a reload', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '', office);
    await page.getByText(/User 1, Username/).waitFor();
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await page.getByRole('heading', { name: 'Panoramica', level: 1 }).waitFor();
    await page.getByRole('table', { name: 'Ultimi record scartati' }).getByText(/già/).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Panoramica', level: 1 }).waitFor();
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('it');
  });
});
