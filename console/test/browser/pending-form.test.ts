import { login } from '@anagrafe/testing/login';
import { startReceiver } from '@anagrafe/testing/receiver';
import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { delayed, enter, startConsole, useConsole, type Visit, visit } from './browser.ts';
import { enterNew, takePassword } from './principals.ts';

const { service, office } = await useConsole({ ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1' });
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
  person.expectStatus(422);
});

const dialog = () => person.page.getByRole('dialog');
const button = (name: string) => person.page.getByRole('button', { name, exact: true });

async function choose(name: string, action: string): Promise<void> {
  await button(`Actions for ${name}`).click();
  await person.page.getByRole('menuitem', { name: action }).click();
}

/**
 * Submits the form and tries every way to close it while the call is pending; expects that the dialog stays open and
 * then shows the result.
 */
async function expectStaysOpen(
  submit: string,
  path: string,
  meanwhile?: () => Promise<void>,
): Promise<Locator> {
  const { page } = person;
  const release = await delayed(page, path);
  await dialog().getByRole('button', { name: submit }).click();
  const cancel = dialog().getByRole('button', { name: 'Cancel' });
  await expect.poll(() => cancel.getAttribute('aria-disabled')).toBe('true');
  await meanwhile?.();
  await cancel.click({ force: true });
  await cancel.press('Enter');
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog().getByRole('button', { name: 'Close' }).count()).toBe(0);
  await expect.poll(() => page.locator(':focus').innerText()).toBe('Cancel');
  release();
  await dialog().getByRole('button', { name: 'Done' }).waitFor();
  return dialog();
}

describe('while a secret is being created, its dialog stays open', () => {
  it('for the first client, whose secret is needed to sign in', async () => {
    person = await visit(await startConsole());
    await person.goTo('/setup');
    await button('Skip this step').click();
    await button('Create first client').click();
    // The first client ends protected mode, and the overview may ask for jobs before it has signed in.
    person.expectStatus(401);
    const shown = await expectStaysOpen('Create and sign in', '/admin/v1/clients');
    await expect.poll(() => shown.getByLabel('Secret key', { exact: true }).inputValue()).toMatch(/^ags_/);
    await person.page.getByText('Signed in as console').filter({ visible: true }).waitFor();
  });

  it('for a new client and for a client that gets a new secret', async () => {
    await enter(person, '/clients', office);
    await button('New client').click();
    await dialog().getByLabel('Name').fill('held');
    const created = await expectStaysOpen('Create', '/admin/v1/clients');
    const first = await created.getByLabel('Secret key', { exact: true }).inputValue();
    await button('Done').click();
    await choose('held', 'Rotate secret');
    const rotated = await expectStaysOpen('Rotate secret', '/admin/v1/clients/*/rotate');
    await expect.poll(() => rotated.getByLabel('Secret key', { exact: true }).inputValue()).not.toBe(first);
  });

  it('for a new webhook and for a webhook that gets a new secret', async () => {
    const { url } = await startReceiver();
    await enter(person, '/webhooks', office);
    await button('New webhook').click();
    await dialog().getByLabel('Endpoint URL').fill(url);
    const created = await expectStaysOpen('Create', '/admin/v1/webhooks');
    const first = await created.getByLabel('Secret', { exact: true }).inputValue();
    await button('Done').click();
    await choose(url, 'Rotate secret');
    const rotated = await expectStaysOpen('Rotate secret', '/admin/v1/webhooks/*/rotate');
    await expect.poll(() => rotated.getByLabel('Secret', { exact: true }).inputValue()).not.toBe(first);
  });
});

describe('while a password is being set', () => {
  /** Tries to change the password while the call is pending. */
  async function tryToChange(): Promise<void> {
    const password = dialog().getByLabel('Password', { exact: true });
    await password.press('End');
    await password.press('x');
    await dialog().getByRole('button', { name: 'Generate' }).click({ force: true });
  }

  it('the password of a new user cannot be edited, and the dialog then shows the one that was sent', async () => {
    await enterNew(service, office, person, 'Held Srl');
    await button('Register user').click();
    await dialog().getByLabel('Username').fill('held.user');
    await dialog().getByLabel('Password', { exact: true }).fill('una frase lunga davvero');
    await dialog().getByText('This password meets the requirements.').waitFor();
    await expectStaysOpen('Register user', '/irs/update', tryToChange);
    expect(await takePassword(person.page)).toBe('una frase lunga davvero');
    expect((await login(service, 'held.user', 'una frase lunga davvero')).status).toBe(200);
  });

  it('the new password of a reset cannot be edited, and the dialog then shows the one that was sent', async () => {
    await enterNew(service, office, person, 'Held Snc', 'held.reset');
    await choose('held.reset', 'Reset password');
    await dialog().getByRole('button', { name: 'Generate' }).click();
    await dialog().getByText('This password meets the requirements.').waitFor();
    await expectStaysOpen('Reset password', '/irs/update', tryToChange);
    expect((await login(service, 'held.reset', await takePassword(person.page))).status).toBe(200);
  });
});
