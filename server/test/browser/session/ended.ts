import type { Page } from 'playwright-core';
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
  expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Sign in']);
  expect(await page.getByRole('main').count()).toBe(1);
  for (const role of ['dialog', 'navigation', 'table', 'menu'] as const)
    expect(await page.getByRole(role).count()).toBe(0);
  expect(await page.getByText('half written').filter({ visible: true }).count()).toBe(0);
}
