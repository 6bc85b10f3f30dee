import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { builtConsole } from '../../src/console-folder.ts';
import type { Credential } from '../setup/admin.ts';
import { keysOf, ownPage } from '../setup/console.ts';
import { startTestService, type TestService } from '../setup/service.ts';
import { waitLimitMs } from '../setup/until.ts';

const { findChromium } = createRequire(import.meta.url)('../../../scripts/chromium.cjs') as {
  findChromium(): string | null;
};

/** A person with a browser, in front of the console. */
export interface Visit {
  readonly page: Page;
  /** Of the service. */
  readonly url: string;
  /** Goes to `/console` and what is below it, by typing the address. */
  goTo(path: string): Promise<void>;
  /** Lets an answer with this status pass: it is what the test is about. */
  expectStatus(status: number): void;
  /** Of the same browser: what was signed in here is signed in there. */
  anotherTab(): Promise<Visit>;
}

export const desktop = { width: 1280, height: 800 };
/** As narrow as WCAG has pages be read without scrolling sideways. */
export const phone = { width: 320, height: 844 };

let launching: Promise<Browser> | undefined;
/** A page without cookies and stored data that an earlier test has left; loading the console in it is cheaper. */
let idlePage: Page | undefined;
const troubles: string[] = [];
const open: OpenContext[] = [];

interface OpenContext {
  readonly context: BrowserContext;
  /** The page to keep for the next test, and the origin that it was used on; null: the context is closed. */
  readonly reused: { readonly page: Page; readonly url: string } | null;
}

/**
 * Clears or closes every page after each test, and fails the test for whatever a page reported: script errors, console
 * warnings, violations of the content security policy, failed requests, unexpected statuses.
 */
export function useBrowser(): void {
  afterEach(async () => {
    for (const { context, reused } of open.splice(0)) {
      const kept = reused !== null && idlePage === undefined && (await clear(context, reused));
      if (kept) idlePage = reused.page;
      else await context.close();
    }
    expect(troubles.splice(0)).toEqual([]);
  });
}

/** Removes everything that a test may have left in a browser context; returns false if that failed. */
async function clear(context: BrowserContext, { page, url }: { page: Page; url: string }): Promise<boolean> {
  try {
    removeListeners(page);
    // A page with unsaved input asks before it is left.
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    for (const other of context.pages()) if (other !== page) await other.close();
    // A page of the same origin has access to its stored data, and Chromium keeps the process for it.
    await page.goto(`${url}/health/live`);
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await context.clearCookies();
    removeListeners(page);
    return true;
  } catch {
    return false;
  }
}

function removeListeners(page: Page): void {
  for (const event of ['pageerror', 'console', 'requestfailed', 'response', 'dialog'])
    page.removeAllListeners(event);
}

/** Launches Chromium once per worker; Playwright ends it together with the worker's process. */
function launchBrowser(): Promise<Browser> {
  launching ??= (async () => {
    const executablePath = findChromium();
    if (!executablePath) throw new Error('Chromium is missing: install it, or set CHROMIUM to its path');
    return chromium.launch({ executablePath });
  })();
  return launching;
}

/** The real service with the console as it was built. */
export async function startConsole(settings: Record<string, string> = {}): Promise<TestService> {
  const consoleFolder = builtConsole();
  if (!consoleFolder) throw new Error('build the console first: npm run build');
  return startTestService(settings, { consoleFolder });
}

interface VisitOptions extends Pick<BrowserContextOptions, 'colorScheme' | 'locale' | 'viewport'> {
  /** Starts with an empty cache and is closed after the test: for tests that set `page.clock`, which cannot be undone. */
  readonly newContext?: boolean;
}

export async function visit({ url }: TestService, options: VisitOptions = {}): Promise<Visit> {
  const { colorScheme = 'light', locale, viewport = desktop, newContext = false } = options;
  const isReusable = !newContext && locale === undefined;
  const idle = isReusable && !idlePage?.isClosed() ? idlePage : undefined;
  if (idle) idlePage = undefined;
  const page = idle ?? (await newPage(locale));
  open.push({ context: page.context(), reused: isReusable ? { page, url } : null });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(viewport ?? desktop);
  return watch(page, url);
}

async function newPage(locale = 'en-GB'): Promise<Page> {
  const browser = await launchBrowser();
  const context = await browser.newContext({
    viewport: desktop,
    locale,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  return context.newPage();
}

/** Records whatever the page reports, for the end of the test. */
function watch(page: Page, url: string): Visit {
  page.setDefaultTimeout(waitLimitMs);
  const expected = new Set<number>();

  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Chromium notes every status of 400 and above by itself; what was answered is looked at below.
    const isStatus = message.text().startsWith('Failed to load resource');
    if (!isStatus && ['error', 'warning'].includes(message.type())) troubles.push(message.text());
  });
  page.on('requestfailed', (request) => {
    // A page that is left takes its requests along.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') troubles.push(`failed: ${request.url()}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 400 && !expected.has(status)) troubles.push(`${status}: ${response.url()}`);
  });
  return {
    page,
    url,
    goTo: async (path) => {
      await page.goto(`${url}/console${path}`);
    },
    expectStatus: (status) => expected.add(status),
    anotherTab: async () => watch(await page.context().newPage(), url),
  };
}

/** Signs in by the form that is there, whatever it hides. */
export async function signIn(
  page: Page,
  { SyncPublicKey = '', SyncSecretKey = '' }: Credential,
): Promise<void> {
  const field = (name: string) => page.getByLabel(name, { exact: true }).filter({ visible: true });
  await field('Public key').fill(SyncPublicKey);
  await field('Secret key').fill(SyncSecretKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs the browser in without the form, and without a word to its pages. */
export async function openSession({ page, url }: Visit, client: Credential): Promise<void> {
  const { request } = page.context();
  const answer = await request.post(`${url}/console/session`, {
    headers: ownPage,
    data: keysOf(client),
    timeout: waitLimitMs,
  });
  expect(answer.ok()).toBe(true);
}

/** Goes to a page as one who is signed in. */
export async function enter(person: Visit, path: string, client: Credential): Promise<void> {
  await openSession(person, client);
  await person.goTo(path);
  await person.page.getByRole('heading', { level: 1 }).waitFor();
}

/** Holds calls of a page back on their way, until they are let go. */
export async function delayed(page: Page, path: string, method = 'POST'): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(`**${path}`, async (route, request) => {
    if (request.method() === method) await held;
    await route.continue();
  });
  return letGo;
}
