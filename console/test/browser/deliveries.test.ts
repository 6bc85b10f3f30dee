import { adminOf } from '@anagrafe/testing/admin';
import { type Received, type Receiver, startReceiver } from '@anagrafe/testing/receiver';
import { subscribe } from '@anagrafe/testing/webhooks';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chooseKeys, enter, phone, useConsole, visit } from './browser.ts';

const { service, office } = await useConsole({
  ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1',
  ANAGRAFE_WEBHOOK_WAITS: '3600',
});

const types = ['principal.inserted'] as const;
const insert = () => service.call('irs/insert', [{ Denomination: 'Nuova Srl' }], { headers: office });
const fits = (part: { scrollWidth: number; clientWidth: number }) => part.scrollWidth <= part.clientWidth;
/** Finds the visible copy of a text: a phone shows it below the type, a desktop in a column of its own. */
const seen = (row: Locator, text: string | RegExp) => row.getByText(text).filter({ visible: true });
const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()');

/** Creates a webhook, inserts a principal and waits for the first delivery, which gets the given answer. */
async function delivered(
  answer: Receiver['answer'],
): Promise<{ id: number; receiver: Receiver; delivery: string }> {
  const receiver = await startReceiver();
  receiver.answer = answer;
  const { id } = await subscribe(service, receiver.url, { types });
  await insert();
  await expect.poll(() => receiver.received.length).toBe(1);
  const [{ headers }] = receiver.received as [Received];
  return { id, receiver, delivery: String(headers['webhook-id']) };
}

