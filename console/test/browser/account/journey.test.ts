import { codesIn, mailSettingsOf, startMailServer } from '@anagrafe/testing/mail-server';
import { startTestService } from '@anagrafe/testing/service';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import { useBrowser } from '../browser.ts';
import { chosen, expectNoTraces, expectText, register, visitAccount } from './account.ts';

useBrowser();
const server = await startMailServer();
const service = await startTestService(mailSettingsOf(server));
const Email = 'mario.rossi@example.com';

/** Returns the path below `/account/` of the link in the last of `count` mails. */
async function linkOf(count: number): Promise<{ path: string; code: string }> {
  await until(() => server.to(Email).length === count);
  const mail = server.to(Email)[count - 1];
  const [code = ''] = mail ? codesIn(mail) : [];
  const link = `https://anagrafe.example.com/account/set-password#${code}`;
  expect(mail?.text).toContain(link);
  expect(mail?.html).toContain(`href="${link}"`);
  return { path: `set-password#${code}`, code };
}

it('a user that is registered with a mail chooses a password, signs in, and replaces it when it is forgotten', async () => {
  await register(service, 'mario.rossi', { Email, Invite: 'email' });
  const invitation = await linkOf(1);
  const person = await visitAccount(service);
  const { page, open, field, press, follow, heading, signIn } = person;
  const choose = async (password: string) => {
    await field('New password').fill(password);
    await field('Repeat the new password').fill(password);
    await press('Save the password');
    await expectText(page, 'Your password is saved.');
  };
  await open(invitation.path);
  await choose(chosen);
  await signIn('mario.rossi');
  await heading('Your account');
  await expectNoTraces(page, invitation.code);
  await press('Sign out');
  await follow('Forgot your password?');
  await field('Username or email address').fill(Email);
  await press('Send the link');
  const forgotten = await linkOf(2);
  await open(forgotten.path);
  await choose('another long sentence of mine');
  person.expectStatus(401);
  await signIn('mario.rossi');
  await page.getByRole('alert').waitFor();
  await signIn('mario.rossi', 'another long sentence of mine');
  await heading('Your account');
  await expectNoTraces(page, forgotten.code);
});
