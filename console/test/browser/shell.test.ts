import { describe, expect, it } from 'vitest';
import { chooseKeys, enter, phone, useConsole, visit } from './browser.ts';

const { service, office } = await useConsole();

const scheme = 'document.documentElement.dataset.mantineColorScheme';

describe('the colour scheme', () => {
  it('follows the system until one is chosen, and the choice is kept after a reload', async () => {
    const person = await visit(service, { colorScheme: 'dark' });
    const { page } = person;
    await enter(person, '', office);
    await expect.poll(() => page.evaluate(scheme)).toBe('dark');
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'Light' }).click();
    await expect.poll(() => page.evaluate(scheme)).toBe('light');
    await page.reload();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await expect.poll(() => page.evaluate(scheme)).toBe('light');
  });

  it('changes without a transition for a person who prefers reduced motion', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '', office);
    await page.evaluate(
      "globalThis.transitions = 0; document.addEventListener('transitionrun', () => { transitions += 1; })",
    );
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.evaluate(scheme)).toBe('dark');
    // The second frame begins after the events of the first one.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await page.evaluate('transitions')).toBe(0);
  });
});

describe('on a phone', () => {
  it('the navigation and the sign-out button are in a menu, which closes after a choice', async () => {
    const person = await visit(service, { viewport: phone });
    const { page } = person;
    await enter(person, '', office);
    const link = page.getByRole('link', { name: 'API clients' }).first();
    await expect.poll(() => page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page
      .getByRole('navigation', { name: 'Main navigation' })
      .getByRole('link', { name: 'API clients' })
      .click();
    await page.getByRole('heading', { name: 'API clients', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('button', { name: 'Sign out' }).filter({ visible: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expect.poll(() => link.count()).toBe(0);
  });
});

describe('with the keyboard alone', () => {
  it('a user can sign in, skip the navigation and create a client', async () => {
    const { page, goTo } = await visit(service);
    const { keyboard } = page;
    const focused = () => page.locator(':focus');
    /** Presses Tab until the button or link with this name has the focus. */
    async function tabTo(name: string | RegExp): Promise<void> {
      const wanted = page.getByRole('button', { name }).or(page.getByRole('link', { name }));
      await wanted.waitFor();
      for (let presses = 0; presses < 30; presses++) {
        await keyboard.press('Tab');
        if ((await focused().and(wanted).count()) === 1) return;
      }
      throw new Error(`${name} cannot be reached with Tab`);
    }

    await goTo('/clients');
    await chooseKeys(page);
    await page.getByLabel('Public key').focus();
    await keyboard.type(`${office.SyncPublicKey}.${office.SyncSecretKey}`);
    await keyboard.press('Enter');
    await page.getByRole('row', { name: /office/ }).waitFor();

    await page.reload();
    await page.getByRole('row', { name: /office/ }).waitFor();
    await keyboard.press('Tab');
    await expect.poll(() => focused().innerText()).toBe('Skip to content');
    await keyboard.press('Enter');
    await keyboard.press('Tab');
    await expect.poll(() => focused().innerText()).toBe('New client');
    await keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New client' });
    await dialog.waitFor();
    await expect.poll(() => focused().and(dialog.getByLabel('Name')).count()).toBe(1);
    await keyboard.type('keyboard');
    await keyboard.press('Enter');
    await tabTo('Done');
    await keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    // The focus returns to the button that opened the dialog.
    await expect.poll(() => focused().innerText()).toBe('New client');

    await tabTo('Actions for keyboard');
    await keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
    await expect.poll(() => focused().innerText()).toBe('Edit');
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Revoke keyboard' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(() => focused().getAttribute('aria-label')).toBe('Actions for keyboard');
  });
});
