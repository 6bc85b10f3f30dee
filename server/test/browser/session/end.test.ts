import type { Locator, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Credential, credential } from '../../setup/admin.ts';
import type { TestService } from '../../setup/service.ts';
import { expectAccessible } from '../accessibility.ts';
import { enter, signIn, startConsole, useBrowser, type Visit, visit } from '../browser.ts';
import { choose } from '../import/importing.ts';
import { comeBack, ended, endSessions, expectSignInAlone } from './ended.ts';
import { cacheOf } from './query-cache.ts';

let service: TestService;
let office: Credential;
let other: Credential;
let person: Visit;

useBrowser();
beforeAll(async () => {
  service = await startConsole();
  office = await credential(service);
  other = await credential(service, { name: 'other' });
});
beforeEach(async () => {
  person = await visit(service);
  person.expectStatus(401);
  person.expectStatus(422);
});

/** Opens a page whose clock the test sets. */
async function visitWithClock(): Promise<Visit> {
  person = await visit(service, { newContext: true });
  person.expectStatus(401);
  person.expectStatus(422);
  await person.page.clock.install();
  return person;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name });

/** Counts the answers to the requests for the state of the session. */
async function answeredSessions(page: Page): Promise<number> {
  const { queries } = await cacheOf(page);
  return queries.find(({ queryKey }) => queryKey[0] === 'session')?.state.dataUpdateCount ?? 0;
}

/** A client that is being created, at the moment when the session ends. */
async function halfWritten(page: Page): Promise<Locator> {
  await button(page, 'New client').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('half written');
  await dialog.getByRole('checkbox', { name: /^Administer/ }).check();
  await endSessions(service);
  await button(dialog, 'Create').focus();
  await page.keyboard.press('Enter');
  await ended(page);
  return dialog;
}