describe('a delivery', () => {
  it('is opened with the keyboard, shows the request and the response, and is sent again', async () => {
    const answer = '<b>out of order</b>\nsince noon';
    const { id, receiver, delivery } = await delivered(() => ({ status: 500, body: answer }));
    const person = await visit(service);
    const { page } = person;
    await enter(person, `/webhooks/${id}`, office);
    const row = page.getByRole('row', { name: /Principal created/ });
    await seen(row, /next attempt in (\d+ minutes|1 hour)/).waitFor();
    const opener = row.getByRole('button', { name: `Principal created ${delivery.slice(0, 8)}` });
    await opener.press('Enter');
    const dialog = page.getByRole('dialog', { name: `Delivery ${delivery.slice(0, 8)}` });
    await dialog.getByText('The receiver returned an error (5xx)').waitFor();
    await dialog.getByText('Check the log of the receiver').waitFor();
    await dialog.getByText(/^HTTP 500 after [\d,]+ ms$/).waitFor();
    await dialog.getByText(delivery, { exact: true }).waitFor();
    const sent = dialog.getByRole('region', { name: 'Request body' });
    await expect.poll(() => sent.innerText()).toContain('"type": "principal.inserted"');
    const came = dialog.getByRole('region', { name: 'Answer' });
    await expect.poll(async () => (await came.innerText()).trim()).toBe(answer);

    await dialog.getByRole('button', { name: 'Copy: Request body' }).press('Enter');
    await expect.poll(() => clipboard(page)).toBe(receiver.received[0]?.body);
    await dialog.getByRole('button', { name: 'Copy: Answer' }).press('Enter');
    await expect.poll(() => clipboard(page)).toBe(answer);

    receiver.answer = () => ({ status: 200, body: 'fine again' });
    const again = dialog.getByRole('button', { name: 'Resend' });
    await again.press('Enter');
    await dialog.getByRole('status').getByText('Delivered').waitFor();
    await expect.poll(async () => (await came.innerText()).trim()).toBe('fine again');
    await expect.poll(() => page.locator(':focus').and(again).count()).toBe(1);
    expect(receiver.received).toHaveLength(2);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await row.getByText('Delivered').waitFor();
    await expect.poll(() => page.locator(':focus').and(opener).count()).toBe(1);
    await expect.poll(() => page.url()).not.toContain('open=');
  });

  it('has a URL of its own, and the back button closes it', async () => {
    const { id, delivery } = await delivered(() => 204);
    const person = await visit(service, { viewport: phone });
    const { page, expectStatus } = person;
    await enter(person, `/webhooks/${id}?open=${delivery}`, office);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Empty answer.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /^Principal created/ }).click();
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    expectStatus(404);
    await person.goTo(`/webhooks/${id}?open=nothing`);
    await dialog.getByRole('alert').waitFor();
  });

  it('is updated in the list while it is pending, with the condition of its next attempt', async () => {
    const { id, receiver, delivery } = await delivered(() => 500);
    const person = await visit(service);
    const { page } = person;
    const admin = adminOf(service);
    await enter(person, `/webhooks/${id}`, office);
    await admin(`PATCH webhooks/${id}`, office, { Enabled: false });
    const row = page.getByRole('row', { name: /Principal created/ });
    await seen(row, 'next attempt once the webhook is enabled').waitFor();
    receiver.answer = () => 200;
    await admin(`PATCH webhooks/${id}`, office, { Enabled: true });
    await admin(`POST webhooks/${id}/deliveries/${delivery}/replay`, office);
    await seen(row, 'HTTP 200').waitFor();
    await expect.poll(() => row.getByText('next attempt').count()).toBe(0);
  });

  it('that failed shows the reason and what to do', async () => {
    const receiver = await startReceiver();
    const person = await visit(service, { viewport: { width: 360, height: 740 } });
    const { page, goTo } = person;
    const dialog = page.getByRole('dialog');
    const send = dialog.getByRole('button', { name: 'Send' });
    const { id } = await subscribe(service, receiver.url, { types });
    await enter(person, `/webhooks/${id}`, office);
    await page.getByRole('button', { name: 'Send test event' }).click();
    for (const [status, what, todo] of [
      [302, 'The receiver returned a redirect', 'Change the endpoint URL'],
      [401, 'The receiver refused access', 'the secret of this webhook'],
      [403, 'The receiver refused access', 'its clock is correct'],
      [404, 'The endpoint was not found', 'It must accept POST requests'],
      [410, 'The endpoint no longer exists', 'delete the webhook'],
      [422, 'The receiver rejected the delivery', 'Check the answer'],
      [429, 'The receiver limits the number of requests', 'one per record'],
      [502, 'The receiver returned an error', 'Check the log'],
    ] as const) {
      receiver.answer = () => ({ status, headers: { location: receiver.url }, body: `this is ${status}` });
      await send.click();
      await dialog.getByText(`this is ${status}`).waitFor();
      await expect
        .poll(() => dialog.getByRole('status').first().innerText())
        .toMatch(new RegExp(`${what}[^]*${todo}[^]*HTTP ${status}`));
    }
    const { port } = new URL(receiver.url);
    for (const [url, what] of [
      ['http://127.0.0.1:9/', 'Connection refused'],
      ['https://10.0.0.1/', 'The address is in a blocked internal network'],
      ['http://1.1.1.1/', 'https required'],
      ['https://no-such-host.invalid/', 'Host name not found'],
      [`https://127.0.0.1:${port}/`, 'TLS connection failed'],
    ] as const) {
      const { id: other } = await subscribe(service, url, { types });
      await goTo(`/webhooks/${other}`);
      await page.getByRole('button', { name: 'Send test event' }).click();
      await send.click();
      await dialog.getByText(what).waitFor();
      await expect.poll(() => dialog.getByRole('status').first().evaluate(fits)).toBe(true);
    }
  });

  it('that got no answer shows the reason in the list, in Italian too', async () => {
    const { id } = await subscribe(service, 'http://127.0.0.1:9/', { types });
    await insert();
    const person = await visit(service, { locale: 'it-IT' });
    const { page, goTo } = person;
    await goTo(`/webhooks/${id}`);
    await chooseKeys(page);
    await page.getByLabel('Chiave pubblica').fill(office.SyncPublicKey ?? '');
    await page.getByLabel('Chiave segreta', { exact: true }).fill(office.SyncSecretKey ?? '');
    await page.getByRole('button', { name: 'Accedi', exact: true }).click();
    const row = page.getByRole('row', { name: /Anagrafica creata/ });
    await seen(row, 'Connessione rifiutata').waitFor();
    await row.getByRole('button', { name: /^Anagrafica creata/ }).click();
    const dialog = page.getByRole('dialog', { name: /^Consegna/ });
    await dialog.getByText('host e porta').waitFor();
    await dialog.getByText('ECONNREFUSED').waitFor();
    await dialog.getByText('Prossimo tentativo').waitFor();
  });
});
