import { describe, expect, it } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { useConsole, visit } from './browser.ts';

const { service } = await useConsole();

describe('the documentation pages', () => {
  it('are found by the words of a section, and the result leads to that section', async () => {
    const { page, url } = await visit(service);
    await page.goto(`${url}/docs/pages/`);
    const search = page.getByRole('searchbox', { name: 'Search the documentation' });
    const results = page.getByRole('list', { name: 'Search results' });
    await search.fill('retry idempotency key');
    await results.getByRole('link', { name: /idempotency keys: Answers/ }).click();
    await page.waitForURL(/idempotency\.html#answers$/);
    await page.getByRole('heading', { name: 'Answers' }).waitFor();
    await search.fill('xylophone quartet');
    await results.getByText('No results').waitFor();
    await search.press('Escape');
    await expect.poll(() => results.isVisible()).toBe(false);
  });

  it('are accessible', async () => {
    const { page, url } = await visit(service);
    await page.goto(`${url}/docs/pages/guides/jobs.html`);
    await expectAccessible(page);
  });
});
