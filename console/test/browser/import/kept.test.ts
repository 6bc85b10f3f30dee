import { credential } from '@anagrafe/testing/admin';
import { storedUsernames } from '@anagrafe/testing/importing';
import { newUser } from '@anagrafe/testing/service';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { signIn, useConsole } from '../browser.ts';
import { choose, correct, downloaded, openImport, press, said } from './importing.ts';

const { service, office } = await useConsole();

const contentOf = (name: string) =>
  [
    'Username,Password,ExternalKey,Company',
    `${name}.1,breve,KEPT,Kept Srl`,
    `${name}.2,una frase lunga,KEPT,Kept Srl`,
    `${name}.3,una frase segreta,KEPT,Kept Srl`,
  ].join('\n');

/** Opens the import page with a file of which one row is corrected and not checked again. */
async function openCorrected(name: string): Promise<Page> {
  const page = await openImport(service, office);
  await choose(page, `${name}.csv`, contentOf(name));
  await press(page, 'Check rows');
  await said(page, '1 of 3 rows with errors.');
  await correct(page, 'Password, line 2', 'una frase abbastanza lunga');
  await page.keyboard.press('Tab');
  await said(page, 'Rows have changed.');
  return page;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

async function go(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await heading(page, name).waitFor();
}

/** Returns true if the page cancels `beforeunload`, so that the browser would ask before leaving it. */
const asksToStay = (page: Page) =>
  page.evaluate(`!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))`);

describe('an import that the user navigates away from', () => {
  it('keeps its corrected rows and later its result', async () => {
    const page = await openCorrected('kept');
    await go(page, 'Jobs');
    await expect.poll(() => page.title()).toBe('Jobs · Anagrafe');
    await expect.poll(() => heading(page, 'Import').count()).toBe(0);
    expect(await asksToStay(page)).toBe(true);
    await go(page, 'Import');
    await expect.poll(() => page.title()).toBe('Import · Anagrafe');
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Import');
    await expect
      .poll(() => page.getByLabel('Password, line 2').inputValue())
      .toBe('una frase abbastanza lunga');
    await press(page, 'Check again');
    await said(page, '3 rows, no errors.');

    await service.call('irs/insert', [{ Denomination: 'Before', Users: [newUser('kept.3')] }], {
      headers: office,
    });
    await press(page, 'Import 3 rows');
    await page.getByText('Import running').or(page.getByText('Applied: 2.')).waitFor();
    await go(page, 'Jobs');
    await expect.poll(() => storedUsernames(service)).toContain('kept.2');
    await go(page, 'Import');
    await said(page, 'Applied: 2. Failed: 1.');
    await go(page, 'Overview');
    await go(page, 'Import');
    await said(page, 'Applied: 2. Failed: 1.');

    await press(page, 'Choose another file');
    await page.getByRole('dialog', { name: 'Discard this file?' }).waitFor();
    await press(page, 'Cancel');
    const { bytes } = await downloaded(page);
    expect(bytes.toString()).toContain('kept.3,una frase segreta');
    await expect.poll(() => asksToStay(page)).toBe(false);
    await press(page, 'Choose another file');
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Choose file');
  });

  it('is discarded after a confirmation', async () => {
    const page = await openCorrected('dropped');
    await press(page, 'Choose another file');
    await page.getByRole('dialog').getByText('will be lost').waitFor();
    await press(page, 'Discard file');
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Choose file');
    await expect.poll(() => asksToStay(page)).toBe(false);
  });

  it('is discarded when another client signs in', async () => {
    const page = await openCorrected('hidden');
    await go(page, 'Jobs');
    await page.getByRole('button', { name: 'Sign out' }).filter({ visible: true }).click();
    const other = await credential(service);
    await signIn(page, other);
    await go(page, 'Import');
    await page.getByRole('button', { name: 'Choose file' }).waitFor();
    await expect.poll(() => page.content()).not.toContain('hidden.csv');
  });
});
