import { credential } from '@anagrafe/testing/admin';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { enter, signIn, useConsole, type Visit, visit } from '../browser.ts';
import { choose } from '../import/importing.ts';
import { comeBack, ended, endSessions, expectSignInAlone } from './ended.ts';
import { cacheOf } from './query-cache.ts';

const { service, office } = await useConsole();
const other = await credential(service, { name: 'other' });

let person: Visit;

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

/** Fills the form for a new client and submits it after its session has ended; returns the dialog. */
async function submitWithoutSession(page: Page): Promise<Locator> {
  await button(page, 'New client').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('half written');
  await dialog.getByRole('checkbox', { name: /^admin/ }).check();
  await endSessions(service);
  await button(dialog, 'Create').focus();
  await page.keyboard.press('Enter');
  await ended(page);
  return dialog;
}

describe('a page at the end of its session', () => {
  it('is hidden, and restored with its form when the same client signs in', async () => {
    const { page } = person;
    await enter(person, '/clients', office);
    const dialog = await submitWithoutSession(page);
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
    // The hidden dialog must not receive the key.
    await page.keyboard.press('Escape');

    await credential(service, { name: 'meanwhile' });
    await signIn(page, office);
    await dialog.waitFor();
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('half written');
    await expect.poll(() => dialog.getByRole('checkbox', { name: /^admin/ }).isChecked()).toBe(true);
    await expect.poll(() => page.title()).toBe('API clients · Anagrafe');
    await expect.poll(() => dialog.locator(':focus').count()).toBe(1);
    await button(dialog, 'Create').click();
    await dialog.getByText('half written').waitFor();
    await button(dialog, 'Done').click();
    await page.getByRole('row', { name: /half written/ }).waitFor();
    await page.getByRole('row', { name: /meanwhile/ }).waitFor();
    await expect.poll(() => page.locator(':focus').innerText()).toBe('New client');
  });

  it('gets the focus back in the same field after the sign-in', async () => {
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

  it('is kept for 15 minutes and then discarded', async () => {
    const { page } = await visitWithClock();
    const { body } = await service.call('irs/insert', [{ Denomination: 'Rossi Srl' }], { headers: office });
    await enter(person, `/principals/${body.result?.records[0]?.Item1}`, office);
    await button(page, 'Register user').click();
    const dialog = page.getByRole('dialog');
    // The page sends no request before its clock advances.
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
    await page.getByText('Your session has expired.').waitFor({ state: 'hidden' });
    await expect.poll(() => page.locator('input[value^="half.typed"]').count()).toBe(0);
    await signIn(page, office);
    await heading(page, 'Rossi Srl').waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
  });

  it('is hidden without any user action when the session expires', async () => {
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

  it('stays visible if the service reports that the session is still valid', async () => {
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

  it('is discarded when another client signs in', async () => {
    const { page } = person;
    await enter(person, '/clients', office);
    const dialog = await submitWithoutSession(page);
    await signIn(page, other);
    await page.getByText('Signed in as other').filter({ visible: true }).waitFor();
    await page.getByRole('row', { name: /office/ }).waitFor();
    await expect.poll(() => dialog.count()).toBe(0);
    await button(page, 'New client').click();
    await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('');
  });

  it('is discarded at a sign-out', async () => {
    const { page } = person;
    await enter(person, '/import', office);
    await choose(page, 'left.csv', 'Username\nanna');
    await page.getByText('left.csv (1 row)').waitFor();
    await button(page, 'Sign out').filter({ visible: true }).click();
    await heading(page, 'Sign in').waitFor();
    expect(await page.getByText('Your session has expired.').count()).toBe(0);
    await expect.poll(() => page.content()).not.toContain('left.csv');
    await signIn(page, office);
    await button(page, 'Choose file').waitFor();
  });

  it('keeps a new secret, which is shown only once, until the same client signs in', async () => {
    const { page } = person;
    await enter(person, '/clients', office);
    await button(page, 'New client').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('with a secret');
    // The page reloads the list as soon as the client is created; that request finds no session.
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
    await button(dialog, 'Done').click();
    await button(page, 'Sign out').filter({ visible: true }).click();
    person.expectStatus(403);
    await signIn(page, { SyncPublicKey: both });
    await page.getByRole('alert').filter({ hasText: 'requires the scope admin' }).waitFor();
  });
});

describe('the secret of the signed-in client', () => {
  it('stays visible when it is rotated and the session cannot be renewed', async () => {
    const { page } = person;
    person.expectStatus(502);
    await enter(person, '/clients', await credential(service, { name: 'rotating' }));
    await button(page, 'Actions for rotating').click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/hours/i).fill('0');
    await page.route('**/console/session', (route, request) =>
      request.method() === 'POST' ? route.fulfill({ status: 502, body: 'Bad gateway' }) : route.continue(),
    );
    await button(dialog, 'Rotate secret').click();
    const both = dialog.getByRole('textbox', { name: /^Both/ });
    await both.waitFor();
    // Simulates a return to the window after storing the secret elsewhere.
    expect(await comeBack(page)).toBe(0);
    const secret = await both.inputValue();
    await button(dialog, 'Done').click();
    await page.unroute('**/console/session');
    await page.getByRole('link', { name: 'Jobs' }).first().click();
    await ended(page);
    await signIn(page, { SyncPublicKey: secret });
    await heading(page, 'Jobs').waitFor();
  });
});

describe('in light and dark, on a desktop and on a phone', () => {
  it('the sign-in form in front of a page with a dialog is accessible', async () => {
    const visited = await visit(service);
    visited.expectStatus(401);
    await enter(visited, '/clients', office);
    await submitWithoutSession(visited.page);
    await expectAccessible(visited.page);
    await expectSignInAlone(visited.page);
  });
});
