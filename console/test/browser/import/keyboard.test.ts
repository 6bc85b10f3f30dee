import { canSignIn, storedUsernames } from '@anagrafe/testing/importing';
import { holding, principalsLock } from '@anagrafe/testing/jobs';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chooseKeys, useConsole, visit } from '../browser.ts';
import { downloaded, said } from './importing.ts';

const { service, office } = await useConsole();

/** Operates a page with the keyboard only: it reaches every element with the Tab key, or throws. */
function keyboardUser(page: Page) {
  const { keyboard } = page;
  const isFocused = async (wanted: Locator) => (await page.locator(':focus').and(wanted).count()) === 1;

  async function tabTo(wanted: Locator, key = 'Tab'): Promise<void> {
    await wanted.waitFor();
    for (let presses = 0; presses < 60; presses++) {
      if (await isFocused(wanted)) return;
      await keyboard.press(key);
    }
    throw new Error(`${wanted} was not reached`);
  }
  const button = (name: string) => page.getByRole('button', { name });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  return {
    keyboard,
    /** Moves the focus backwards to a button with Shift+Tab. */
    async back(name: string) {
      await tabTo(button(name), 'Shift+Tab');
    },
    async press(name: string) {
      await tabTo(button(name));
      await keyboard.press('Enter');
    },
    async type(name: string, text: string) {
      await tabTo(field(name));
      await keyboard.press('ControlOrMeta+A');
      await keyboard.type(text);
    },
    reach: (name: string) => tabTo(field(name)),
  };
}

describe('the import with the keyboard alone', () => {
  it('works from the sign-in to the download of the failed rows', async () => {
    const person = await visit(service);
    const { page } = person;
    person.expectStatus(422);
    const { keyboard, press, type, back } = keyboardUser(page);
    await person.goTo('/import');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await chooseKeys(page);
    await type('Public key', `${office.SyncPublicKey}.${office.SyncSecretKey}`);
    await keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Import', level: 1 }).waitFor();
    const choosing = page.waitForEvent('filechooser');
    await press('Choose file');
    const lines = [
      'Login,Parola,Company',
      'keys.1,breve,Keys Srl',
      'keys.2,una frase lunga,Keys Srl',
      ',x,y',
    ];
    const buffer = Buffer.from(lines.join('\n'));
    await (await choosing).setFiles({ name: 'keys.csv', mimeType: 'text/csv', buffer });

    await page.getByText('keys.csv (3 rows)').waitFor();
    await keyboardUser(page).reach('Parola maps to');
    await keyboard.type('Password');
    await expect.poll(() => page.getByLabel('Parola maps to').inputValue()).toBe('Password');
    await press('Check rows');
    await said(page, '2 of 3 rows with errors.');
    await type('Password, line 2', 'una frase abbastanza lunga');
    await press('Check again');
    await said(page, '1 of 3 rows with errors.');
    await expect.poll(() => page.locator(':focus').allInnerTexts()).toEqual(['Check again']);
    await back('Import 2 rows');
    await keyboard.press('Enter');
    await said(page, 'Applied: 2. Failed: 1.');
    const stored = await storedUsernames(service);
    expect(stored.filter((name) => name.startsWith('keys.'))).toEqual(['keys.1', 'keys.2']);
    expect(await canSignIn(service, 'keys.1', 'una frase abbastanza lunga')).toBe(true);

    const { bytes } = await downloaded(page, () => press('Download failed rows'));
    expect(bytes.toString()).toMatch(/\r\n4,[^\n]+,,x,y\r\n$/);
    await back('Fix failed rows');
    await keyboard.press('Enter');
    await said(page, '1 of 1 row with errors.');
  });

  it('lets a record be corrected as JSON and its job be followed', async () => {
    const person = await visit(service);
    const { page } = person;
    person.expectStatus(422);
    const { keyboard, press, type, back } = keyboardUser(page);
    await person.goTo('/import');
    await chooseKeys(page);
    await type('Public key', `${office.SyncPublicKey}.${office.SyncSecretKey}`);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Import', level: 1 }).waitFor();
    const choosing = page.waitForEvent('filechooser');
    await press('Choose file');
    const users = Array.from({ length: 40 }, (_, n) => ({
      Username: `k.${n}`,
      Password: 'una frase lunga',
    }));
    const records = ['One', 'Two', 'Three'].map((Denomination, n) => ({
      Denomination,
      Users: users.map(({ Username, Password }) => ({ Username: `${n}.${Username}`, Password })),
    }));
    const broken = '{ "Denomination": "Four", "Users": [ }';
    const buffer = Buffer.from([...records.map((record) => JSON.stringify(record)), broken].join('\n'));
    await (await choosing).setFiles({ name: 'keys.ndjson', mimeType: 'text/plain', buffer });
    await press('Check rows');
    await said(page, '1 of 4 rows with errors.');
    await type('Record, line 4', '{ "Denomination": "Four", "Users": [] }');
    await press('Check again');
    await said(page, 'no errors.');
    await back('Import 4 rows');
    // The lock keeps the job running until its page is open.
    await holding(service, principalsLock, async () => {
      await keyboard.press('Enter');
      await page.getByRole('progressbar').waitFor({ state: 'attached' });
      const follow = page.getByRole('link', { name: 'Show jobs' });
      await follow.waitFor();
      await keyboard.press('Tab');
      await expect.poll(() => page.locator(':focus').and(follow).count()).toBe(1);
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
      await page.getByRole('row', { name: /120/ }).waitFor();
    });
  });
});
