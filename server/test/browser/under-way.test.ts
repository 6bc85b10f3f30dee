import type { Locator } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Credential, credential } from '../setup/admin.ts';
import { login } from '../setup/login.ts';
import { startReceiver } from '../setup/receiver.ts';
import type { TestService } from '../setup/service.ts';
import { delayed, enter, startConsole, useBrowser, type Visit, visit } from './browser.ts';
import { enterNew, takePassword } from './principals.ts';

let service: TestService;
let office: Credential;
let person: Visit;

useBrowser();
beforeAll(async () => {
  service = await startConsole({ ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1' });
  office = await credential(service);
});
beforeEach(async () => {
  person = await visit(service);
  person.expectStatus(422);
});

const dialog = () => person.page.getByRole('dialog');
const button = (name: string) => person.page.getByRole('button', { name, exact: true });

async function choose(name: string, act: string): Promise<void> {
  await button(`Actions for ${name}`).click();
  await person.page.getByRole('menuitem', { name: act }).click();
}

/** Sends the form, and tries every way out of it while the call is under way; what comes back is shown all the same. */
async function expectHeld(submit: string, path: string, meanwhile?: () => Promise<void>): Promise<Locator> {
  const { page } = person;
  const letGo = await delayed(page, path);
  await dialog().getByRole('button', { name: submit }).click();
  const cancel = dialog().getByRole('button', { name: 'Cancel' });
  await expect.poll(() => cancel.getAttribute('aria-disabled')).toBe('true');
  await meanwhile?.();
  await cancel.click({ force: true });
  await cancel.press('Enter');
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog().getByRole('button', { name: 'Close' }).count()).toBe(0);
  await expect.poll(() => page.locator(':focus').innerText()).toBe('Cancel');
  letGo();
  await dialog()
    .getByRole('button', { name: /^I have/ })
    .waitFor();
  return dialog();
}

describe('while a secret is being made, its dialog stays', () => {
  it('for the first client, without which nobody could sign in', async () => {
    person = await visit(await startConsole());
    await person.goTo('');
    await button('Create the first client').click();
    const shown = await expectHeld('Create it and sign in', '/admin/v1/clients');
    await expect.poll(() => shown.getByLabel('Secret key', { exact: true }).inputValue()).toMatch(/^ags_/);
    await person.page.getByText('Signed in as console').filter({ visible: true }).waitFor();
  });

  it('for a client that is created, and one that gets a new secret', async () => {
    await enter(person, '/clients', office);
    await button('New client').click();
    await dialog().getByLabel('Name').fill('held');
    const created = await expectHeld('Create', '/admin/v1/clients');
    const first = await created.getByLabel('Secret key', { exact: true }).inputValue();
    await button('I have stored it').click();
    await choose('held', 'New secret');
    const rotated = await expectHeld('New secret', '/admin/v1/clients/*/rotate');
    await expect.poll(() => rotated.getByLabel('Secret key', { exact: true }).inputValue()).not.toBe(first);
  });

  it('for a webhook that is created, and one that gets a new secret', async () => {
    const { url } = await startReceiver();
    await enter(person, '/webhooks', office);
    await button('New webhook').click();
    await dialog().getByLabel('Address').fill(url);
    const created = await expectHeld('Create', '/admin/v1/webhooks');
    const first = await created.getByLabel('Secret', { exact: true }).inputValue();
    await button('I have stored it').click();
    await choose(url, 'New secret');
    const rotated = await expectHeld('New secret', '/admin/v1/webhooks/*/rotate');
    await expect.poll(() => rotated.getByLabel('Secret', { exact: true }).inputValue()).not.toBe(first);
  });
});

describe('while a password is being set', () => {
  /** Tries to change what was sent. */
  async function meddle(): Promise<void> {
    const password = dialog().getByLabel('Password', { exact: true });
    await password.press('End');
    await password.press('x');
    await dialog().getByRole('button', { name: 'Generate' }).click({ force: true });
  }

  it('that of a new user stays as it was sent, and is the one that is handed over', async () => {
    await enterNew(service, office, person, 'Held Srl');
    await button('Register a user').click();
    await dialog().getByLabel('Username').fill('held.user');
    await dialog().getByLabel('Password', { exact: true }).fill('una frase lunga davvero');
    await dialog().getByText('The rules of the service allow this password.').waitFor();
    await expectHeld('Register', '/irs/update', meddle);
    expect(await takePassword(person.page)).toBe('una frase lunga davvero');
    expect((await login(service, 'held.user', 'una frase lunga davvero')).status).toBe(200);
  });

  it('a new one stays as it was sent, and is the one that is handed over', async () => {
    await enterNew(service, office, person, 'Held Snc', 'held.reset');
    await choose('held.reset', 'Reset the password');
    await dialog().getByRole('button', { name: 'Generate' }).click();
    await dialog().getByText('The rules of the service allow this password.').waitFor();
    await expectHeld('Reset the password', '/irs/update', meddle);
    expect((await login(service, 'held.reset', await takePassword(person.page))).status).toBe(200);
  });
});
