import { newUser } from '@anagrafe/testing/service';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { chooseKeys, enter, phone, useConsole, visit } from './browser.ts';

const { service, office } = await useConsole({}, { scopes: ['admin', 'sync:write'] });
const records = [
  { Denomination: 'Rossi Srl', ExternalKey: 'C-1', Users: [newUser('zeno.cosini')] },
  { Denomination: 'Rosati SpA', Vatnumber: 'IT01234567890' },
];
await service.call('irs/insert', records, { headers: office });

/** Opens the search dialog and waits until its field has the focus, so that typed text reaches it. */
async function openFinder(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Page, principal or user' }).and(page.locator(':focus')).waitFor();
}

describe('the search dialog', () => {
  it('opens a page with the keyboard alone, and moves the focus to its heading', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '', office);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await openFinder(page);
    await expect.poll(() => page.getByRole('option').count()).toBe(16);
    await page.keyboard.type('web');
    await page.getByRole('option', { name: 'Webhooks', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    const heading = page.getByRole('heading', { name: 'Webhooks', level: 1 });
    await heading.waitFor();
    await expect.poll(() => page.locator(':focus').and(heading).count()).toBe(1);
    await page.getByRole('combobox').waitFor({ state: 'detached' });
  });

  it('finds principals by name, VAT number, ID and username, and selects among them with the arrow keys', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '', office);
    await page.getByRole('button', { name: /^Search/ }).click();
    await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
    const options = page.getByRole('option');
    await page.keyboard.type('ros');
    await options.filter({ hasText: 'Rosati SpA' }).waitFor();
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual(['Rossi Srl\nID 1 · C-1', 'Rosati SpA\nID 2 · IT01234567890']);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /^Rosati/, selected: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /^Rossi/, selected: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('option', { name: /^Rosati/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Rosati SpA', level: 1 }).waitFor();

    for (const [term, name] of [
      ['0123 4567', 'Rosati SpA'],
      ['2', 'Rosati SpA'],
    ] as const) {
      await openFinder(page);
      await page.keyboard.type(term);
      await options.filter({ hasText: name }).waitFor();
      await expect.poll(() => options.count()).toBe(1);
      await page.keyboard.press('Escape');
      await page.getByRole('combobox').waitFor({ state: 'detached' });
    }
    await openFinder(page);
    await page.keyboard.type('zeno');
    await expect
      .poll(() => options.allInnerTexts())
      .toEqual(['zeno.cosini\nRossi Srl', 'Rossi Srl\nID 1 · C-1']);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    await openFinder(page);
    await page.keyboard.type('nobody at all');
    await page.getByText(/^No results/).waitFor();
  });

  it('is accessible', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '', office);
    await openFinder(page);
    await page.keyboard.type('ros');
    await page.getByRole('option', { name: /^Rosati/ }).waitFor();
    await expectAccessible(page);
  });

  it('works on a phone and in Italian', async () => {
    const person = await visit(service, { viewport: phone, locale: 'it-IT' });
    const { page } = person;
    await person.goTo('');
    await chooseKeys(page);
    await page.getByLabel('Chiave pubblica').fill(`${office.SyncPublicKey}.${office.SyncSecretKey}`);
    await page.getByRole('button', { name: 'Accedi', exact: true }).click();
    await page.getByRole('button', { name: 'Cerca' }).click();
    await page.getByRole('combobox').fill('rosati');
    await page.getByRole('option', { name: /^Rosati/ }).click();
    await page.getByRole('heading', { name: 'Rosati SpA', level: 1 }).waitFor();
  });
});
