import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Credential, credential } from '../setup/admin.ts';
import { submit } from '../setup/jobs.ts';
import { newUser, type TestService } from '../setup/service.ts';
import { enter, startConsole, useBrowser, visit } from './browser.ts';
import { fillSlowly } from './filled.ts';

let service: TestService;
let office: Credential;

useBrowser();
beforeAll(async () => {
  service = await startConsole();
  office = await credential(service, { scopes: ['admin', 'sync:write'] });
});

/** A job that takes a moment, and of which two records fail. */
function submitWithFaults(name: string): Promise<string> {
  const good = Array.from({ length: 60 }, (_, n) => ({
    Denomination: `${name} ${n}`,
    Users: [newUser(`${name}.${n}.a`), newUser(`${name}.${n}.b`), newUser(`${name}.${n}.c`)],
  }));
  const short = newUser(`${name}.short`, { Password: 'short', ConfirmPassword: 'short' });
  const bad = [
    { Denomination: 'Bad password', Users: [newUser(`${name}.fine`), short] },
    { Denomination: '', Users: [newUser(`${name}.other`)] },
  ];
  return submit(service, 'irs/insert', [...bad, ...good], office);
}

describe('the jobs', () => {
  it('of an empty service say how there comes to be one', async () => {
    const person = await visit(service);
    await enter(person, '/jobs', office);
    await person.page.getByText('No job yet').waitFor();
  });

  it('are watched to their end, with the failed records and the kit to send them again', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/jobs', office);
    const id = await submitWithFaults('watched');
    const row = page.getByRole('row', { name: new RegExp(id.slice(0, 8)) });
    await row.getByRole('progressbar', { name: /of 183 users$/ }).waitFor({ state: 'attached' });
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: `Job ${id.slice(0, 8)}`, level: 1 }).waitFor();

    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText('Completed').waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Cancel the job' }).count()).toBe(0);
    expect(await figures.innerText()).toMatch(/Records\s+62\s+Records done\s+62\s+Not applied\s+2/);
    const pager = page.getByRole('navigation', { name: /^Pages of/ });
    await pager.getByText('1–50 of 62').waitFor();

    const records = page.getByRole('region', { name: 'Records', exact: true });
    await records.getByRole('switch', { name: 'Failed only' }).click();
    await expect.poll(() => records.getByRole('row').count()).toBe(3);
    expect(new URL(page.url()).search).toBe('?failed=true');
    await records.getByText(/User 2, Password: .*PASSWORD_TOO_SHORT/).waitFor();
    await records.getByText(/^Company name: /).waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      records.getByRole('button', { name: 'Retry kit' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`retry-kit-${id}.json`);
    const kit = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(kit).toMatchObject([
      { Position: 0, Denomination: 'Bad password', Users: [{ Password: null }, { Password: null }] },
      { Position: 1, Faults: { Denomination: [{}] } },
    ]);
    await page.getByText('The retry kit was saved').waitFor();
    await page.getByRole('link', { name: 'All jobs' }).click();
    await row.getByText('Completed').waitFor();
  });

  it('say who sent them, and are found by whether a record of theirs was not applied', async () => {
    const erp = await credential(service, { name: 'erp', scopes: ['sync:write'] });
    const id = await submit(service, 'irs/insert', [{ Name: 'Of the ERP' }], erp);
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/jobs', office);
    const rows = page.getByRole('table', { name: 'Jobs' }).getByRole('row');
    await rows
      .filter({ hasText: id.slice(0, 8) })
      .getByRole('cell', { name: 'erp', exact: true })
      .waitFor();
    await page.getByRole('switch', { name: 'With failed records only' }).click();
    await rows.filter({ hasText: id.slice(0, 8) }).waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(2);
    expect(new URL(page.url()).search).toBe('?failed=true');
  });

  it('are cancelled after a question', async () => {
    const id = await fillSlowly(service, office);
    const person = await visit(service);
    const { page } = person;
    await enter(person, `/jobs/${id}`, office);
    const bar = page.getByRole('progressbar', { name: /of 2,000 users$/ });
    await bar.waitFor({ state: 'attached' });
    await page.getByText(/users per second · Ends in/).waitFor();
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('What is written stays').waitFor();
    await dialog.getByRole('button', { name: 'Cancel the job' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText('Cancelled').waitFor();
    await figures.getByText('Ended').waitFor();
    await page.getByRole('switch', { name: 'Failed only' }).click();
    await page.getByText('Not applied', { exact: true }).nth(1).waitFor();
  });

  it('that are not there are told of', async () => {
    const person = await visit(service);
    person.expectStatus(404);
    await enter(person, '/jobs/00000000-0000-0000-0000-000000000000', office);
    await person.page.getByRole('alert').getByText('This could not be loaded').waitFor();
  });

  it('are there in Italian', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/jobs', office);
    await page.getByRole('row').nth(1).waitFor();
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await page.getByRole('heading', { name: 'Lavori', level: 1 }).waitFor();
    await page
      .getByRole('row', { name: /Completato/ })
      .last()
      .getByRole('link')
      .click();
    await page.getByRole('switch', { name: 'Solo non applicati' }).click();
    await page.getByText(/Utente 2, Password: /).waitFor();
    await page.getByRole('button', { name: 'Kit di correzione' }).waitFor();
  });
});
