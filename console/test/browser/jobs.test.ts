import { readFile } from 'node:fs/promises';
import { credential } from '@anagrafe/testing/admin';
import { finished, holding, importedUser, principalsLock, submit } from '@anagrafe/testing/jobs';
import { newUser } from '@anagrafe/testing/service';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { enter, useConsole, visit } from './browser.ts';
import { blockedJob, withBlockedJob } from './filled.ts';

const { service, office } = await useConsole({}, { scopes: ['admin', 'sync:write'] });

const rowOfJob = (page: Page, id: string): Locator =>
  page.getByRole('row', { name: new RegExp(id.slice(0, 8)) });

/** Submits a job whose first two records fail, and returns its ID. */
function submitWithFailures(name: string, goodRecords: number): Promise<string> {
  const good = Array.from({ length: goodRecords }, (_, n) => ({
    Denomination: `${name} ${n}`,
    Users: [importedUser(`${name}.${n}`)],
  }));
  const short = newUser(`${name}.short`, { Password: 'short', ConfirmPassword: 'short' });
  const bad = [
    { Denomination: 'Bad password', Users: [newUser(`${name}.fine`), short] },
    { ExternalKey: `${name}-key`, Denomination: '', Users: [newUser(`${name}.other`)] },
  ];
  return submit(service, 'irs/insert', [...bad, ...good], office);
}

describe('the jobs pages', () => {
  it('follow a job to its end, and offer its failed records as a file', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/jobs', office);
    // The lock keeps the job running until its page is open.
    const id = await holding(service, principalsLock, async () => {
      const submitted = await submitWithFailures('watched', 60);
      const row = rowOfJob(page, submitted);
      await row.getByRole('progressbar', { name: /of 63 users$/ }).waitFor({ state: 'attached' });
      await row.getByRole('link').click();
      await page.getByRole('heading', { name: `Job ${submitted.slice(0, 8)}`, level: 1 }).waitFor();
      await page.getByRole('progressbar').waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Cancel job' }).waitFor();
      return submitted;
    });

    const figures = page.getByRole('region', { name: 'Summary' });
    await figures.getByText('Completed').waitFor();
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: 'Cancel job' }).count()).toBe(0);
    await expect.poll(() => figures.innerText()).toMatch(/Records\s+62\s+Applied\s+60\s+Failed\s+2/);
    const pager = page.getByRole('navigation', { name: /^Pagination/ });
    await pager.getByText('1–50 of 62').waitFor();

    const records = page.getByRole('region', { name: 'Records', exact: true });
    await records.getByRole('switch', { name: 'Failed only' }).click();
    await expect.poll(() => records.getByRole('row').count()).toBe(3);
    await expect.poll(() => new URL(page.url()).search).toBe('?failed=true');
    await records.getByText(/User 2, Password: .*PASSWORD_TOO_SHORT/).waitFor();
    await records.getByText(/^Company name: /).waitFor();
    await records.getByRole('row', { name: /watched-key watched\.other/ }).waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      records.getByRole('button', { name: 'Download failed records' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`failed-records-${id}.json`);
    const failedRecords = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(failedRecords).toMatchObject([
      { Position: 0, Denomination: 'Bad password', Users: [{ Password: null }, { Password: null }] },
      { Position: 1, FieldErrors: { Denomination: [{}] } },
    ]);
    await page.getByText('Failed records downloaded').waitFor();
    await page.getByRole('link', { name: 'All jobs' }).click();
    await rowOfJob(page, id).getByText('Completed').waitFor();
  });

  it('show the client of each job, and filter by jobs with failed records', async () => {
    const erp = await credential(service, { name: 'erp', scopes: ['sync:write'] });
    const good = await submit(service, 'irs/insert', [{ Name: 'Of the ERP' }], erp);
    const bad = await submit(service, 'irs/insert', [{ Name: '' }], erp);
    await finished(service, good, erp);
    await finished(service, bad, erp);
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/jobs', office);
    await rowOfJob(page, good).getByRole('cell', { name: 'erp', exact: true }).waitFor();
    await page.getByRole('switch', { name: 'With failed records only' }).click();
    await rowOfJob(page, good).waitFor({ state: 'detached' });
    await rowOfJob(page, bad).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?failed=true');
  });

  it('cancel a job after a confirmation', async () => {
    const person = await visit(service);
    const { page } = person;
    const summary = page.getByRole('region', { name: 'Summary' });
    await withBlockedJob(service, office, async (id) => {
      await enter(person, `/jobs/${id}`, office);
      const { users, usersDone } = blockedJob;
      const bar = page.getByRole('progressbar', { name: new RegExp(`${usersDone} of ${users} users$`) });
      await bar.waitFor({ state: 'attached' });
      await page.getByText(/users per second · Ends in/).waitFor();
      await page.getByRole('button', { name: 'Cancel job' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Applied records stay applied').waitFor();
      await dialog.getByRole('button', { name: 'Keep running' }).click();
      await dialog.waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Cancel job' }).click();
      await dialog.getByRole('button', { name: 'Cancel job' }).click();
      await dialog.waitFor({ state: 'hidden' });
      await summary.getByText('Cancelled', { exact: true }).waitFor();
    });
    await summary.getByText('Ended').waitFor();
    // The lock may have blocked some records that are then applied.
    await expect.poll(() => summary.innerText()).toMatch(/Applied\s+\d+\s+Cancelled or failed\s+\d+/);
    await page.getByRole('switch', { name: 'Failed only' }).click();
    await page.getByRole('table').getByText('Cancelled', { exact: true }).first().waitFor();
  });

  it('show an error for an unknown job ID', async () => {
    const person = await visit(service);
    person.expectStatus(404);
    await enter(person, '/jobs/00000000-0000-0000-0000-000000000000', office);
    await person.page.getByRole('alert').getByText('Loading failed').waitFor();
  });

  it('are translated into Italian', async () => {
    const id = await submitWithFailures('italian', 1);
    await finished(service, id, office);
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/jobs', office);
    await rowOfJob(page, id).waitFor();
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await page.getByRole('heading', { name: 'Elaborazioni', level: 1 }).waitFor();
    await rowOfJob(page, id).getByText('Completata').waitFor();
    await rowOfJob(page, id).getByRole('link').click();
    await page.getByRole('switch', { name: 'Solo scartati' }).click();
    await page.getByText(/Utente 2, Password: /).waitFor();
    await page.getByRole('button', { name: 'Scarica il file degli scarti' }).waitFor();
  });
});
