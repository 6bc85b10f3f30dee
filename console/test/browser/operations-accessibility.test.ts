import { adminOf } from '@anagrafe/testing/admin';
import { finished, holding, principalsLock, submit } from '@anagrafe/testing/jobs';
import { startReceiver } from '@anagrafe/testing/receiver';
import { newUser } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible, expectPartAccessible } from './accessibility.ts';
import { enter, phone, useConsole, visit } from './browser.ts';
import { fill, withBlockedJob } from './filled.ts';

const { service, office } = await useConsole({
  ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
  ANAGRAFE_WEBHOOK_WAITS: '0',
});
const [taking, refusing] = [await startReceiver(), await startReceiver()];
refusing.answer = () => ({ status: 500, body: 'out of order '.repeat(80) });
await subscribe(service, taking.url);
await subscribe(service, refusing.url, { types: ['principal.inserted'] });
await fill(service, office);
const short = newUser('too.short', { Password: 'short', ConfirmPassword: 'short' });
const records = [{ Denomination: 'Good' }, { Denomination: 'Bad', Users: [short] }];
const ended = await submit(service, 'irs/insert', records, office);
await finished(service, ended, office);
await holding(service, principalsLock, async () => {
  await cancel(await submit(service, 'irs/insert', records, office));
});
const { body } = await adminOf(service)<{ CallID: string }>('GET calls?failed=true', office);
const call = body.result?.records[0]?.CallID ?? '';

function cancel(job: string) {
  return service.call(`jobs/${job}`, undefined, { method: 'DELETE', headers: office });
}

/** The pages to check, each with a function that waits until it is loaded. */
const pages: readonly [path: () => string, loaded: (page: Page) => Promise<void>][] = [
  [
    () => '/jobs',
    (page) =>
      page
        .getByRole('row', { name: /Completed/ })
        .first()
        .waitFor(),
  ],
  [() => `/jobs/${ended}`, (page) => page.getByText(/PASSWORD_TOO_SHORT/).waitFor()],
  [() => '/calls', (page) => page.getByRole('row', { name: /Update users ·/ }).waitFor()],
  [() => `/calls/${call}`, (page) => page.getByText(/USERNAME_TAKEN/).waitFor()],
  [() => '/webhooks', (page) => page.getByText('The receiver answered with 500').waitFor()],
  [
    () => '/webhooks/1',
    (page) =>
      page
        .getByRole('row', { name: /Delivered/ })
        .first()
        .waitFor(),
  ],
  [
    () => '/webhooks/2',
    (page) =>
      page
        .getByRole('row', { name: /Failed/ })
        .first()
        .waitFor(),
  ],
];

describe('in light and dark, on a desktop and on a phone', () => {
  it('the pages of jobs, calls and webhooks are accessible', async () => {
    const person = await visit(service);
    const { page, goTo } = person;
    await enter(person, '/jobs', office);
    for (const [path, loaded] of pages) {
      await goTo(path());
      await loaded(page);
      await expectAccessible(page);
    }
  });

  it('the page of a running job is accessible', async () => {
    const person = await visit(service);
    const { page } = person;
    await withBlockedJob(service, office, async (running) => {
      await enter(person, `/jobs/${running}`, office);
      await page.getByRole('progressbar').waitFor({ state: 'attached' });
      await expectAccessible(page);
      expect(await page.getByRole('progressbar').count()).toBe(1);
      await cancel(running);
    });
  });

  it('the dialog of a delivery is accessible', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/webhooks/2', office);
    // The service disables the webhook after its first failed delivery, so only that one has an answer to show.
    await page
      .getByRole('row', { name: /Principal created.*Failed/s })
      .first()
      .getByRole('button', { name: /^Principal created/ })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('out of order').waitFor();
    await expectPartAccessible(page, 'dialog');
    await page.setViewportSize(phone);
    for (const part of ['document.documentElement', `document.querySelector('[role="dialog"]')`])
      await expect.poll(() => page.evaluate(`${part}.scrollWidth <= innerWidth`)).toBe(true);
  });

  it('the dialogs of a webhook are accessible', async () => {
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/webhooks', office);
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByRole('dialog').waitFor();
    await expectPartAccessible(page, 'dialog');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    for (const action of ['Edit', 'Send test event', 'Rotate secret', 'Delete']) {
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: action }).click();
      await page.getByRole('dialog').waitFor();
      if (action === 'Send test event') {
        await page.getByRole('button', { name: 'Send' }).click();
        await page.getByText(/^HTTP \d+ after/).waitFor();
      }
      await expectPartAccessible(page, 'dialog');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
  });
});
