import { credential } from '@anagrafe/testing/admin';
import { ownPage } from '@anagrafe/testing/console';
import { rightPassword } from '@anagrafe/testing/login';
import { codesIn, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { operator, outdateConfirmations, signInOperator } from '@anagrafe/testing/operators';
import { describe, expect, it } from 'vitest';
import { useConsole, visit } from './browser.ts';
import { enterPassword, field, heading, press, signedInAs } from './session/person.ts';

const mail = await startMailServer();
const { service } = await useConsole({
  ...mailSettingsOf(mail),
  ANAGRAFE_REQUIRE_SECOND_FACTOR: 'false',
});
const boss = 'boss@example.com';
await operator(service, boss, 'admin');

describe('the page of the operators', () => {
  it('invites by link and mail, changes the role, ends sessions, disables and resets', async () => {
    const person = await visit(service);
    const { page } = person;
    person.expectStatus(401);
    person.expectStatus(403);
    await person.goTo('/operators');
    await enterPassword(page, boss);
    await heading(page, 'Operators').waitFor();
    await outdateConfirmations(service);
    const dialog = page.getByRole('dialog');
    await press(page, 'Invite operator');
    await dialog.getByRole('textbox', { name: 'Email' }).fill('anna@example.com');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Anna');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const confirmation = page.getByRole('dialog', { name: 'Confirm your identity' });
    await confirmation.getByRole('textbox', { name: 'Password' }).fill(rightPassword);
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    const code = await dialog.getByRole('textbox', { name: 'Code' }).inputValue();
    expect(await dialog.getByRole('textbox', { name: 'Link' }).inputValue()).toBe(
      `https://anagrafe.example.com/console/password#${code}`,
    );
    await expect.poll(() => mail.to('anna@example.com').flatMap(codesIn)).toEqual([code]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /Anna/ });
    await row.getByText('invited').waitFor();

    const set = { Code: code, Password: rightPassword, ConfirmPassword: rightPassword };
    await page.request.post(`${service.url}/console/password`, { headers: ownPage, data: set });
    await signInOperator(service, 'anna@example.com');
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for Anna' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    await choose('Edit');
    await dialog.getByRole('radio', { name: /^Editor/ }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Editor').waitFor();
    await choose('Sessions');
    await dialog.getByRole('row', { name: /127.0.0.1/ }).waitFor();
    await dialog.getByRole('button', { name: 'End session 1' }).click();
    await dialog.getByText('No sessions').waitFor();
    await page.keyboard.press('Escape');
    await choose('Disable');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await row.getByText('disabled').waitFor();
    expect((await signInOperator(service, 'anna@example.com')).status).toBe(401);
    await choose('Reset password and second factor');
    await dialog.getByRole('button', { name: 'Reset password and second factor' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Code' }).inputValue()).not.toBe(code);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await row.getByText('invited').waitFor();
  });

  it('only lists for other roles, whose pages offer only what the role permits', async () => {
    await operator(service, 'bruno@example.com', 'desk');
    const { page, goTo } = await visit(service);
    await goTo('/operators');
    await enterPassword(page, 'bruno@example.com');
    await page.getByRole('row', { name: /boss@example.com/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Invite|^Actions/ }).count()).toBe(0);
    const menu = page.getByRole('navigation', { name: 'Main navigation' });
    expect(await menu.getByRole('link', { name: 'Import', exact: true }).count()).toBe(0);
    expect(await menu.getByRole('link', { name: 'Users' }).count()).toBe(1);
    await goTo('/principals');
    await page.getByText('0 principals').waitFor();
    expect(await page.getByRole('button', { name: /New principal|Export/ }).count()).toBe(0);
  });
});

describe('an operator that is limited by tags', () => {
  it('is invited with the tags, and sees its principals and no page about the whole service', async () => {
    const keys = await credential(service);
    await service.call(
      'irs/insert',
      [
        { Denomination: 'Northern', Tags: ['north', 'gold'] },
        { Denomination: 'Golden', Tags: ['gold'] },
        { Denomination: 'Southern', Tags: ['south'] },
      ],
      { headers: keys },
    );
    const email = 'nora@example.com';
    const own = await visit(service);
    const { page } = own;
    own.expectStatus(401);
    await own.goTo('/operators');
    await enterPassword(page, boss);
    await press(page, 'Invite operator');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Email' }).fill(email);
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Nora');
    await dialog.getByRole('radio', { name: /^Editor/ }).check();
    await dialog.getByRole('textbox', { name: 'Limit to tags' }).fill('North, east');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const code = await dialog.getByRole('textbox', { name: 'Code' }).inputValue();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /Nora/ });
    await row.getByText('east').waitFor();

    // The list of principals shows the tags and filters by them.
    await own.goTo('/principals');
    await page.getByText('3 principals').waitFor();
    await page.getByRole('textbox', { name: 'Tags' }).fill('south');
    await page.getByText('1 principal', { exact: true }).waitFor();
    await page
      .getByRole('row', { name: /Southern/ })
      .getByText('south', { exact: true })
      .waitFor();
    await press(page, 'Sign out');

    const set = { Code: code, Password: rightPassword, ConfirmPassword: rightPassword };
    await page.request.post(`${service.url}/console/password`, { headers: ownPage, data: set });
    await own.goTo('');
    await enterPassword(page, email);
    await heading(page, 'Overview').waitFor();
    await page.getByText('No current jobs').waitFor();
    const menu = page.getByRole('navigation', { name: 'Main navigation' });
    const links = await menu.getByRole('link').allTextContents();
    expect(links).toEqual(
      expect.arrayContaining(['Principals', 'Users', 'Import', 'Calls', 'Mails', 'Events']),
    );
    for (const name of ['API clients', 'Operators', 'Webhooks', 'Audit log', 'Health and settings'])
      expect(links).not.toContain(name);
    await menu.getByRole('link', { name: 'Principals' }).click();
    await page.getByText('1 principal', { exact: true }).waitFor();
    // A tag that it does not have is not shown.
    expect(await page.getByText('gold').count()).toBe(0);
    await page.getByRole('link', { name: 'Northern' }).click();
    await heading(page, 'Northern').waitFor();
    await menu.getByRole('link', { name: 'Calls' }).click();
    await heading(page, 'Calls').waitFor();
    await own.goTo('/audit');
    await page.getByText('Page not found').waitFor();
    await own.goTo('/account');
    await page.getByText('Limited to principals with one of these tags:').waitFor();
    await page.getByText('north').waitFor();
  });
});

