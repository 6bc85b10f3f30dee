import { credential } from '@anagrafe/testing/admin';
import { waitLimitMs } from '@anagrafe/testing/until';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { enter, openSession, signIn, useConsole, type Visit, visit } from '../browser.ts';
import { comeBack } from './ended.ts';

const { service, office } = await useConsole();
const other = await credential(service, { name: 'other' });

let first: Visit;
let second: Visit;

beforeEach(async () => {
  first = await visit(service);
  second = await first.anotherTab();
});

const button = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).filter({ visible: true });
const signedInAs = (page: Page, name: string) =>
  page.getByText(`Signed in as ${name}`).filter({ visible: true });

/** Starts to fill the form for a new client. */
async function startForm({ page }: Visit): Promise<void> {
  await button(page, 'New client').click();
  await page.getByRole('dialog').getByLabel('Name').fill('half written');
}

async function expectNothingLeft({ page }: Visit): Promise<void> {
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await button(page, 'New client').click();
  await expect.poll(() => page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('');
}

describe('two tabs of one browser', () => {
  it('sign in and out together, and discard their forms at the sign-out', async () => {
    // A tab may have asked for rows just before the other one signed out.
    for (const tab of [first, second]) tab.expectStatus(401);
    await second.goTo('/clients');
    await button(second.page, 'Sign in').waitFor();
    await first.goTo('/jobs');
    await signIn(first.page, office);
    await signedInAs(second.page, 'office').waitFor();
    await startForm(second);
    await button(first.page, 'Sign out').click();
    await button(second.page, 'Sign in').waitFor();
    expect(await second.page.getByText('Your session has expired.').count()).toBe(0);
    await expect.poll(() => second.page.getByRole('dialog', { includeHidden: true }).count()).toBe(0);
    await signIn(first.page, office);
    await signedInAs(second.page, 'office').waitFor();
    await expectNothingLeft(second);
  });

  it('switch to the same client when one of them signs in as another', async () => {
    await enter(second, '/clients', office);
    await startForm(second);
    // The first tab gets the answer that it is signed out, so it shows the sign-in form.
    await first.page.route('**/console/session', async (route, request) => {
      if (request.method() !== 'GET') return route.continue();
      const response = await route.fetch({ timeout: waitLimitMs });
      const answer = await response.json();
      Object.assign(answer.result.record, { State: 'signed-out', Client: null, ExpiresAt: null });
      await route.fulfill({ response, json: answer });
    });
    await first.goTo('/jobs');
    await signIn(first.page, other);
    await signedInAs(second.page, 'other').waitFor();
    await expectNothingLeft(second);
  });

  it('check who is signed in when the user returns to the window', async () => {
    const { page } = first;
    await enter(first, '/clients', office);
    await startForm(first);
    await openSession(first, other);
    expect(await comeBack(page)).toBeGreaterThan(0);
    await signedInAs(page, 'other').waitFor();
    await expectNothingLeft(first);
  });
});
