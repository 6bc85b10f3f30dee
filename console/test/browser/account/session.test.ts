import { lengthenWaits, login } from '@anagrafe/testing/login';
import { insertPrincipals, startTestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { phone, useBrowser } from '../browser.ts';
import { chosen, expectText, register, visitAccount, withPassword } from './account.ts';

useBrowser();
const service = await startTestService();
for (const name of ['changes', 'lists', 'everywhere', 'closes', 'renews', 'ended', 'leaves', 'languages'])
  await register(service, name, withPassword);

const sessionsOf = async (username: string) =>
  (
    await service.database.query(
      `select distinct family from anagrafe.sessions join anagrafe.users on users.id = user_id
        where username = $1 and user_epoch = users.sessions_epoch`,
      [username],
    )
  ).length;

async function enter(username: string, path = '') {
  const person = await visitAccount(service);
  await person.open(path);
  await person.signIn(username);
  return person;
}

describe('a signed-in user', () => {
  it('changes its password, which ends the other sessions, and stays signed in', async () => {
    const other = await login(service, 'changes', chosen);
    expect(other.status).toBe(200);
    const person = await enter('changes', 'change-password');
    const { page, field, press, heading } = person;
    await heading('Change the password');
    person.expectStatus(422);
    await field('Current password').fill('not the password');
    await field('New password').fill('another sentence');
    await field('Repeat the new password').fill('another sentence');
    await press('Save the password');
    await expectText(page, 'The current password is wrong.');
    await field('Current password').fill(chosen);
    await press('Save the password');
    await expectText(page, 'Your password is changed. All other sessions have ended.');
    await heading('Your account');
    expect(await sessionsOf('changes')).toBe(1);
    expect((await login(service, 'changes', 'another sentence')).status).toBe(200);
  });

  it('sees its sessions and ends one', async () => {
    await login(service, 'lists', chosen);
    await login(service, 'lists', chosen);
    const { page, follow, heading } = await enter('lists');
    await heading('Your account');
    await follow('Sessions');
    const items = page.getByRole('listitem');
    await expect.poll(() => items.count()).toBe(3);
    expect(await items.nth(0).innerText()).toContain('This session');
    await page.setViewportSize(phone);
    // A second line would make it higher.
    expect((await items.nth(1).getByRole('button').boundingBox())?.height).toBe(48);
    await items.nth(1).getByRole('button').click();
    await expectText(page, 'The session has ended.');
    await expect.poll(() => items.count()).toBe(2);
    expect(await sessionsOf('lists')).toBe(2);
  });

  it('signs out everywhere', async () => {
    await login(service, 'everywhere', chosen);
    const { page, press, heading } = await enter('everywhere', 'sessions');
    await press('Sign out everywhere');
    await expectText(page, 'You are signed out everywhere.');
    await heading('Sign in');
    expect(await sessionsOf('everywhere')).toBe(0);
  });

  it('signs out, and a page that is closed or loaded again does so too', async () => {
    const { press, heading, page } = await enter('leaves');
    await press('Sign out');
    await expectText(page, 'You are signed out.');
    await expect.poll(() => sessionsOf('leaves')).toBe(0);
    const closing = await enter('closes');
    await closing.heading('Your account');
    await closing.page.reload();
    await closing.heading('Sign in');
    await heading('Sign in');
    await expect.poll(() => sessionsOf('closes')).toBe(0);
  });

  it('stays signed in when the access token expires, until the session ends', async () => {
    const person = await enter('renews');
    const { page, heading, follow } = person;
    await heading('Your account');
    const expire = () =>
      service.database.query(
        `update anagrafe.sessions set token_expires_at = now() - interval '1 minute'
          where user_id = (select id from anagrafe.users where username = 'renews')`,
      );
    person.expectStatus(401);
    await expire();
    await follow('Sessions');
    await expectText(page, 'This session');
    await service.database.query(
      `delete from anagrafe.sessions where user_id = (select id from anagrafe.users where username = 'renews')`,
    );
    await follow('Back to your account');
    await follow('Sessions');
    await expectText(page, 'Your session has ended. Sign in again.');
    await heading('Sign in');
  });
});

describe('the sign-in', () => {
  it('has one text for a wrong password and an unknown user, and says when a throttled user may try again', async () => {
    const own = await startTestService();
    await lengthenWaits(own);
    await register(own, 'mario', withPassword);
    const person = await visitAccount(own);
    const { page, open, signIn } = person;
    await open();
    person.expectStatus(401);
    person.expectStatus(429);
    const alert = page.getByRole('alert');
    for (const name of ['unknown', 'mario']) {
      await signIn(name, 'not the password');
      await expect.poll(() => alert.innerText()).toContain('The username or the password is wrong');
    }
    for (let guess = 0; guess < 5; guess++) await login(own, 'mario', 'not the password');
    await signIn('mario');
    await expect.poll(() => alert.innerText()).toMatch(/^Too many attempts\. Try again in \d+ minutes\.$/);
  });

  it('says that the service cannot be reached', async () => {
    const person = await visitAccount(service, { newContext: true });
    const { page, open, signIn } = person;
    await open();
    await page.route('**/login', (route) => route.abort('connectionrefused'));
    person.expectFailure('/login');
    await signIn('changes');
    await expectText(page, 'The service cannot be reached.');
  });

  it('follows the language of the browser, and keeps what was typed when the user switches it', async () => {
    const { page, open, field, press } = await visitAccount(service, { locale: 'it-IT' });
    await open();
    await expect.poll(() => page.title()).toBe('Accedi – Anagrafe');
    expect(await page.locator('html').getAttribute('lang')).toBe('it');
    await field('Nome utente').fill('languages');
    await press('English');
    expect(await field('Username').inputValue()).toBe('languages');
    await page.reload();
    await field('Username').waitFor();
  });

  it('has buttons on a phone that do not touch each other', async () => {
    const [ID] = await insertPrincipals(service, 1);
    const user = { Username: 'phone', ...withPassword, MustChangePassword: true };
    await service.call('irs/update', [{ ID, Users: [user] }]);
    const { page, open, press, field } = await visitAccount(service, { viewport: phone, locale: 'it-IT' });
    await open();
    await field('Nome utente').fill('phone');
    await field('Password').fill(chosen);
    await press('Accedi');
    await page.getByRole('button', { name: 'Salva la password' }).waitFor();
    const boxes = await Promise.all(
      (await page.getByRole('button').all()).map((button) => button.boundingBox()),
    );
    const gaps = boxes.flatMap((one, at) =>
      boxes.slice(at + 1).map((other) => {
        if (!one || !other) return 0;
        const across = Math.max(other.x - one.x - one.width, one.x - other.x - other.width);
        return Math.max(across, other.y - one.y - one.height, one.y - other.y - other.height);
      }),
    );
    expect(boxes).toHaveLength(6);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(8);
    expect(Math.min(...boxes.map((box) => box?.height ?? 0))).toBeGreaterThanOrEqual(44);
  });

  it('says without JavaScript that it needs it', async () => {
    const { text } = await fetch(`${service.url}/account/`).then(async (answer) => ({
      text: await answer.text(),
    }));
    expect(text).toMatch(
      /<noscript>\s*<p lang="en">This page needs JavaScript\..*\s*<p lang="it">Questa pagina/,
    );
  });
});