describe('the own account', () => {
  it('ends other sessions, and changes the password', async () => {
    const email = 'carla@example.com';
    await operator(service, email, 'viewer');
    await signInOperator(service, email);
    const person = await visit(service);
    const { page } = person;
    person.expectStatus(422);
    await person.goTo('');
    await enterPassword(page, email);
    await page
      .getByRole('link', { name: `Name of ${email}` })
      .filter({ visible: true })
      .click();
    await heading(page, 'My account').waitFor();
    const rows = page.getByRole('row', { name: /127.0.0.1/ });
    await expect.poll(() => rows.count()).toBe(2);
    await press(page, 'End all others');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByText('this one').waitFor();

    const change = async (password: string) => {
      await field(page, 'New password').fill(password);
      await field(page, 'Repeat the password').fill(password);
      await press(page, 'Change password');
    };
    await change('short');
    await page.getByText(/at least 8/).waitFor();
    await change('another long phrase');
    await page.getByText('Password changed.').waitFor();
    const changed = await signInOperator(service, email, { Password: 'another long phrase' });
    expect(changed.status).toBe(200);
  });
});

describe('a forgotten password', () => {
  it('is replaced with the link of a mail', async () => {
    const email = 'dora@example.com';
    await operator(service, email, 'viewer');
    const { page, goTo } = await visit(service);
    await goTo('');
    await press(page, 'Forgot your password?');
    await field(page, 'Email').fill(email);
    await press(page, 'Send mail');
    await page.getByRole('status').filter({ hasText: 'a mail is on its way' }).waitFor();
    await expect.poll(() => mail.to(email).length).toBe(1);
    const [code] = mail.to(email).flatMap(codesIn);
    await goTo(`/password#${code}`);
    await field(page, 'New password').fill('another long phrase');
    await field(page, 'Repeat the password').fill('another long phrase');
    await press(page, 'Set password and sign in');
    await signedInAs(page, email);
  });
});
