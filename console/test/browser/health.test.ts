import { tmpdir } from 'node:os';
import { mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { enter, useConsole, visit } from './browser.ts';

const secret = 'very-secret-mail-password';
const mail = await startMailServer();
const { service, office } = await useConsole({
  ...mailSettingsOf(mail),
  ANAGRAFE_SMTP_URL: `smtps://office:${secret}@${new URL(mail.url).host}`,
  // The disk of this folder is shown.
  ANAGRAFE_DATA: tmpdir(),
  // Nothing listens there.
  ANAGRAFE_PUBLIC_URL: 'https://127.0.0.1:9',
  // A stated cost keeps the sources of the settings, which the tests replace otherwise.
  ANAGRAFE_HASH_MEMORY_KIB: '19456',
});

describe('the page of the health and the settings', () => {
  it('shows versions, disk, queue, certificate and mail, and each setting with its source, without secrets', async () => {
    const person = await visit(service);
    const { page } = person;
    const bodies: Promise<string>[] = [];
    page.on('response', (response) => {
      if (/\/admin\/v1\/(health|settings)/.test(response.url())) bodies.push(response.text());
    });
    await enter(person, '/health', office);
    const state = page.getByRole('region', { name: 'Health' });
    await state.getByText(/^Anagrafe \d+\.\d+\.\d+, Node\.js/).waitFor();
    for (const text of [/PostgreSQL \d+/, / free/, /Jobs: 0 queued/, /per second now/, /Not configured/])
      await state.getByText(text).waitFor();
    await state.getByText(/127\.0\.0\.1: ECONNREFUSED/).waitFor();
    // The mail server of the test has no TLS.
    await expect.poll(() => state.getByText('check', { exact: true }).count()).toBeGreaterThan(0);

    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
    await row('ANAGRAFE_PUBLIC_URL').getByText('Environment').waitFor();
    await row('ANAGRAFE_TOKEN_MINUTES').getByText('Default').waitFor();
    await page.getByRole('switch', { name: 'Only those that are set' }).click();
    await expect.poll(() => row('ANAGRAFE_TOKEN_MINUTES').count()).toBe(0);
    await row('ANAGRAFE_SMTP_URL').waitFor();
    expect(bodies.length).toBeGreaterThan(1);
    for (const body of await Promise.all(bodies)) expect(body).not.toContain(secret);
    expect(await page.content()).not.toContain(secret);
    await expectAccessible(page);
  });
});
