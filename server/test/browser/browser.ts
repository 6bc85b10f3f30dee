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
const troubles: string[] = [];
const open: { close(): Promise<void> }[] = [];

/**
 * Closes every page after each test, and fails the test for whatever a page reported: script errors, console warnings,
 * violations of the content security policy, failed requests, unexpected statuses.
 */
export function useBrowser(): void {
  afterEach(async () => {
    for (const context of open.splice(0)) await context.close();
    expect(troubles.splice(0)).toEqual([]);
  });
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

export async function visit(
  { url }: TestService,
  options: Pick<BrowserContextOptions, 'colorScheme' | 'locale' | 'viewport'> = {},
): Promise<Visit> {
  const browser = await launchBrowser();
  const context = await browser.newContext({
    viewport: desktop,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  open.push(context);
  return openTab(context, url);
}

async function openTab(context: BrowserContext, url: string): Promise<Visit> {
  const page = await context.newPage();
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
    anotherTab: () => openTab(context, url),
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
  const answer = await request.post(`${url}/console/session`, { headers: ownPage, data: keysOf(client) });
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
