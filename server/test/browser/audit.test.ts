import { beforeAll, describe, expect, it } from 'vitest';
import { adminOf, type Credential, credential, recordOf } from '../setup/admin.ts';
import { allSealed } from '../setup/journal.ts';
import type { TestService } from '../setup/service.ts';
import { enter, startConsole, useBrowser, visit } from './browser.ts';
import { fill } from './filled.ts';

let service: TestService;
let office: Credential;

useBrowser();
beforeAll(async () => {
  service = await startConsole();
  office = await credential(service);
  await fill(service, office);
});

describe('the audit', () => {
  it('tells what was done and by whom, the newest first, with its details', async () => {
    await service.call('irs/state', [{ ID: 1, State: 'disabled' }], { headers: office });
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await allSealed(service);
    await page.reload();
    const journal = page.getByRole('table', { name: 'The journal' });
    await journal.getByText('Principal 1 was inserted with 1 user').waitFor();
    await journal.getByText('Principal 1: 2 users registered').waitFor();
    await journal.getByText('Principal 1 was disabled').waitFor();
    await journal.getByText('The API client office was created').waitFor();
    await journal.getByText('A call was answered: 3 records, 2 not applied').waitFor();
    expect(await journal.getByRole('row').nth(1).innerText()).toMatch(
      /office, at the console\s+Signed in at the console/,
    );

    const row = journal.getByRole('row', { name: /Principal 1: 2 users registered/ });
    await row.getByText('Details').click();
    await row.getByText('Users registered', { exact: true }).waitFor();
    expect(await row.innerText()).toMatch(/Action\s+update.*Address\s+127\.0\.0\.1.*Seal\s+[0-9a-f]{64}/s);
  });

  it('of one principal is asked for by its ID', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    const journal = page.getByRole('table', { name: 'The journal' });
    await journal.getByText('Principal 1 was inserted with 1 user').waitFor();
    await page.getByRole('textbox', { name: 'Only the principal with the ID' }).fill('2');
    await page.keyboard.press('Enter');
    await page.getByText('What was done to principal 2').waitFor();
    await journal.getByText('Principal 2 was inserted with 1 user').waitFor();
    expect(await journal.getByText('Principal 1').count()).toBe(0);
    expect(new URL(page.url()).search).toBe('?principal=2');
    await page.getByRole('link', { name: 'Show everything' }).click();
    await journal.getByText('Principal 1 was inserted with 1 user').waitFor();
  });

  it('is read page by page, and from a position', async () => {
    for (let n = 0; n < 60; n++)
      await service.call('irs/insert', [{ Denomination: `Page ${n}` }], { headers: office });
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await allSealed(service);
    await page.reload();
    const [chain] = await service.database.query<{ last: number }>(
      'select last_position as last from anagrafe.journal_chain',
    );
    const last = Number(chain?.last);
    const journal = page.getByRole('table', { name: 'The journal' });
    const first = () => journal.getByRole('row').nth(1).getByRole('cell').first().innerText();
    const pager = page.getByRole('navigation', { name: /^Pages of/ });
    await pager.getByText(`1–50 of ${last}`).waitFor();
    expect(Number(await first())).toBe(last);
    await pager.getByRole('button', { name: 'Next page' }).click();
    await expect.poll(async () => Number(await first()), { timeout: 10_000 }).toBe(last - 50);
    await pager.getByRole('button', { name: 'Last page' }).click();
    await journal.getByText('The API client office was created').waitFor();
    await page.getByRole('textbox', { name: 'Go to the position' }).fill(String(last - 60));
    await page.keyboard.press('Enter');
    await expect.poll(async () => Number(await first()), { timeout: 10_000 }).toBe(last - 50);
  });

  it('is verified on screen, with the end to note elsewhere', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await allSealed(service);
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByText('The journal is as it was written').waitFor();
    const verdict = recordOf<{ Rows: number; LastPosition: number; LastSeal: string }>(
      await adminOf(service)('GET audit/verify', office),
    );
    await page.getByText(`All ${verdict.Rows} rows hold.`).waitFor();
    await page.getByRole('button', { name: 'Copy: The end of the chain' }).click();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`${verdict.LastPosition}:${verdict.LastSeal}`);
  });

  it('is there in Italian', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await page.getByRole('table', { name: 'The journal' }).waitFor();
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await page.getByRole('heading', { name: 'Registro', level: 1 }).waitFor();
    await page.getByText('Accesso alla console').first().waitFor();
    await page.getByRole('button', { name: 'Verifica la catena' }).click();
    await page.getByText('Il registro è come è stato scritto').waitFor();
  });

  it('that was tampered with is found out, and where', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await allSealed(service);
    await service.database.query(`update anagrafe.journal set action = 'logout' where position = 4`);
    await page.getByRole('button', { name: 'Verify the chain' }).click();
    await page.getByRole('alert').getByText('The journal is not as it was written').waitFor();
    await page.getByText('3 rows hold, up to position 4: there, a row was changed.').waitFor();
    expect(await page.getByText('The end of the chain').count()).toBe(0);
  });
});
