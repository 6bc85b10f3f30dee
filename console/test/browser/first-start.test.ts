import { rightPassword } from '@anagrafe/testing/login';
import { generateSync } from 'otplib';
import { describe, expect, it } from 'vitest';
import { startConsole, useBrowser, visit } from './browser.ts';
import { field, heading, press } from './session/person.ts';

// The service has no client: `useConsole` would create one.
useBrowser();
const service = await startConsole();

describe('the console at the first start', () => {
  it('is open without a sign-in, explains protected mode, and signs in the first client that is created', async () => {
    const { page, goTo, expectStatus } = await visit(service);
    // Requests between the creation of the first client and its session get 401.
    expectStatus(401);
    await goTo('');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    const banner = page.getByRole('alert').filter({ hasText: 'Protected mode' });
    await banner.getByRole('link', { name: 'Start set-up' }).click();
    await page.getByRole('button', { name: 'Skip this step' }).click();
    await page.getByRole('button', { name: 'Create first client' }).click();

    const dialog = page.getByRole('dialog', { name: 'First API client' });
    await dialog.getByLabel('Name').fill('office');
    await dialog.getByRole('button', { name: 'Create and sign in' }).click();
    const secret = await dialog.getByLabel('Secret key', { exact: true }).inputValue();
    expect(secret).toMatch(/^ags_/);
    await dialog.getByRole('button', { name: 'Copy: Secret key' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });

    await page.getByText('Signed in as office').filter({ visible: true }).waitFor();
    await page.getByText('skipped').waitFor();
    await page.getByRole('button', { name: 'Open: First operator' }).waitFor();
    await page.goto(page.url().replace('/setup', ''));
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await expect.poll(() => banner.count()).toBe(0);
    await page.reload();
    await page.getByText('Signed in as office').filter({ visible: true }).waitFor();
    await expect.poll(() => page.content()).not.toContain(secret);
  });
});

describe('the set-up', () => {
  it('leads from the first operator through the first client, the address and mail to the import', async () => {
    const fresh = await startConsole();
    const person = await visit(fresh);
    const { page } = person;
    // The sign-in without the code of the second factor.
    person.expectStatus(401);
    await person.goTo('/setup');
    await page.getByRole('textbox', { name: 'Your name' }).fill('Anna Bianchi');
    await page.getByRole('textbox', { name: 'Your email' }).fill('anna@example.com');
    await page.getByRole('button', { name: 'Create and set password' }).click();
    await field(page, 'New password').fill(rightPassword);
    await field(page, 'Repeat the password').fill(rightPassword);
    await press(page, 'Set password and sign in');
    await heading(page, 'Set up the second factor').waitFor();
    const secret = await field(page, 'Or type this key into the app').inputValue();
    await field(page, 'Code').fill(generateSync({ secret }));
    await press(page, 'Set up');
    await press(page, 'I have stored the codes');

    await heading(page, 'Set-up').waitFor();
    await press(page, 'Create first client');
    const dialog = page.getByRole('dialog', { name: 'First API client' });
    await dialog.getByRole('button', { name: 'Create client' }).click();
    const keys = await dialog.getByLabel('Both keys', { exact: false }).first().inputValue();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const sample = await fetch(`${fresh.url}/api/sync/v1/irs/insert`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ Denomination: 'Rossi' }]),
    });
    expect(sample.status).toBe(200);
    await page.getByText('ANAGRAFE_PUBLIC_URL=').waitFor();
    await press(page, 'Skip this step');
    await page.getByText('ANAGRAFE_SMTP_URL=').waitFor();
    await press(page, 'Skip this step');
    await expect.poll(() => page.getByText('skipped').count()).toBe(2);
    await page.reload();
    await page.getByText('The set-up is complete.').waitFor();
    await press(page, 'Open: First import');
    await page.getByRole('link', { name: 'Open import' }).click();
    await heading(page, 'Import').waitFor();
  });
});
