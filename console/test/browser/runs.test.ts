import { randomUUID } from 'node:crypto';
import { newUser } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { enter, useConsole, visit } from './browser.ts';
import { insert, rowOf } from './principals.ts';

const { service, office } = await useConsole();

async function principalWithKey(ExternalKey: string) {
  const { body } = await service.call<{ Denomination: string; Users: { Email: string }[] }>(
    'irs/list',
    { ExternalKey },
    { headers: office },
  );
  return body.result?.records[0];
}

/** Runs an import of two calls: it changes a stored company with its user, and creates another company. */
async function importTwo(word: string): Promise<{ run: string; existing: number }> {
  const run = randomUUID();
  const [existing = 0] = await insert(service, office, [
    {
      Denomination: `${word} vecchia`,
      ExternalKey: `${word}-1`,
      Users: [newUser(`${word}.uno`, { Email: 'uno@example.com' })],
    },
  ]);
  const headers = { ...office, 'Anagrafe-Run': run };
  const changed = {
    ExternalKey: `${word}-1`,
    Denomination: `${word} nuova`,
    Users: [{ Username: `${word}.uno`, Email: 'due@example.com' }],
  };
  await service.call('irs/upsert', [changed], { headers });
  const created = {
    ExternalKey: `${word}-2`,
    Denomination: `${word} creata`,
    Users: [newUser(`${word}.due`)],
  };
  await service.call('irs/upsert', [created], { headers });
  return { run, existing };
}

describe('the page of imports', () => {
  it('lists one entry for an import of several calls, with its calls and their results', async () => {
    const { run } = await importTwo('elenco');
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/runs', office);
    await rowOf(page, 'Import history', new RegExp(`Import ${run.slice(0, 8)}.* office 2 2 2 0`)).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: `Import ${run.slice(0, 8)}` }).click();
    await page.getByRole('heading', { name: `Import ${run.slice(0, 8)}`, level: 1 }).waitFor();
    const calls = page.getByRole('table', { name: 'Calls and jobs' });
    await expect.poll(() => calls.getByRole('row').count()).toBe(3);
    await calls.getByRole('link').first().click();
    await page.getByRole('heading', { name: /^Call / }).waitFor();
    await rowOf(page, 'Results of the records', /Applied/).waitFor();
  });

  it('shows what an undo would delete, restore and keep, and then does exactly that', async () => {
    const { run, existing } = await importTwo('indietro');
    // The company is renamed again after the import, so that its name is kept.
    await service.call('irs/update', [{ ID: existing, Denomination: 'indietro dopo' }], { headers: office });
    const person = await visit(service);
    const { page } = person;
    await enter(person, `/runs/${run}`, office);
    await page.getByRole('button', { name: 'Show what an undo would do' }).click();
    await page
      .getByText('Deleted: 1 principal, 1 user. Restored: 1. Moved back: 0 users. Kept: 1.')
      .waitFor();
    const changes = 'Changes that the undo would make';
    await rowOf(page, changes, /^indietro creata Delete/).waitFor();
    await rowOf(page, changes, /^indietro\.due indietro creata Delete/).waitFor();
    await rowOf(
      page,
      changes,
      /^indietro\.uno indietro dopo Restore Email: due@example\.com → uno@example\.com/,
    ).waitFor();
    await rowOf(
      page,
      changes,
      /^indietro dopo Keep Company name: kept, because it was changed or used since/,
    ).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Filter by action').selectOption('Delete (2)');
    await expect.poll(() => page.getByRole('table', { name: changes }).getByRole('row').count()).toBe(3);
    expect(await principalWithKey('indietro-2')).toBeDefined();

    await page.getByRole('button', { name: 'Undo import' }).click();
    await page.getByText('Import undone', { exact: true }).waitFor();
    expect(await principalWithKey('indietro-2')).toBeUndefined();
    expect(await principalWithKey('indietro-1')).toMatchObject({
      Denomination: 'indietro dopo',
      Users: [{ Email: 'uno@example.com' }],
    });
    await page.getByRole('link', { name: 'Show all records' }).click();
    await page.getByRole('heading', { name: /^Job / }).waitFor();
    await person.goTo('/runs');
    await rowOf(page, 'Import history', new RegExp(`Import ${run.slice(0, 8)} Undone by office`)).waitFor();
    await page.getByRole('link', { name: `Import ${run.slice(0, 8)}` }).click();
    await page.getByText(/^The import was undone before: .*, by office\.$/).waitFor();
  });

  it('refuses an undo whose plan no longer holds, and shows the new plan', async () => {
    const { run, existing } = await importTwo('superato');
    const person = await visit(service);
    const { page } = person;
    person.expectStatus(412);
    await enter(person, `/runs/${run}`, office);
    await page.getByRole('button', { name: 'Show what an undo would do' }).click();
    await page.getByText('Restored: 2.').waitFor();
    await service.call('irs/update', [{ ID: existing, Denomination: 'superato dopo' }], { headers: office });
    await page.getByRole('button', { name: 'Undo import' }).click();
    await page.getByRole('alert').filter({ hasText: 'Undo failed' }).waitFor();
    expect(await principalWithKey('superato-2')).toBeDefined();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Restored: 1. Moved back: 0 users. Kept: 1.').waitFor();
    await page.getByRole('button', { name: 'Undo import' }).click();
    await page.getByText('Import undone', { exact: true }).waitFor();
    expect(await principalWithKey('superato-1')).toMatchObject({ Denomination: 'superato dopo' });
  });

  it('does not offer an undo while the import is not completed, or after its time', async () => {
    const { run } = await importTwo('tardi');
    await service.database.query(
      `update anagrafe.runs set started_at = now() - interval '90 days' where id = '${run}'`,
    );
    const person = await visit(service);
    const { page } = person;
    await enter(person, `/runs/${run}`, office);
    await page.getByText('The import is still in progress, or too old to be undone.').waitFor();
    expect(await page.getByRole('button', { name: 'Show what an undo would do' }).isDisabled()).toBe(true);
  });
});
