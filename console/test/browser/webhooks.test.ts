import { adminOf, credential } from '@anagrafe/testing/admin';
import { type Received, type Receiver, startReceiver } from '@anagrafe/testing/receiver';
import { newUser } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../client/src/index.ts';
import { enter, startConsole, useConsole, visit } from './browser.ts';

const settings = { ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1', ANAGRAFE_WEBHOOK_WAITS: '0' };

const { service, office } = await useConsole(settings);

const idOf = ({ headers }: Received) => headers['webhook-id'];

/** Creates a webhook by the form, and returns its secret. */
async function create(page: Page, receiver: Receiver): Promise<string> {
  await page.getByRole('button', { name: 'New webhook' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Endpoint URL').fill(receiver.url);
  await dialog.getByLabel('Principal created').check();
  await dialog.getByLabel(/^Event –/).check();
  await dialog.getByRole('button', { name: 'Create' }).click();
  const secret = await dialog.getByLabel('Secret', { exact: true }).inputValue();
  expect(secret).toMatch(/^whsec_/);
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return secret;
}

async function act(page: Page, { url }: Receiver, name: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${url}` }).click();
  await page.getByRole('menuitem', { name }).click();
}

const insert = (name: string) =>
  service.call('irs/insert', [{ Denomination: name, Users: [newUser(name)] }], { headers: office });

/** Waits until the service has disabled a webhook after its last failed attempt. */
async function disabled(id: number): Promise<void> {
  const disabledAt = async () => {
    const { body } = await adminOf(service)<{ ID: number; DisabledAt: string | null }>(
      'GET webhooks',
      office,
    );
    return body.result?.records.find(({ ID }) => ID === id)?.DisabledAt;
  };
  await expect.poll(disabledAt).toEqual(expect.any(String));
}

describe('a webhook', () => {
  it('is created, shows its secret once, and sends a test message whose response is shown', async () => {
    const receiver = await startReceiver();
    const first = await startConsole(settings);
    const person = await visit(first);
    const { page, expectStatus } = person;
    await enter(person, '/webhooks', await credential(first));
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('dialog', { name: 'New webhook' }).waitFor();
    await page.keyboard.press('Escape');
    const secret = await create(page, receiver);
    const row = page.getByRole('row', { name: new RegExp(receiver.url) });
    await expect.poll(() => row.innerText()).toMatch(/Active\s+Principal created\s+event/);
    await expect.poll(() => page.content()).not.toContain(secret);

    await act(page, receiver, 'Send test event');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText(/HTTP 204 after [\d,]+ ms/).waitFor();
    const [message] = receiver.received;
    const event = await verifyWebhook(message?.body ?? '', message?.headers ?? {}, secret);
    expect(event).toMatchObject({ type: 'webhook.test' });
    receiver.answer = () => ({ status: 503, body: 'closed for lunch' });
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByText('The receiver returned an error (5xx)').waitFor();
    await dialog.getByText(/HTTP 503/).waitFor();
    await dialog.getByRole('region', { name: 'Answer' }).getByText('closed for lunch').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await page.getByRole('button', { name: 'New webhook' }).click();
    expectStatus(422);
    await dialog.getByLabel('Endpoint URL').fill('http://example.com/hook');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').waitFor();
  });

  it('that was disabled after a failed delivery is enabled again and receives that delivery', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => 500;
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/webhooks', office);
    await create(page, receiver);
    await insert('given.up');
    const row = page.getByRole('row', { name: new RegExp(receiver.url) });
    await row.getByText('The receiver answered with 500').waitFor();
    await expect.poll(() => row.getByText('Disabled').count()).toBe(1);

    receiver.answer = () => 200;
    await act(page, receiver, 'Enable');
    await row.getByText('Active').waitFor();
    await row.getByRole('link').click();
    const list = page.getByRole('region', { name: 'Deliveries' });
    await list.getByRole('switch', { name: 'Failed only' }).click();
    await list.getByRole('row', { name: /Principal created.*Failed.*HTTP 500/s }).waitFor();
    const before = receiver.received.length;
    await list.getByRole('button', { name: /^Resend/ }).click();
    await page.getByText('Deliveries resent: 1').waitFor();
    await list.getByText('No failed deliveries').waitFor();
    await list.getByRole('switch', { name: 'Failed only' }).click();
    await list.getByRole('row', { name: /Principal created.*Delivered.*HTTP 200/s }).waitFor();
    expect(receiver.received.slice(before).map(idOf)).toEqual([idOf(receiver.received[0] as Received)]);
  });

  it('receives all failed deliveries again by one button', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => 500;
    const { id } = await subscribe(service, receiver.url, { types: ['principal.inserted'] });
    await insert('all.again');
    await disabled(id);
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/webhooks', office);
    const row = page.getByRole('row', { name: new RegExp(receiver.url) });
    await row.getByText('Disabled').waitFor();
    receiver.answer = () => 200;
    await row.getByRole('link').click();
    await page.getByRole('button', { name: 'Retry all failed' }).click();
    await page.getByText('Deliveries are sent once you enable it').waitFor();
    await page.getByRole('link', { name: 'All webhooks' }).click();
    await act(page, receiver, 'Enable');
    await row.getByRole('link').click();
    await page.getByRole('row', { name: /Delivered/ }).waitFor();
  });

  it('is edited, gets a new secret, is disabled and deleted', async () => {
    const receiver = await startReceiver();
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/webhooks', office);
    const secret = await create(page, receiver);
    const row = page.getByRole('row', { name: new RegExp(receiver.url) });
    const dialog = page.getByRole('dialog');

    await act(page, receiver, 'Edit');
    await dialog.getByLabel('Principal created').uncheck();
    await dialog.getByLabel(/^Call or job/).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('call or job').waitFor();
    await expect.poll(() => row.innerText()).toContain('All events');

    await act(page, receiver, 'Rotate secret');
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    const next = await dialog.getByLabel('Secret', { exact: true }).inputValue();
    expect(next).toMatch(/^whsec_/);
    expect(next).not.toBe(secret);
    await dialog.getByRole('button', { name: 'Done' }).click();

    await act(page, receiver, 'Disable');
    await row.getByText('Disabled manually').waitFor();
    await insert('while.disabled');
    await act(page, receiver, 'Enable');
    await row.getByText('Active').waitFor();
    await expect.poll(() => receiver.received.length).toBe(1);

    await act(page, receiver, 'Delete');
    await dialog.getByText('This cannot be undone').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'hidden' });
  });

  it('that was disabled shows the reason in Italian too, on its page and in the audit log', async () => {
    const receiver = await startReceiver();
    receiver.answer = () => ({ status: 500 });
    const unreachable = { ...receiver, url: 'http://127.0.0.1:9/hook' };
    const ids: number[] = [];
    for (const { url } of [receiver, unreachable])
      ids.push((await subscribe(service, url, { types: ['principal.inserted'] })).id);
    await insert('why.disabled');
    for (const id of ids) await disabled(id);
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/webhooks', office);
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    for (const [{ url }, why] of [
      [receiver, 'Il destinatario ha risposto 500'],
      [unreachable, 'Connessione rifiutata'],
    ] as const) {
      await page
        .getByRole('row', { name: new RegExp(url) })
        .getByText(why)
        .waitFor();
    }
    await person.goTo('/audit');
    await page
      .getByText(/disabilitato\. Il destinatario ha risposto 500\./)
      .first()
      .waitFor();
  });

  it('is listed and shown in Italian', async () => {
    const receiver = await startReceiver();
    const person = await visit(service);
    const { page } = person;
    await enter(person, '/webhooks', office);
    await create(page, receiver);
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    const row = page.getByRole('row', { name: new RegExp(receiver.url) });
    await row.getByText('Anagrafica creata').waitFor();
    await row.getByRole('link').click();
    await page.getByText('Non ci sono ancora consegne').waitFor();
  });

  it('does not exist if the ID in the URL is not a number', async () => {
    const person = await visit(service);
    await enter(person, '/webhooks/abc', office);
    await person.page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
    await person.page.getByRole('link', { name: 'All webhooks' }).click();
    await person.page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  });
});
