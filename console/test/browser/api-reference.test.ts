import { describe, expect, it } from 'vitest';
import { phone, useConsole, visit } from './browser.ts';

const { service } = await useConsole();

describe('the API reference', () => {
  it('is readable on a phone: nothing is wider than the screen, and its parameters are below each other', async () => {
    const { page, url } = await visit(service, { viewport: phone });
    await page.goto(`${url}/docs`);
    const operation = page.locator('.opblock', { hasText: '/irs/insert' }).first();
    await operation.locator('.opblock-summary').click();
    await operation.getByText('Idempotency-Key', { exact: false }).first().waitFor();
    expect(await page.getAttribute('meta[name=viewport]', 'content')).toContain('width=device-width');
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width);
    const row = operation.locator('table.parameters tbody tr').first();
    const [name, description] = await Promise.all(
      [0, 1].map((n) => row.locator('> td').nth(n).boundingBox()),
    );
    expect(description?.y).toBeGreaterThanOrEqual((name?.y ?? 0) + (name?.height ?? Infinity));
  });
});
