import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import type { TestService } from '../../setup/service.ts';

/** Ends every session, without a word to whoever is signed in. */
export const endSessions = ({ database }: TestService) =>
  database.query('delete from anagrafe.console_sessions');

/** Waits until the page says that the session has ended. */
export async function ended(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  await page.getByText('Your session has ended.').waitFor();
}

/** Nothing can be seen or heard of the page beside the sign-in. */
export async function expectSignInAlone(page: Page): Promise<void> {
  await expect.poll(() => page.getByRole('heading').allInnerTexts()).toEqual(['Sign in']);
  await expect.poll(() => page.getByRole('main').count()).toBe(1);
  for (const role of ['dialog', 'navigation', 'table', 'menu'] as const)
    await expect.poll(() => page.getByRole(role).count()).toBe(0);
  await expect.poll(() => page.getByText('half written').filter({ visible: true }).count()).toBe(0);
}

/** Dispatches the events of a window that is come back to, and returns how often the page then asks for its session. */
export async function comeBack(page: Page): Promise<number> {
  let asked = 0;
  const count = (request: Request) => {
    if (request.method() === 'GET' && new URL(request.url()).pathname === '/console/session') asked++;
  };
  page.on('request', count);
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
  await page.evaluate('window.dispatchEvent(new Event("focus"))');
  // The page sends its requests at once: what it asks for is on its way before the answer to this one.
  await page.evaluate('fetch("/health/live").then((answer) => answer.text())');
  page.off('request', count);
  return asked;
}