describe('a session that ends under a form', () => {
  it('hides it from everyone, and gives it back to the same client as it was', async () => {
    const { page } = person;
    await enter(person, '/clients', office);
    const dialog = await halfWritten(page);
    await expectSignInAlone(page);
    await expect.poll(() => page.title()).toBe('Sign in · Anagrafe');
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Sign in');
    const reached = new Set<string>();
    for (let presses = 0; presses < 12; presses++) {
      await page.keyboard.press('Tab');
      reached.add(
        await page.evaluate(
          'document.activeElement.closest("main, header") ? "in" : document.activeElement.tagName',
        ),
      );
    }
    expect([...reached].sort()).toEqual(['BODY', 'in']);
    // Of what is hidden nothing listens.
    await page.keyboard.press('Escape');

    await credential(service, { name: 'meanwhile' });
    await signIn(page, office);
    await dialog.waitFor();
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('half written');
    await expect.poll(() => dialog.getByRole('checkbox', { name: /^Administer/ }).isChecked()).toBe(true);
    await expect.poll(() => page.title()).toBe('API clients · Anagrafe');
    await expect.poll(() => dialog.locator(':focus').count()).toBe(1);
    await button(dialog, 'Create').click();
    await dialog.getByText('half written').waitFor();
    await button(dialog, 'I have stored').click();
    await page.getByRole('row', { name: /half written/ }).waitFor();
    await page.getByRole('row', { name: /meanwhile/ }).waitFor();
    await expect.poll(() => page.locator(':focus').innerText()).toBe('New client');
  });

  it('brings one back to the field that one was in', async () => {
    const { page } = person;
    await enter(person, '/principals', office);
    const search = page.getByRole('searchbox');
    const listed = page.waitForResponse((answer) => !!answer.request().postData()?.includes('"ros"'));
    await search.fill('ros');
    await listed;
    await endSessions(service);
    await search.pressSequentially('si');
    await ended(page);
    await signIn(page, office);
    await expect.poll(() => search.inputValue()).toBe('rossi');
    await expect.poll(() => page.locator(':focus').and(search).count()).toBe(1);
  });

  it('is kept as it was for a quarter of an hour, and then forgotten', async () => {
    const { page } = await visitWithClock();
    const { body } = await service.call('irs/insert', [{ Denomination: 'Rossi Srl' }], { headers: office });
    await enter(person, `/principals/${body.result?.records[0]?.Item1}`, office);
    await button(page, 'Register a user').click();
    const dialog = page.getByRole('dialog');
    // Nothing is asked of the service before the clock goes on.
    await dialog.getByLabel('Username').fill('half.typed');
    await endSessions(service);
    await page.clock.runFor(1000);
    await ended(page);
    await page.clock.fastForward('14:00');
    await signIn(page, office);
    await expect.poll(() => dialog.getByLabel('Username').inputValue()).toBe('half.typed');

    await dialog.getByLabel('Username').fill('half.typed.again');
    await endSessions(service);
    await page.clock.runFor(1000);
    await ended(page);
    await page.clock.fastForward('15:30');
    await page.getByText('Your session has ended.').waitFor({ state: 'hidden' });
    await expect.poll(() => page.locator('input[value^="half.typed"]').count()).toBe(0);
    await signIn(page, office);
    await heading(page, 'Rossi Srl').waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
  });

  it('hides it though nobody does anything any more', async () => {
    const { page } = await visitWithClock();
    await enter(person, '/clients', office);
    await page.getByRole('row', { name: /office/ }).waitFor();
    await service.database.query(
      "update anagrafe.console_sessions set used_at = now() - interval '31 minutes'",
    );
    await page.clock.fastForward('30:30');
    await ended(page);
    await expectSignInAlone(page);
  });

  it('leaves it in sight while the session goes on elsewhere', async () => {
    const { page } = await visitWithClock();
    await enter(person, '/clients', office);
    await page.getByRole('row', { name: /office/ }).waitFor();
    const before = await answeredSessions(page);
    await page.clock.fastForward('30:30');
    await expect.poll(() => answeredSessions(page)).toBeGreaterThan(before);
    await heading(page, 'API clients').waitFor();
    await button(page, 'New client').click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
  });

  it('leaves nothing of it to another client', async () => {
    const { page } = person;
    await enter(person, '/clients', office);
    const dialog = await halfWritten(page);
    await signIn(page, other);
    await page.getByText('Signed in as other').filter({ visible: true }).waitFor();
    await page.getByRole('row', { name: /office/ }).waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
    await button(page, 'New client').click();
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('');
  });

  it('leaves nothing of it to whoever comes after a way out', async () => {
    const { page } = person;
    await enter(person, '/import', office);
    await choose(page, 'left.csv', 'Username\nanna');
    await page.getByText('left.csv (rows: 1)').waitFor();
    await button(page, 'Sign out').filter({ visible: true }).click();
    await heading(page, 'Sign in').waitFor();
    expect(await page.getByText('Your session has ended.').count()).toBe(0);
    await expect.poll(() => page.content()).not.toContain('left.csv');
    await signIn(page, office);
    await button(page, 'Choose a file').waitFor();
  });

  it('does not take a secret along that is shown once', async () => {
    const { page } = person;
    await enter(person, '/clients', office);
    await button(page, 'New client').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('with a secret');
    // The list is read anew as soon as the client is there.
    await page.route('**/admin/v1/clients', async (route, request) => {
      if (request.method() === 'GET') await endSessions(service);
      await route.continue();
    });
    await button(dialog, 'Create').click();
    await ended(page);
    await expect.poll(() => dialog.count()).toBe(0);
    await page.unroute('**/admin/v1/clients');
    await signIn(page, office);
    const both = await dialog.getByRole('textbox', { name: /^Both/ }).inputValue();
    await button(dialog, 'I have stored').click();
    await button(page, 'Sign out').filter({ visible: true }).click();
    person.expectStatus(403);
    await signIn(page, { SyncPublicKey: both });
    await page.getByRole('alert').filter({ hasText: 'does not have the scope admin' }).waitFor();
  });
});

describe('the own secret of the client that is signed in', () => {
  it('stays in sight when it is rotated and the session cannot go on', async () => {
    const { page } = person;
    person.expectStatus(502);
    await enter(person, '/clients', await credential(service, { name: 'rotating' }));
    await button(page, 'Actions for rotating').click();
    await page.getByRole('menuitem', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/hours/i).fill('0');
    await page.route('**/console/session', (route, request) =>
      request.method() === 'POST' ? route.fulfill({ status: 502, body: 'Bad gateway' }) : route.continue(),
    );
    await button(dialog, 'New secret').click();
    const both = dialog.getByRole('textbox', { name: /^Both/ });
    await both.waitFor();
    // As when one comes back from where it was stored.
    expect(await comeBack(page)).toBe(0);
    const secret = await both.inputValue();
    await button(dialog, 'I have stored').click();
    await page.unroute('**/console/session');
    await page.getByRole('link', { name: 'Jobs' }).first().click();
    await ended(page);
    await signIn(page, { SyncPublicKey: secret });
    await heading(page, 'Jobs').waitFor();
  });
});

describe('the sign-in in every look', () => {
  it('the sign-in in front of a page with a dialog is accessible', async () => {
    const look = await visit(service);
    look.expectStatus(401);
    await enter(look, '/clients', office);
    await halfWritten(look.page);
    await expectAccessible(look.page);
    await expectSignInAlone(look.page);
  });
});
