import { createRequire } from 'node:module';
import { type Credential, credential } from '@anagrafe/testing/admin';
import { keysOf, ownPage } from '@anagrafe/testing/console';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { waitLimitMs } from '@anagrafe/testing/until';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { afterEach, expect } from 'vitest';
import { builtConsole } from '../../../server/src/console/console.routes.ts';

const { findChromium } = createRequire(import.meta.url)('../../../scripts/test-programs.cjs') as {
  findChromium(): string | null;
};

/** A browser page that shows the console of a service. */
export interface Visit {
  readonly page: Page;
  /** Base URL of the service. */
  readonly url: string;
  /** Loads a path below `/console`. */
  goTo(path: string): Promise<void>;
  /** Allows answers with this status, which would otherwise fail the test. */
  expectStatus(status: number): void;
  /** Allows requests to a path to fail without an answer, which would otherwise fail the test. */
  expectFailure(path: string): void;
  /** Opens a tab in the same browser context, which shares the session cookie. */
  anotherTab(): Promise<Visit>;
}

export const desktop = { width: 1280, height: 800 };
/** The width at which WCAG 1.4.10 forbids sideways scrolling. */
export const phone = { width: 320, height: 844 };

/**
 * Without a graphics card Chromium would compute every frame with an emulated one, in a process of its own, and its
 * JavaScript engine would use more threads than the machine has cores. The first costs a sixth of the CPU time.
 */
const frugalArgs = [
  '--disable-gpu',
  '--disable-gpu-rasterization',
  '--disable-software-rasterizer',
  '--in-process-gpu',
  '--js-flags=--single-threaded',
];

let launching: Promise<Browser> | undefined;
/** A page of an earlier test, without cookies and stored data: its warm cache makes loading the console cheaper. */
let idlePage: Page | undefined;
const problems: string[] = [];
const open: OpenContext[] = [];

interface OpenContext {
  readonly context: BrowserContext;
  /** The page to keep for the next test and the origin it was used on; null if the context is closed after the test. */
  readonly reused: { readonly page: Page; readonly url: string } | null;
}

/**
 * Clears or closes every page after each test, and fails the test if a page reported a script error, a console warning,
 * a violation of the content security policy, a failed request or an unexpected status.
 */
export function useBrowser(): void {
  afterEach(async () => {
    for (const { context, reused } of open.splice(0)) {
      const kept = reused !== null && idlePage === undefined && (await clear(context, reused));
      if (kept) idlePage = reused.page;
      else await context.close();
    }
    expect(problems.splice(0)).toEqual([]);
  });
}

/** Removes everything that a test may have left in a browser context; returns false if that failed. */
async function clear(context: BrowserContext, { page, url }: { page: Page; url: string }): Promise<boolean> {
  try {
    removeListeners(page);
    // A page with unsaved input opens a dialog before the navigation.
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
    return chromium.launch({ executablePath, args: frugalArgs });
  })();
  return launching;
}

/** Starts a service that serves the built console. */
export async function startConsole(settings: Record<string, string> = {}): Promise<TestService> {
  const consoleFolder = builtConsole();
  if (!consoleFolder) throw new Error('build the console first: npm run build');
  return startTestService(settings, { consoleFolder });
}

/**
 * Starts a service with the console and an admin client for the tests of a file, and calls `useBrowser`. Called at the
 * top level of the file: `const { service, office } = await useConsole();`
 */
export async function useConsole(
  settings: Record<string, string> = {},
  client: Parameters<typeof credential>[1] = {},
): Promise<{ service: TestService; office: Credential }> {
  useBrowser();
  const service = await startConsole(settings);
  return { service, office: await credential(service, client) };
}

interface VisitOptions
  extends Pick<BrowserContextOptions, 'colorScheme' | 'locale' | 'timezoneId' | 'viewport'> {
  /** Uses a new context, with an empty cache, for this test only: a change of `page.clock` cannot be undone. */
  readonly newContext?: boolean;
}

export async function visit({ url }: TestService, options: VisitOptions = {}): Promise<Visit> {
  const { colorScheme = 'light', locale, timezoneId, viewport = desktop, newContext = false } = options;
  const isReusable = !newContext && locale === undefined && timezoneId === undefined;
  const idle = isReusable && !idlePage?.isClosed() ? idlePage : undefined;
  if (idle) idlePage = undefined;
  const page = idle ?? (await newPage(locale, timezoneId));
  open.push({ context: page.context(), reused: isReusable ? { page, url } : null });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.setViewportSize(viewport ?? desktop);
  return watch(page, url);
}

async function newPage(locale = 'en-GB', timezoneId?: string): Promise<Page> {
  const browser = await launchBrowser();
  const context = await browser.newContext({
    viewport: desktop,
    locale,
    ...(timezoneId !== undefined && { timezoneId }),
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  return context.newPage();
}

/** Records the problems that the page reports; `useBrowser` checks them at the end of the test. */
function watch(page: Page, url: string): Visit {
  page.setDefaultTimeout(waitLimitMs);
  const expected = new Set<number>();
  const failing = new Set<string>();

  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Chromium logs every status of 400 and above; the handler of responses below checks those.
    const isStatus = message.text().startsWith('Failed to load resource');
    if (!isStatus && ['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('requestfailed', (request) => {
    // A navigation aborts the open requests of the page.
    if (failing.has(new URL(request.url()).pathname.replace('/api/sync/v1', ''))) return;
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(`failed: ${request.url()}`);
  });
  page.on('response', (response) => {
    const status = response.status();
    if (status >= 400 && !expected.has(status)) problems.push(`${status}: ${response.url()}`);
  });
  return {
    page,
    url,
    goTo: async (path) => {
      await page.goto(`${url}/console${path}`);
    },
    expectStatus: (status) => expected.add(status),
    expectFailure: (path) => failing.add(path),
    anotherTab: async () => watch(await page.context().newPage(), url),
  };
}

/** Signs in by the visible form; hidden pages behind it may have fields with the same labels. */
export async function signIn(
  page: Page,
  { SyncPublicKey = '', SyncSecretKey = '' }: Credential,
): Promise<void> {
  const field = (name: string) => page.getByLabel(name, { exact: true }).filter({ visible: true });
  await chooseKeys(page);
  await field('Public key').fill(SyncPublicKey);
  await field('Secret key').fill(SyncSecretKey);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Shows the form for the keys of an API client, unless the browser has remembered it. */
export async function chooseKeys(page: Page): Promise<void> {
  const choice = page.getByRole('button', { name: /^(Sign in with an API|Accedi con una) / });
  await choice.or(page.getByRole('button', { name: /^(Sign in with|Accedi con) email/ })).waitFor();
  if (await choice.isVisible()) await choice.click();
}

/** Signs in by a direct request, without the form; open pages are not notified. */
export async function openSession({ page, url }: Visit, client: Credential): Promise<void> {
  const { request } = page.context();
  const answer = await request.post(`${url}/console/session`, {
    headers: ownPage,
    data: keysOf(client),
    timeout: waitLimitMs,
  });
  expect(answer.ok()).toBe(true);
}

/** Signs in without the form and loads a page of the console. */
export async function enter(person: Visit, path: string, client: Credential): Promise<void> {
  await openSession(person, client);
  await person.goTo(path);
  await person.page.getByRole('heading', { level: 1 }).waitFor();
}

/** Delays the matching requests of a page until the returned function is called. */
export async function delayed(page: Page, path: string, method = 'POST'): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(`**${path}`, async (route, request) => {
    if (request.method() === method) await released;
    await route.continue();
  });
  return release;
}
