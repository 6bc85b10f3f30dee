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
  { colorScheme: 'dark', viewport: desktop, rules: colours },
  { colorScheme: 'dark', viewport: phone, rules: colours },
  { colorScheme: 'light', viewport: phone, rules: everything },
] as const;

/** WCAG 2.2 AA, as far as a program can tell, in light and dark, on a desktop and on a phone, on which nothing is too wide. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const { colorScheme, viewport, rules } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    // What is still being painted in the colours of before is looked at once more.
    await expect
      .poll(async () => [...(await violations(page, rules)), ...(await tooWide(page))], {
        message: `${colorScheme}, ${viewport.width} pixels, ${page.url()}`,
        timeout: 30_000,
      })
      .toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(desktop);
}

async function violations(page: Page, rules: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'], preload: false });
  // Only what is wrong leaves the page: the rest is long.
  const found = (await page.evaluate(`axe.run(${options}).then((all) => all.violations)`)) as Result[];
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
