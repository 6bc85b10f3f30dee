import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { hashedRegistrations } from './people.ts';
import { median } from './ratio.ts';
import type { AtEnd } from './running/endings.ts';
import { startService } from './running/service.ts';

const goalMs = 1000;
const rounds = 9;

const { findChromium } = createRequire(import.meta.url)('../../scripts/test-programs.cjs') as {
  findChromium(): string | null;
};

/**
 * Measures how long a browser with an empty cache takes from the navigation to the overview with its charts, compared
 * with the time that the same browser takes for an answer of a few bytes.
 */
export async function firstLoad(atEnd: AtEnd): Promise<string> {
  const executablePath = findChromium();
  if (executablePath === null) return 'console  not measured: there is no Chromium';
  const service = await startService(atEnd);
  await service.call('irs/insert', [{ Denomination: 'Bench', Users: hashedRegistrations(100) }]);
  const browser = await chromium.launch({ executablePath });
  atEnd(() => browser.close());
  const overviews: number[] = [];
  const answers: number[] = [];
  let kilobytes = 0;
  for (let round = 0; round < rounds; round++) {
    answers.push((await load(browser, `${service.url}/health/live`, async () => {})).ms);
    const overview = await load(browser, `${service.url}/console`, chartsAreDrawn);
    overviews.push(overview.ms);
    kilobytes = overview.kilobytes;
  }
  const [shown, bare] = [median(overviews), median(answers)];
  return `console  the overview after ${shown.toFixed(0)} ms (to reach: under ${goalMs}), ${kilobytes.toFixed(0)} kB; ${(shown / bare).toFixed(1)} times an answer of a few bytes  [${overviews.map((ms) => ms.toFixed(0)).join(', ')}]`;
}

/** Waits for the charts with a check in every frame: a locator would check only every half second. */
async function chartsAreDrawn(page: Page): Promise<void> {
  await page.evaluate(`new Promise((found) => {
    const look = () => (document.querySelector('rect[data-figure]') ? found() : requestAnimationFrame(look));
    look();
  })`);
}

/** Loads a page in a new browser context, with an empty cache; `ms` is the time until `loaded` resolves. */
async function load(browser: Browser, url: string, loaded: (page: Page) => Promise<void>) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  const page = await context.newPage();
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  const start = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await loaded(page);
  const ms = performance.now() - start;
  // Requests that are still pending count too, so the page stays open until they have finished.
  await page.waitForLoadState('networkidle');
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await context.close();
  return { ms, kilobytes: bytes / 1000 };
}
