import { answered, codesIn, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, expectPartAccessible } from './accessibility.ts';
import { enter, startConsole, useConsole, type Visit, visit } from './browser.ts';
import { rowOf } from './principals.ts';

const refused = new Set<string>();
const mailServer = await startMailServer({
  onRecipient: (address) => (refused.has(address) ? answered(550, '5.1.1 User unknown') : null),
});
const silent = await startConsole();
const { service, office } = await useConsole(mailSettingsOf(mailServer));
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

const addressOf = (username: string) => `${username}@example.com`;

/** Invites new users by email. Returns the IDs of the principal and of the users. */
async function invite(company: string, ...usernames: string[]): Promise<{ id: number; users: number[] }> {
  const Users = usernames.map((Username) => ({ Username, Email: addressOf(Username), Invite: 'email' }));
  const { body } = await service.call<{ Item1: number; Item6: { Users: { ID: number }[] } }>(
    'irs/insert',
    [{ Denomination: company, Users }],
    { headers: { ...office, Prefer: 'return=representation' } },
  );
  const [tuple] = body.result?.records ?? [];
  return { id: tuple?.Item1 ?? 0, users: tuple?.Item6.Users.map(({ ID }) => ID) ?? [] };
}

async function expectReceived(address: string, count: number): Promise<void> {
  await expect.poll(() => mailServer.to(address).length, { timeout: 20_000 }).toBe(count);
}

describe('without a mail server', () => {
  it('the page of mails says why none is sent, and offers nothing that would fail', async () => {
    const { page, goTo } = await visit(silent);
    await goTo('/mails');
    await page.getByText('the setting ANAGRAFE_SMTP_URL is missing').waitFor();
    await page.getByText('No mails yet').waitFor();
    const resend = page.getByRole('button', { name: 'Resend unanswered invitations' });
    expect(await resend.isDisabled()).toBe(true);
    await expectAccessible(page);
  });
});

describe('a mail that the server refuses', () => {
  it('is listed with the answer, and sent again after the address was corrected', async () => {
    const { page } = person;
    refused.add(addressOf('marta'));
    const { id, users } = await invite('Posta Srl', 'marta', 'nino');
    await expectReceived(addressOf('nino'), 1);
    await enter(person, '/mails', office);
    await rowOf(page, 'Mails', /marta.*Failed.*5\.1\.1 User unknown/s).waitFor();
    await rowOf(page, 'Mails', /nino.*Sent/s).waitFor();
    await expectAccessible(page);
    await page.getByLabel('State', { exact: true }).selectOption({ label: 'Failed' });
    await rowOf(page, 'Mails', /nino/).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Resend failed mails' }).waitFor();
    await rowOf(page, 'Mails', /marta/).getByRole('link', { name: 'marta', exact: true }).click();
    await page.getByRole('heading', { name: 'marta', level: 1 }).waitFor();
    await rowOf(page, 'Mails', /Invitation.*Failed.*5\.1\.1 User unknown/s).waitFor();
    expect(await rowOf(page, 'Mails', /Sent/).count()).toBe(0);
    await expectAccessible(page);
    const corrected = { ID: users[0], Operation: 'edit', Email: 'marta.rossi@example.com' };
    await service.call('irs/update', [{ ID: id, Users: [corrected] }], { headers: office });
    await page.goBack();
    await page.getByRole('button', { name: 'Resend to marta', exact: true }).click();
    await page.getByText('1 mail is being sent.').waitFor();
    await expectReceived('marta.rossi@example.com', 1);
    expect(mailServer.to(addressOf('nino'))).toHaveLength(1);
  });
});

describe('users that have not answered', () => {
  it('get another mail, and those that have set a password get none', async () => {
    const { page } = person;
    await invite('Attesa Srl', 'lenta', 'svelta');
    for (const username of ['lenta', 'svelta']) await expectReceived(addressOf(username), 1);
    const [mail] = mailServer.to(addressOf('svelta'));
    const [Code] = mail ? codesIn(mail) : [];
    const Password = 'a long enough sentence';
    const set = await service.call('password/set', { Code, Password, ConfirmPassword: Password });
    expect(set.status).toBe(200);
    await enter(person, '/mails', office);
    await rowOf(page, 'Mails', /svelta.*Sent/s)
      .getByRole('link', { name: /^Call or job [0-9a-f]{8}$/ })
      .click();
    await page.getByText(/^Mails of call or job/).waitFor();
    await page.getByRole('button', { name: 'Resend unanswered invitations' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send new mails?' });
    await dialog.getByLabel('Mails per minute').fill('600');
    await expectPartAccessible(page, 'dialog');
    await dialog.getByRole('button', { name: 'Send mails' }).click();
    await page.getByText('1 mail is being sent.').waitFor();
    await expectReceived(addressOf('lenta'), 2);
    expect(mailServer.to(addressOf('svelta'))).toHaveLength(1);
    await page.getByRole('button', { name: 'Show all', exact: true }).click();
    await rowOf(page, 'Mails', /lenta.*Sent/s)
      .nth(1)
      .waitFor();
  });
});

describe('mails that were stopped because too many others of their call have failed', () => {
  it('are announced even when they are on a later page, and are sent when the reader continues', async () => {
    const { page } = person;
    const unknown = Array.from({ length: 80 }, (_, index) => `errata${index}`);
    for (const username of unknown) refused.add(addressOf(username));
    await invite('Sospesa Srl', ...unknown);
    await enter(person, '/mails?state=stopped', office);
    await rowOf(page, 'Mails', /errata\d+.*Stopped/s)
      .first()
      .waitFor();
    await page.getByLabel('State', { exact: true }).selectOption({ label: 'Sent' });
    await rowOf(page, 'Mails', /errata/)
      .first()
      .waitFor({ state: 'hidden' });
    const warning = page.getByText('Too many mails of a job have failed');
    await warning.waitFor();
    await page.getByLabel('State', { exact: true }).selectOption({ label: 'Stopped' });
    await rowOf(page, 'Mails', /errata\d+.*Stopped/s)
      .first()
      .waitFor();
    await expectAccessible(page);
    refused.clear();
    await page.getByRole('button', { name: 'Send stopped mails' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send new mails?' });
    await dialog.getByText('whose last mail has the state Stopped').waitFor();
    await dialog.getByRole('button', { name: 'Send mails' }).click();
    await page.getByText(/^\d+ mails are being sent\.$/).waitFor();
    await warning.waitFor({ state: 'hidden' });
    await page.getByText('No mail matches the filter.').waitFor();
    await expect
      .poll(() => unknown.some((username) => mailServer.to(addressOf(username)).length === 1))
      .toBe(true);
  });
});
