import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { desktop, phone } from './browser.ts';

/** In its short form: every page has to read it. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** What may be right in one colour scheme and wrong in the other. */
const colours = ['color-contrast', 'link-in-text-block'];
const looks = [
  { colorScheme: 'light', viewport: desktop, rules: everything },
  { colorScheme: 'light', viewport: phone, rules: everything },
  { colorScheme: 'dark', viewport: phone, rules: colours },
  { colorScheme: 'dark', viewport: desktop, rules: colours },
] as const;
const attribute = 'data-mantine-color-scheme';

/**
 * Checks WCAG 2.2 AA, as far as a program can tell, in light and dark, on a desktop and on a phone, on which nothing
 * may be too wide. With a selector, the whole page is checked in one of these looks and only that part in the others:
 * for a dialog or menu in front of a page that is checked by itself.
 *
 * The page is left as on a desktop, in the other colour scheme: a change of scheme is what takes longest here.
 */
export async function expectAccessible(page: Page, part?: string): Promise<void> {
  const isDark = (await page.locator('html').getAttribute(attribute)) === 'dark';
  for (const { colorScheme, viewport, rules } of isDark ? looks.toReversed() : looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.locator(`html[${attribute}="${colorScheme}"]`).waitFor();
    const where = rules === everything && viewport === desktop ? undefined : part;
    // What is still being painted in the colours of before is looked at once more.
    await expect
      .poll(async () => [...(await violations(page, rules, where)), ...(await tooWide(page))], {
        message: `${colorScheme}, ${viewport.width} pixels, ${page.url()}`,
      })
      .toEqual([]);
  }
}

async function violations(page: Page, rules: readonly string[], part?: string): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'], preload: false });
  const where = part === undefined ? 'document' : JSON.stringify(part);
  // Only what is wrong leaves the page: the rest is long.
  const found = (await page.evaluate(
    `axe.run(${where}, ${options}).then((all) => all.violations)`,
  )) as Result[];
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
}

async function tooWide(page: Page): Promise<string[]> {
  // What is fixed to the screen does not make the page wider.
  const wide = await page.evaluate(
    `[document.documentElement, document.querySelector('header')].some((part) => part?.scrollWidth > innerWidth)`,
  );
  return wide ? ['the page is wider than the screen'] : [];
}
