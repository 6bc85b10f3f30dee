import { startTestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { english } from '../../../account/i18n/en.ts';
import { italian } from '../../../account/i18n/it.ts';
import { expectAccessible } from '../accessibility.ts';
import { useBrowser } from '../browser.ts';
import { expectText, register, visitAccount, withPassword } from './account.ts';

useBrowser();
// A colour that is hard to read on white and has little contrast to the buttons of a dark page.
const service = await startTestService({
  ANAGRAFE_BRAND_COLOR: '#ffe14d',
  ANAGRAFE_BRAND_NAME: 'Rossi & Figli',
});
await register(service, 'mario', withPassword);
await register(service, 'temporary', { ...withPassword, MustChangePassword: true });

describe('the account pages are accessible in light and dark, on a phone and a desktop', () => {
  it.each(
    ['', 'set-password', 'forgot-password'].flatMap((path) =>
      [english, italian].map((texts) => ({ path, texts, locale: texts === english ? 'en-GB' : 'it-IT' })),
    ),
  )('at /account/$path in $locale', async ({ path, texts, locale }) => {
    const { page, open } = await visitAccount(service, { locale });
    await open(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
    expect(await page.title()).toMatch(/ – Rossi & Figli$/);
    await page.locator('button[type="submit"]').click();
    await expectText(page, texts.required);
    await expectAccessible(page);
  });

  it('with the answer to a password, and with a link', async () => {
    const { page, open, field } = await visitAccount(service);
    await open('set-password#0000');
    for (const [password, answer] of [
      ['password1', 'too easy'],
      ['a long sentence', 'accepted'],
    ] as const) {
      await field('New password').fill(password);
      await expectText(page, new RegExp(answer));
      await expectAccessible(page);
    }
  });

  it.each(['', 'change-password', 'sessions'])('at /account/%s for a signed-in user', async (path) => {
    const { page, open, signIn } = await visitAccount(service);
    await open(path);
    await signIn('mario');
    await page.getByRole('heading', { level: 1, name: /account|Change|Sessions/ }).waitFor();
    if (path === 'sessions') await expectText(page, 'This session');
    await expectAccessible(page);
  });

  it('for a user that must change its password, and after it has signed out', async () => {
    const { page, open, signIn, heading, press } = await visitAccount(service);
    await open();
    await signIn('temporary');
    await heading('Choose a new password');
    await expectAccessible(page);
    await press('Sign out');
    await expectText(page, 'You are signed out.');
    await expectAccessible(page);
  });
});
