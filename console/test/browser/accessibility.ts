import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { desktop, phone } from './browser.ts';

/** The minified build, because every page evaluates it. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Rules whose result depends on the colour scheme. */
const colours = ['color-contrast', 'link-in-text-block'];
/** Rules whose result depends on the colour scheme or on the size of the page. */
const looks = [...colours, 'target-size'];
type Look = {
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: typeof desktop;
  readonly rules: readonly string[];
};
const attribute = 'data-mantine-color-scheme';

/**
 * Checks the WCAG 2.2 AA rules that axe can verify, and that the page does not scroll sideways: on a desktop and on a
 * phone, because they have different elements, one in the current colour scheme and the other in the other one.
 * Afterwards the page has the desktop size and the other colour scheme, because a change is slow.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const schemes = (await isDark(page)) ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  for (const [at, colorScheme] of schemes.entries())
    await expectAccessibleIn({ colorScheme, viewport: at === 0 ? desktop : phone, rules: everything }, page);
  await page.setViewportSize(desktop);
}

/**
 * Checks a dialog or menu; the page behind it is checked by another call. It has the same elements on a phone and on a
 * desktop, so one of them is checked in light and the other in dark. The page has the other size and colour scheme
 * afterwards, because a change is slow.
 */
export async function expectPartAccessible(page: Page, role: 'dialog' | 'menu'): Promise<void> {
  const dark = await isDark(page);
  const onPhone = page.viewportSize()?.width === phone.width;
  const looksOfPart = [
    { colorScheme: dark ? 'dark' : 'light', viewport: onPhone ? phone : desktop, rules: everything },
    { colorScheme: dark ? 'light' : 'dark', viewport: onPhone ? desktop : phone, rules: looks },
  ] as const;
  for (const look of looksOfPart) await expectAccessibleIn(look, page, `[role="${role}"]`);
}

/** Checks the colours of a dialog, of which only colours and texts have changed since another check. */
export async function expectColoursAccessible(page: Page): Promise<void> {
  const viewport = page.viewportSize()?.width === phone.width ? phone : desktop;
  const schemes = (await isDark(page)) ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  for (const colorScheme of schemes)
    await expectAccessibleIn({ colorScheme, viewport, rules: colours }, page, '[role="dialog"]');
}

async function isDark(page: Page): Promise<boolean> {
  return (await page.locator('html').getAttribute(attribute)) === 'dark';
}

async function expectAccessibleIn(
  { colorScheme, viewport, rules }: Look,
  page: Page,
  part?: string,
): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  // The account pages have no such attribute: their style sheet alone follows the colour scheme.
  const follows = (await page.locator('html').getAttribute(attribute)) !== null;
  if (follows) await page.locator(`html[${attribute}="${colorScheme}"]`).waitFor();
  // Colours may still be changing, so the check is repeated until it finds nothing.
  await expect
    .poll(async () => [...(await violations(page, rules, part)), ...(await tooWide(page))], {
      message: `${colorScheme}, ${viewport.width} pixels, ${page.url()}`,
    })
    .toEqual([]);
}

async function violations(page: Page, rules: readonly string[], part?: string): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'], preload: false });
  const where = part === undefined ? 'document' : JSON.stringify(part);
  // Only the violations are returned from the page, because the whole result is large.
  const found = (await page.evaluate(
    `axe.run(${where}, ${options}).then((all) => all.violations)`,
  )) as Result[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

async function tooWide(page: Page): Promise<string[]> {
  // The header is measured separately: it is fixed, so it does not make the document wider.
  const wide = await page.evaluate(
    `[document.documentElement, document.querySelector('header')].some((part) => part?.scrollWidth > innerWidth)`,
  );
  return wide ? ['the page is wider than the screen'] : [];
}
