import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { enter, useConsole, type Visit, visit } from '../browser.ts';
import { enterNew, takePassword } from '../principals.ts';
import { cacheOf } from './query-cache.ts';

const { service, office } = await useConsole();
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
  person.expectStatus(401);
  person.expectStatus(422);
});

/** The query and mutation cache of the page as JSON, which the developer tools of the browser can read. */
const cacheText = async (page: Page) => JSON.stringify(await cacheOf(page));

describe('the query cache of a page', () => {
  it('contains no typed secret, and no shown secret once its dialog is closed', async () => {
    const { page } = person;
    await enter(person, '/clients', office);
    await page.getByRole('row', { name: /office/ }).waitFor();
    const typed = office.SyncSecretKey ?? '';
    expect(typed).not.toBe('');
    await expect.poll(() => cacheText(page)).not.toContain(typed);
    await page.getByRole('button', { name: 'New client' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('forgotten');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const shown = await dialog.getByLabel('Secret key', { exact: true }).inputValue();
    await expect.poll(() => cacheText(page)).toContain(shown);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => cacheText(page)).not.toContain(shown);
  });

  it('contains no password, neither while it is validated nor after it was set', async () => {
    const { page } = person;
    await enterNew(service, office, person, 'Forgotten Srl');
    await page.getByRole('button', { name: 'Register user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Username').fill('forgotten.user');
    await dialog.getByLabel('Password', { exact: true }).fill('una frase lunga davvero');
    await dialog.getByText('This password meets the requirements.').waitFor();
    await expect.poll(() => cacheText(page)).toContain('"dryRun"');
    expect(await cacheText(page)).not.toContain('una frase lunga davvero');
    await dialog.getByRole('button', { name: 'Register user' }).click();
    await takePassword(page);
    await expect.poll(() => cacheText(page)).not.toContain('una frase lunga davvero');
  });

  it('contains no dry run once the session has ended', async () => {
    const { page } = person;
    await enterNew(service, office, person, 'Tried Srl');
    await page.getByRole('button', { name: 'Register user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password', { exact: true }).fill('una frase lunga davvero');
    await dialog.getByText('This password meets the requirements.').waitFor();
    await service.database.query('delete from anagrafe.console_sessions');
    await dialog.getByLabel('Username').fill('tried.user');
    await page.getByText('Your session has expired.').waitFor();
    await expect.poll(() => cacheText(page)).not.toContain('"dryRun"');
  });
});
