import { describe, expect, it } from 'vitest';
import { startConsole, useBrowser, visit } from './browser.ts';

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
    await banner.getByRole('button', { name: 'Create first client' }).click();

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
    await expect.poll(() => banner.count()).toBe(0);
    await page.reload();
    await page.getByText('Signed in as office').filter({ visible: true }).waitFor();
    await expect.poll(() => page.content()).not.toContain(secret);
  });
});
