import { type Credential, credential } from '@anagrafe/testing/admin';
import { allHashed } from '@anagrafe/testing/audit-chain';
import { newUser, type TestService } from '@anagrafe/testing/service';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { enter, startConsole, useBrowser, visit } from './browser.ts';
import { fill, fillAuditLog } from './filled.ts';

/** A service that several tests share; they add events and do not rely on the total. */
const many = await startFilled();
let service: TestService;
let headers: Credential;
let page: Page;
let table: Locator;

// Most tests need a service of their own, with a known number of events.
useBrowser();

async function startFilled(): Promise<TestService> {
  const started = await startConsole();
  await fill(started, await credential(started));
  await allHashed(started);
  return started;
}

/** Opens the events page of a service, which the functions below then use. */
async function open(opened: TestService): Promise<void> {
  service = opened;
  headers = await credential(service);
  const person = await visit(service);
  await enter(person, '/events', headers);
  ({ page } = person);
  table = page.getByRole('table', { name: 'Events' });
}

const insert = (...names: string[]) =>
  service.call(
    'irs/insert',
    names.map((name) => ({ Denomination: name, Users: [newUser(name)] })),
    { headers },
  );

const row = (name: RegExp) => table.getByRole('row', { name });
const choose = (label: string) => page.getByLabel('Event type', { exact: true }).selectOption({ label });
const expectRows = (count: number) => expect.poll(() => table.getByRole('row').count()).toBe(count + 1);
/** The audit log position of the newest event on the page. */
const newest = async () => Math.trunc(Number(await table.getByRole('code').first().innerText()));
const older = () => page.getByRole('button', { name: 'Show older' });

describe('the events page', () => {
  it('lists events newest first, of all types or of one', async () => {
    await open(await startFilled());
    await row(/User registered.*mario\.rossi · principal 1/).waitFor();
    await expect.poll(() => table.getByRole('row').nth(1).innerText()).toMatch(/Call completed/);
    await expect
      .poll(() => table.getByRole('row').last().innerText())
      .toMatch(/Principal created\s+principal [12]/);
    await choose('Call completed');
    await expectRows(2);
    await row(/Update users · 3 records, 2 failed/).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?type=call.completed');
    await choose('Password reset');
    await page.getByText('No events of this type', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await page.getByText('Nessun evento di questo tipo').waitFor();
  });

  it('adds new events while it is open', async () => {
    await open(await startFilled());
    await row(/mario\.rossi/).waitFor();
    await insert('while.open');
    await row(/while\.open/).waitFor();
    await expect.poll(() => table.getByRole('row').nth(1).innerText()).toMatch(/Call completed/);
    await choose('Principal created');
    await expectRows(3);
    await insert('while.open.too');
    await expectRows(4);
  });

  it('appends older events to the list by the button', async () => {
    const filled = await startFilled();
    const records = Array.from({ length: 30 }, (_, n) => ({
      Denomination: `many.${n}`,
      Users: [newUser(`many.${n}`)],
    }));
    await filled.call('irs/insert', records, { headers: await credential(filled) });
    await allHashed(filled);
    await open(filled);
    await expectRows(50);
    await expect.poll(() => row(/mario\.rossi/).count()).toBe(0);
    await insert('meanwhile');
    await expectRows(53);
    await older().click();
    await row(/mario\.rossi/).waitFor();
    await row(/meanwhile/).waitFor();
    await page.getByText('No older entries.').waitFor();
    const ids = () => table.getByRole('code').allInnerTexts();
    await expect.poll(async () => (await ids()).at(-1)).toBe('2.0');
    const all = await ids();
    expect(new Set(all).size).toBe(all.length);
  });

  it('reloads the list after hundreds of new events, unless older events were loaded', async () => {
    await open(many);
    await table.getByRole('code').first().waitFor();
    const before = await newest();
    await fillAuditLog(service, 700);
    await expect.poll(newest).toBeGreaterThanOrEqual(before + 700);
    const reached = await newest();
    await expectRows(50);
    await insert('after.many');
    await row(/after\.many/).waitFor();
    await expectRows(53);
    await expect.poll(() => newest()).toBe(reached + 2);

    // A list with older events stays as it is until the button for the newest is pressed.
    await older().click();
    await expectRows(103);
    await fillAuditLog(service, 700);
    await page.getByText('There are many new entries.').waitFor();
    await expectRows(103);
    await page.getByRole('button', { name: 'Show newest' }).click();
    await expectRows(50);
    await expect.poll(() => newest()).toBe(reached + 702);
    await expect.poll(() => page.getByText('There are many new entries').count()).toBe(0);
  });

  it('searches older events for a type, and shows how far back it has searched', async () => {
    await open(many);
    await fillAuditLog(service, 200);
    await choose('User registered');
    await row(/mario\.rossi/).waitFor();
    await page.getByText('Searched all stored events.').waitFor();

    await fillAuditLog(service, 10_500);
    await page.reload();
    await page.getByText('No recent events of this type').waitFor();
    await page.getByText(/^Searched back to \d/).waitFor();
    await older().click();
    await row(/mario\.rossi/).waitFor();
    await page.getByText('Searched all stored events.').waitFor();
  });
});
