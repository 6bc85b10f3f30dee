import { describe, expect, it } from 'vitest';
import { adminOf, type Credential, credential, recordOf } from '../setup/admin.ts';
import { allHashed } from '../setup/audit-chain.ts';
import type { TestService } from '../setup/service.ts';
import { enter, openSession, startConsole, useConsole, visit } from './browser.ts';
import { fill } from './filled.ts';
import { rowOf } from './principals.ts';

const { service, office } = await useConsole();
await fill(service, office);

/** Starts another service, for a test that changes its audit log. */
async function startFilled(): Promise<[TestService, Credential]> {
  const started = await startConsole();
  const client = await credential(started);
  await fill(started, client);
  return [started, client];
}

/** Reads the position of the newest row in the hash chain. */
async function lastPosition({ database }: TestService): Promise<number> {
  const [chain] = await database.query<{ last: number }>(
    'select last_position as last from anagrafe.audit_chain',
  );
  return Number(chain?.last);
}

describe('the audit log page', () => {
  it('lists changes newest first, with the actor and the details of each', async () => {
    await service.call('irs/state', [{ ID: 1, State: 'disabled' }], { headers: office });
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await allHashed(service);
    const auditLog = page.getByRole('table', { name: 'The journal' });
    await rowOf(
      page,
      'The journal',
      /Principal 1 The principal was created\. Registered: user \d+\./,
    ).waitFor();
    await rowOf(page, 'The journal', /Principal 1 The principal was disabled\./).waitFor();
    await auditLog.getByText('The API client office was created.').waitFor();
    await auditLog.getByText('A call was answered: 3 records, 2 not applied.').waitFor();
    await expect
      .poll(() => auditLog.getByRole('row').nth(1).innerText())
      .toMatch(/office, at the console\s+Signed in at the console\./);

    const row = rowOf(page, 'The journal', /Principal 1 Registered: user \d+, user \d+\./);
    await row.getByText('Details').click();
    await row.getByText('Users registered', { exact: true }).waitFor();
    await expect
      .poll(() => row.innerText())
      .toMatch(/Action\s+update.*Address\s+127\.0\.0\.1.*Seal\s+[0-9a-f]{64}/s);
    await row.getByRole('link', { name: 'Principal 1' }).click();
    await page.getByRole('heading', { name: 'Rossi Srl', level: 1 }).waitFor();
  });

  it('filters by principal ID, with or without reads', async () => {
    await service.call('irs/list', { ID: 2 }, { headers: office });
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await rowOf(page, 'The journal', /Principal 1 The principal was created/).waitFor();
    await page.getByRole('textbox', { name: 'Only the principal with the ID' }).fill('2');
    await page.keyboard.press('Enter');
    await page.getByText('What was done to principal 2').waitFor();
    await rowOf(page, 'The journal', /Principal 2 The principal was created/).waitFor();
    const read = rowOf(page, 'The journal', /Principal 2 Its data were read/);
    await read.waitFor();
    await expect.poll(() => rowOf(page, 'The journal', /Principal 1/).count()).toBe(0);
    await expect.poll(() => new URL(page.url()).search).toBe('?principal=2');
    await page.getByLabel('Also what was only read').uncheck();
    await read.waitFor({ state: 'hidden' });
    await rowOf(page, 'The journal', /Principal 2 The principal was created/).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?principal=2&reads=false');
    await page.getByRole('button', { name: 'Show everything' }).click();
    await rowOf(page, 'The journal', /Principal 1 The principal was created/).waitFor();
  });

  it('updates itself, loads older rows by the button, and jumps to a position', async () => {
    const [full, client] = await startFilled();
    const rows = Array.from({ length: 60 }, (_, n) => ({ Denomination: `Row ${n}` }));
    await full.call('irs/insert', rows, { headers: client });
    const person = await visit(full);
    const { page, goTo } = person;
    await openSession(person, client);
    await allHashed(full);
    await goTo('/audit');
    const auditLog = page.getByRole('table', { name: 'The journal' });
    const shown = async () => {
      const positions = await auditLog.getByRole('row').locator('td:first-child').allInnerTexts();
      return positions.map(Number);
    };
    const from = (last: number, count: number) => Array.from({ length: count }, (_, n) => last - n);
    const last = await lastPosition(full);
    await expect.poll(shown).toEqual(from(last, 50));

    await full.call('irs/insert', [{ Denomination: 'While it is open' }], { headers: client });
    await expect.poll(shown).toEqual(from(last + 2, 52));
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.getByText('There is nothing older.').waitFor();
    await expect.poll(() => shown()).toEqual(from(last + 2, last + 2));
    await auditLog.getByText('The API client office was created.').waitFor();

    await page.getByRole('textbox', { name: 'Go to the position' }).fill(String(last - 55));
    await page.keyboard.press('Enter');
    await page.getByText(`From position ${last - 55} back`).waitFor();
    await expect.poll(shown).toEqual(from(last - 55, Math.min(50, last - 55)));
    await page.getByRole('button', { name: 'Back to the newest' }).click();
    await expect.poll(async () => (await shown())[0]).toBe(last + 2);
  });

  it('verifies the hash chain, and offers its last position and hash to copy', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await allHashed(service);
    await page.getByRole('button', { name: 'Check the journal' }).click();
    await page.getByText('The journal is as it was written').waitFor();
    const verdict = recordOf<{ Rows: number; LastPosition: number; LastHash: string }>(
      await adminOf(service)('GET audit/verify', office),
    );
    await page.getByText(`All ${verdict.Rows} rows are there, and none was changed.`).waitFor();
    await page.getByRole('button', { name: 'Copy: The end of the journal' }).click();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`${verdict.LastPosition}:${verdict.LastHash}`);
  });

  it('is translated into Italian', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await page.getByRole('table', { name: 'The journal' }).waitFor();
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await page.getByRole('heading', { name: 'Registro', level: 1 }).waitFor();
    await page.getByText('Accesso alla console').first().waitFor();
    await page.getByRole('button', { name: 'Controlla il registro' }).click();
    await page.getByText('Il registro è come è stato scritto').waitFor();
  });

  it('shows the position of a row that was changed in the database', async () => {
    const [tampered, client] = await startFilled();
    const person = await visit(tampered);
    const { page } = person;
    await enter(person, '/audit', client);
    await allHashed(tampered);
    await tampered.database.query(`update anagrafe.audit_log set action = 'logout' where position = 4`);
    await page.getByRole('button', { name: 'Check the journal' }).click();
    await page.getByRole('alert').getByText('The journal is not as it was written').waitFor();
    await page.getByText('3 rows are as they were written. At position 4 a row was changed.').waitFor();
    expect(await page.getByText('The end of the journal', { exact: true }).count()).toBe(0);
  });
});
