import { credential } from '@anagrafe/testing/admin';
import type { Page } from 'playwright-core';
import { describe, it } from 'vitest';
import { expectAccessible, expectPartAccessible } from './accessibility.ts';
import { enter, startConsole, useConsole, visit } from './browser.ts';
import { fill } from './filled.ts';

const empty = await startConsole();
const { service: filled, office } = await useConsole();
await credential(filled, {
  name: 'erp',
  networks: ['10.0.0.0/8'],
  knownByAddress: true,
  scopes: ['sync:write'],
});
await fill(filled, office);

/** Pages that no other file checks, each with a function that waits until it is loaded. */
const pages: readonly [path: string, loaded: (page: Page) => Promise<void>][] = [
  ['', (page) => page.getByText(/PASSWORD_TOO_SHORT/).waitFor()],
  ['/clients', (page) => page.getByRole('row', { name: /erp/ }).waitFor()],
  ['/operators', (page) => page.getByText('No operators').waitFor()],
  ['/nowhere', (page) => page.getByRole('heading', { name: 'Page not found' }).waitFor()],
];

describe('in light and dark, on a desktop and on a phone', () => {
  it('the overview at the first start and its dialog are accessible', async () => {
    const { page, goTo } = await visit(empty);
    await goTo('');
    await page.getByText('No errors').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Start set-up' }).click();
    await page.getByRole('textbox', { name: 'Your name' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Skip this step' }).click();
    await page.getByRole('button', { name: 'Create first client' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await expectPartAccessible(page, 'dialog');
  });

  it('the sign-in, the overview, the clients and an unknown page are accessible', async () => {
    const person = await visit(filled);
    const { page, goTo } = person;
    await goTo('');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectAccessible(page);
    await enter(person, '', office);
    for (const [path, loaded] of pages) {
      await goTo(path);
      await loaded(page);
      await expectAccessible(page);
    }
  });

  it('the dialogs of a client are accessible', async () => {
    const person = await visit(filled);
    const { page } = person;
    await enter(person, '/clients', office);
    await page.getByRole('button', { name: 'New client' }).click();
    await checkAndClose();
    const openMenu = () => page.getByRole('button', { name: 'Actions for erp' }).click();
    await openMenu();
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
    await expectPartAccessible(page, 'menu');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    for (const action of ['Edit', 'Rotate secret', 'Revoke']) {
      await openMenu();
      await page.getByRole('menuitem', { name: action }).click();
      await checkAndClose();
    }

    async function checkAndClose(): Promise<void> {
      await page.getByRole('dialog').waitFor();
      await expectPartAccessible(page, 'dialog');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
  });
});
