import { login } from '@anagrafe/testing/login';
import { startTestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { useBrowser } from '../browser.ts';
import { chosen, expectNoTraces, expectText, register, visitAccount, withPassword } from './account.ts';

useBrowser();
const service = await startTestService();

async function setByLink(username: string) {
  const code = await register(service, username);
  const person = await visitAccount(service);
  await person.open(`set-password#${code}`);
  return { ...person, code };
}

describe('the page of a link', () => {
  it('sets the password, and the user signs in with it', async () => {
    const { page, code, field, press, heading, signIn } = await setByLink('links');
    expect(await page.getByLabel('Code').count()).toBe(0);
    await expectNoTraces(page, code);
    await field('New password').fill(chosen);
    await field('Repeat the new password').fill(chosen);
    await press('Save the password');
    await expectText(page, 'Your password is saved.');
    expect(await field('Username').inputValue()).toBe('links');
    await signIn('links');
    await heading('Your account');
    await expectText(page, 'Signed in as links (Principal 1)');
    await expectNoTraces(page, code);
  });

  it('sends nothing when it is opened, so that it uses nothing up, and is found again after a reload', async () => {
    const { page, code, field } = await setByLink('scanned');
    const calls: string[] = [];
    page.on('request', (request) => request.url().includes('/api/') && calls.push(request.url()));
    await page.reload();
    await field('New password').waitFor();
    expect(await page.getByLabel('Code').count()).toBe(0);
    expect(calls).toEqual([]);
    expect((await service.call('password/set', { Code: code, ...withPassword })).status).toBe(200);
  });

  it('asks for another code if the one of the link is used, expired or unknown', async () => {
    const person = await setByLink('used');
    const { page, field, press, code } = person;
    await service.call('password/set', { Code: code, ...withPassword });
    person.expectStatus(422);
    await field('New password').fill(chosen);
    await field('Repeat the new password').fill(chosen);
    await press('Save the password');
    await page.getByRole('alert').getByText('This code is unknown, expired or already used.').waitFor();
    const other = await register(service, 'typed');
    await field('Code').fill(` ${other.toLowerCase().replaceAll('-', ' ')} `);
    await field('New password').fill(chosen);
    await field('Repeat the new password').fill(chosen);
    await press('Save the password');
    await expectText(page, 'Your password is saved.');
    expect((await login(service, 'typed', chosen)).status).toBe(200);
  });

  it('takes the code of another link that is opened in the same tab', async () => {
    const { page, url, open, field, press } = await visitAccount(service);
    await open('set-password');
    await field('Code').waitFor();
    const code = await register(service, 'same.tab');
    await page.goto(`${url}/account/set-password#${code}`);
    await expect.poll(() => page.getByLabel('Code').count()).toBe(0);
    await field('New password').fill(chosen);
    await field('Repeat the new password').fill(chosen);
    await press('Save the password');
    await expectText(page, 'Your password is saved.');
    expect((await login(service, 'same.tab', chosen)).status).toBe(200);
  });
});

describe('a new password', () => {
  it('is checked while the user types, and errors are at their fields', async () => {
    const person = await setByLink('types');
    const { page, field, press } = person;
    await field('New password').pressSequentially('pass');
    await expectText(page, 'At least 8 characters: 4 more.');
    await field('New password').pressSequentially('word1');
    await expectText(page, 'This password is too easy to guess.');
    await field('New password').fill('types.a.lot');
    await expectText(page, 'This password is accepted.');
    await press('Save the password');
    await expect.poll(() => field('Repeat the new password').getAttribute('aria-invalid')).toBe('true');
    await expectText(page, 'Fill in this field.');
    await field('Repeat the new password').fill('types a lot');
    await press('Save the password');
    await expectText(page, 'The two passwords differ.');
    person.expectStatus(422);
    await field('New password').fill('password1');
    await field('Repeat the new password').fill('password1');
    await press('Save the password');
    await page.locator('#Password-error', { hasText: 'This password is too easy to guess.' }).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('Password');
    await field('New password').fill(chosen);
    await field('Repeat the new password').fill(chosen);
    await press('Save the password');
    await expectText(page, 'Your password is saved.');
  });

  it('can be shown', async () => {
    const { page, field } = await setByLink('shows');
    const button = page.getByRole('button', { name: 'Show the password: New password' });
    await button.click();
    expect(await field('New password').getAttribute('type')).toBe('text');
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    await button.click();
    expect(await field('New password').getAttribute('type')).toBe('password');
  });
});

describe('the page of a forgotten password', () => {
  it.each(['unknown.user', 'unknown@example.com'])(
    'answers alike for every name, such as %s',
    async (name) => {
      const { page, open, follow, heading, field, press } = await visitAccount(service);
      await open();
      await follow('Forgot your password?');
      await heading('Forgot your password');
      await field('Username or email address').fill(name);
      await press('Send the link');
      await expectText(page, 'Look into your mailbox');
      await follow('I have a code');
      await heading('Choose your password');
    },
  );
});

describe('a user that must change its password', () => {
  it('can do nothing else but sign out, and does not type the temporary one again', async () => {
    await register(service, 'temporary', { ...withPassword, MustChangePassword: true });
    const { page, open, signIn, heading, field, press } = await visitAccount(service);
    await open('sessions');
    await signIn('temporary');
    await heading('Choose a new password');
    expect(await page.getByLabel('Current password').count()).toBe(0);
    await press('Sign out');
    await expectText(page, 'You are signed out.');
    await signIn('temporary');
    await heading('Choose a new password');
    await field('New password').fill('another sentence');
    await field('Repeat the new password').fill('another sentence');
    await press('Save the password');
    await expectText(page, 'Your password is changed.');
    await heading('Your account');
    expect((await login(service, 'temporary', 'another sentence')).status).toBe(200);
  });
});
