import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Credential, credential } from '../../setup/admin.ts';
import type { TestService } from '../../setup/service.ts';
import { waitLimitMs } from '../../setup/until.ts';
import { enter, openSession, signIn, startConsole, useBrowser, type Visit, visit } from '../browser.ts';
import { comeBack } from './ended.ts';

let service: TestService;
let office: Credential;
let other: Credential;
let first: Visit;
let second: Visit;

useBrowser();
beforeAll(async () => {
  service = await startConsole();
  office = await credential(service);
  other = await credential(service, { name: 'other' });
});
beforeEach(async () => {
  first = await visit(service);
  second = await first.anotherTab();
});

const button = (page: Page, name: string) => page.getByRole('button', { name }).filter({ visible: true });
const who = (page: Page, name: string) => page.getByText(`Signed in as ${name}`).filter({ visible: true });

/** A client that is half described, in the name of the office. */
async function halfWritten({ page }: Visit): Promise<void> {
  await button(page, 'New client').click();
  await page.getByRole('dialog').getByLabel('Name').fill('half written');
}

async function expectNothingLeft({ page }: Visit): Promise<void> {
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await button(page, 'New client').click();
  await expect.poll(() => page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('');
}

describe('two tabs of one browser', () => {
  it('come in together, and leave together, with nothing left for whoever comes next', async () => {
    await second.goTo('/clients');
    await button(second.page, 'Sign in').waitFor();
    await first.goTo('/jobs');
    await signIn(first.page, office);
    await who(second.page, 'office').waitFor();
    await halfWritten(second);
    await button(first.page, 'Sign out').click();
    await button(second.page, 'Sign in').waitFor();
    expect(await second.page.getByText('Your session has ended.').count()).toBe(0);
    await expect.poll(() => second.page.getByRole('dialog', { includeHidden: true }).count()).toBe(0);
    await signIn(first.page, office);
    await who(second.page, 'office').waitFor();
    await expectNothingLeft(second);
  });

  it('are of one client: that of one becomes that of the other', async () => {
    await enter(second, '/clients', office);
    await halfWritten(second);
    // The first one has not heard of it, and signs in by itself.
    await first.page.route('**/console/session', async (route, request) => {
      const body = { State: 'signed-out', Client: null, ExpiresAt: null };
      if (request.method() !== 'GET') return route.continue();
      const response = await route.fetch({ timeout: waitLimitMs });
      const answer = await response.json();
      await route.fulfill({ response, json: { ...answer, result: { ...answer.result, record: body } } });
    });
    await first.goTo('/jobs');
    await signIn(first.page, other);
    await who(second.page, 'other').waitFor();
    await expectNothingLeft(second);
  });

  it('say who is there when one comes back to them', async () => {
    const { page } = first;
    await enter(first, '/clients', office);
    await halfWritten(first);
    await openSession(first, other);
    expect(await comeBack(page)).toBeGreaterThan(0);
    await who(page, 'other').waitFor();
    await expectNothingLeft(first);
  });
});
