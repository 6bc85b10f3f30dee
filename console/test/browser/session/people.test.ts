import { credential } from '@anagrafe/testing/admin';
import { browserOf, ownPage } from '@anagrafe/testing/console';
import { rightPassword } from '@anagrafe/testing/login';
import { invited, operator, outdateConfirmations } from '@anagrafe/testing/operators';
import { generateSync } from 'otplib';
import { describe, expect, it } from 'vitest';
import { startConsole, useConsole, visit } from '../browser.ts';
import { enterPassword, field, heading, press, signedInAs } from './person.ts';

const { service, office } = await useConsole();

describe('an invited operator', () => {
  it('sets its password and its second factor, and signs in with each kind of code', async () => {
    const email = 'anna@example.com';
    const { code } = await invited(service, email, 'admin');
    const person = await visit(service);
    const { page } = person;
    person.expectStatus(401);
    person.expectStatus(422);
    await person.goTo(`/password#${code.text}`);
    await heading(page, 'Set your password').waitFor();
    await expect.poll(() => page.url()).not.toContain(code.text);
    await field(page, 'New password').fill('password');
    await field(page, 'Repeat the password').fill('password');
    await press(page, 'Set password and sign in');
    await page.getByText(/is a common|too common|common passwords/i).waitFor();
    await field(page, 'New password').fill(rightPassword);
    await field(page, 'Repeat the password').fill(rightPassword);
    await press(page, 'Set password and sign in');

    await heading(page, 'Set up the second factor').waitFor();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const secret = await field(page, 'Or type this key into the app').inputValue();
    await field(page, 'Code').fill(generateSync({ secret, epoch: Math.floor(Date.now() / 1000) - 30 }));
    await press(page, 'Set up');
    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await expect.poll(() => codes.count()).toBe(10);
    const recovery = await codes.first().innerText();
    // The codes survive what would read the session again.
    await page.evaluate('window.dispatchEvent(new Event("focus"))');
    await expect.poll(() => codes.count()).toBe(10);
    await press(page, 'I have stored the codes');
    await signedInAs(page, email);
    expect(await page.content()).not.toContain(recovery);

    await press(page, 'Sign out');
    await enterPassword(page, email);
    await field(page, 'Code').fill('000000');
    await press(page, 'Sign in');
    await page.getByRole('alert').waitFor();
    await field(page, 'Code').fill(recovery);
    await press(page, 'Sign in');
    await signedInAs(page, email);
  });

  it('gets an error and can type another code if that of the link has been used', async () => {
    const { code } = await invited(service, 'bruno@example.com', 'viewer');
    const set = { Code: code.text, Password: rightPassword, ConfirmPassword: rightPassword };
    await browserOf(service)('POST /console/password', ownPage, set);
    const { page, goTo, expectStatus } = await visit(service);
    expectStatus(422);
    await goTo(`/password#${code.text}`);
    await field(page, 'New password').fill(rightPassword);
    await field(page, 'Repeat the password').fill(rightPassword);
    await press(page, 'Set password and sign in');
    await page.getByRole('alert').waitFor();
    await field(page, 'Code').waitFor();
  });
});

describe('an action that needs a confirmation', () => {
  it('asks for the password, and continues after the right one', async () => {
    const email = 'carla@example.com';
    await operator(service, email, 'editor');
    const { body } = await service.call('irs/insert', [{ Denomination: 'Rossi' }], { headers: office });
    const person = await visit(service);
    const { page } = person;
    for (const status of [401, 403]) person.expectStatus(status);
    await person.goTo(`/principals/${body.result?.records[0]?.Item1}`);
    await enterPassword(page, email);
    await heading(page, 'Rossi').waitFor();
    await outdateConfirmations(service);
    const remove = async () => {
      await press(page, 'More actions');
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: /^Delete/ });
      await dialog.getByRole('textbox').fill('Rossi');
      await dialog.getByRole('button', { name: /^Delete/ }).click();
    };
    const confirmation = page.getByRole('dialog', { name: 'Confirm your identity' });
    await remove();
    await confirmation.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alert').filter({ hasText: 'Confirm your identity' }).waitFor();
    await page.keyboard.press('Escape');
    await remove();
    await confirmation.getByRole('textbox', { name: 'Password' }).fill('not this one');
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    await confirmation.getByRole('alert').waitFor();
    await confirmation.getByRole('textbox', { name: 'Password' }).fill(rightPassword);
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    await heading(page, 'Principals').waitFor();
    await expect.poll(() => page.getByRole('row', { name: /Rossi/ }).count()).toBe(0);
  });
});

describe('a page that an operator leaves open', () => {
  it('is locked without input, and shows its form again to the same operator alone', async () => {
    const emails = ['dora@example.com', 'elsa@example.com'] as const;
    for (const email of emails) await operator(service, email, 'editor');
    const person = await visit(service, { newContext: true });
    const { page } = person;
    person.expectStatus(401);
    await page.clock.install();
    await person.goTo('/principals');
    await enterPassword(page, emails[0]);
    await press(page, 'New principal');
    const name = page.getByRole('dialog').getByRole('textbox').first();
    await name.fill('half written');
    await page.clock.fastForward('29:00');
    await page.mouse.move(300, 300);
    await page.clock.fastForward('02:00');
    await expect.poll(() => name.isVisible()).toBe(true);

    await page.clock.fastForward('31:00');
    await heading(page, 'Sign in').waitFor();
    expect(await name.isVisible()).toBe(false);
    expect(await field(page, 'Email').inputValue()).toBe(emails[0]);
    const sessions = await service.database.query(
      'select 1 from anagrafe.operator_sessions join anagrafe.operators using (client_id) where email = $1',
      [emails[0]],
    );
    expect(sessions).toEqual([]);
    await enterPassword(page, emails[0]);
    await expect.poll(() => name.inputValue()).toBe('half written');

    await page.clock.fastForward('31:00');
    await enterPassword(page, emails[1]);
    await signedInAs(page, emails[1]);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

describe('a console for operators only', () => {
  it('offers no sign-in with API keys', async () => {
    const closed = await startConsole({ ANAGRAFE_CONSOLE_KEYS: 'false' });
    // Without a client the service is in protected mode.
    await credential(closed);
    await operator(closed, 'fabio@example.com', 'viewer');
    const { page, goTo } = await visit(closed);
    await goTo('');
    await page.evaluate('localStorage.setItem("anagrafe-sign-in", "keys")');
    await page.reload();
    await field(page, 'Email').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with an API key' }).count()).toBe(0);
    await enterPassword(page, 'fabio@example.com');
    await signedInAs(page, 'fabio@example.com');
  });
});
