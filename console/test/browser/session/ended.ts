import type { TestService } from '@anagrafe/testing/service';
import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';

/** Deletes every session in the database; open pages are not notified. */
export const endSessions = ({ database }: TestService) =>
  database.query('delete from anagrafe.console_sessions');

/** Waits until the page shows that the session has ended. */
export async function ended(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  await page.getByText('Your session has expired.').waitFor();
}

/** Expects that only the sign-in form is visible and in the accessibility tree. */
export async function expectSignInAlone(page: Page): Promise<void> {
  await expect.poll(() => page.getByRole('heading').allInnerTexts()).toEqual(['Sign in']);
  await expect.poll(() => page.getByRole('main').count()).toBe(1);
  for (const role of ['dialog', 'navigation', 'table', 'menu'] as const)
    await expect.poll(() => page.getByRole(role).count()).toBe(0);
  await expect.poll(() => page.getByText('half written').filter({ visible: true }).count()).toBe(0);
}

/** Dispatches the events of a return to the window, and returns the number of session requests that the page sends. */
export async function comeBack(page: Page): Promise<number> {
  let requests = 0;
  const count = (request: Request) => {
    if (request.method() === 'GET' && new URL(request.url()).pathname === '/console/session') requests++;
  };
  page.on('request', count);
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
  await page.evaluate('window.dispatchEvent(new Event("focus"))');
  // The page sends its requests at once, so they are sent before this one is answered.
  await page.evaluate('fetch("/health/live").then((answer) => answer.text())');
  page.off('request', count);
  return requests;
}
