import { adminOf, type Credential, credential, recordOf } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import type { TestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
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
    const auditLog = page.getByRole('table', { name: 'Entries' });
    await rowOf(page, 'Entries', /\b1 Principal created\. Registered: user \d+\./).waitFor();
    await rowOf(page, 'Entries', /\b1 Principal disabled\./).waitFor();
    await auditLog.getByText('API client office created.').waitFor();
    await auditLog.getByText('Call completed: 3 records, 2 failed.').waitFor();
    await expect
      .poll(() => auditLog.getByRole('row').nth(1).innerText())
      .toMatch(/office \(console\)\s+Signed in to the console\./);

    const row = rowOf(page, 'Entries', /\b1 Registered: user \d+, user \d+\./);
    await row.getByText('Details').click();
    await row.getByText('Users registered', { exact: true }).waitFor();
    await expect
      .poll(() => row.innerText())
      .toMatch(/Action code\s+update.*IP address\s+127\.0\.0\.1.*Hash\s+[0-9a-f]{64}/s);
    await row.getByRole('link', { name: '1', exact: true }).click();
    await page.getByRole('heading', { name: 'Rossi Srl', level: 1 }).waitFor();
  });

  it('filters by principal ID, with or without reads', async () => {
    await service.call('irs/list', { ID: 2 }, { headers: office });
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await rowOf(page, 'Entries', /\b1 Principal created/).waitFor();
    await page.getByRole('textbox', { name: 'Principal ID' }).fill('2');
    await page.keyboard.press('Enter');
    await page.getByText('Entries of principal 2').waitFor();
    await rowOf(page, 'Entries', /\b2 Principal created/).waitFor();
    const read = rowOf(page, 'Entries', /\b2 Principal read/);
    await read.waitFor();
    await expect.poll(() => rowOf(page, 'Entries', /\b1 Principal created/).count()).toBe(0);
    await expect.poll(() => new URL(page.url()).search).toBe('?principal=2');
    await page.getByLabel('Include reads').uncheck();
    await read.waitFor({ state: 'hidden' });
    await rowOf(page, 'Entries', /\b2 Principal created/).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?principal=2&reads=false');
    await page.getByRole('button', { name: 'Show all' }).click();
    await rowOf(page, 'Entries', /\b1 Principal created/).waitFor();
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
    const auditLog = page.getByRole('table', { name: 'Entries' });
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
    await page.getByText('No older entries.').waitFor();
    await expect.poll(() => shown()).toEqual(from(last + 2, last + 2));
    await auditLog.getByText('API client office created.').waitFor();

    await page.getByRole('textbox', { name: 'Position' }).fill(String(last - 55));
    await page.keyboard.press('Enter');
    await page.getByText(`Position ${last - 55} and older`).waitFor();
    await expect.poll(shown).toEqual(from(last - 55, Math.min(50, last - 55)));
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(async () => (await shown())[0]).toBe(last + 2);
  });

  it('verifies the hash chain, and offers its last position and hash to copy', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await allHashed(service);
    await page.getByRole('button', { name: 'Verify audit log' }).click();
    await page.getByText('Verified').waitFor();
    const verdict = recordOf<{ Rows: number; LastPosition: number; LastHash: string }>(
      await adminOf(service)('GET audit/verify', office),
    );
    await page.getByText(`All ${verdict.Rows} rows are intact.`).waitFor();
    await page.getByRole('button', { name: 'Copy: Last hash' }).click();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`${verdict.LastPosition}:${verdict.LastHash}`);
  });

  it('is translated into Italian', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/audit', office);
    await page.getByRole('table', { name: 'Entries' }).waitFor();
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await page.getByRole('heading', { name: 'Registro attività', level: 1 }).waitFor();
    await page.getByRole('table').getByText('Accesso alla console').first().waitFor();
    await page.getByRole('button', { name: 'Verifica il registro' }).click();
    await page.getByText('Registro integro').waitFor();
  });

  it('shows the position of a row that was changed in the database', async () => {
    const [tampered, client] = await startFilled();
    const person = await visit(tampered);
    const { page } = person;
    await enter(person, '/audit', client);
    await allHashed(tampered);
    await tampered.database.query(`update anagrafe.audit_log set action = 'logout' where position = 4`);
    await page.getByRole('button', { name: 'Verify audit log' }).click();
    await page.getByRole('alert').getByText('Verification failed').waitFor();
    await page.getByText('A row was changed at position 4. Rows intact: 3.').waitFor();
    expect(await page.getByText('Last hash', { exact: true }).count()).toBe(0);
  });
});
