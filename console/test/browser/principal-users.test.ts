import { asUser, login, signedIn } from '@anagrafe/testing/login';
import { beforeEach, describe, expect, it } from 'vitest';
import { useConsole, type Visit, visit } from './browser.ts';
import { besides, chooseForUser, enterNew, expectBeside, rowOf, takePassword } from './principals.ts';

const { service, office } = await useConsole();
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

describe('the users of a principal', () => {
  it('are paginated and found by a search', async () => {
    const { page } = person;
    await enterNew(
      service,
      office,
      person,
      'Ospedale',
      ...Array.from({ length: 12 }, (_, n) => `nurse.${n}`),
      'doctor',
    );
    const usernames = () =>
      page.getByRole('table', { name: 'Users' }).getByRole('button', { name: /^Actions for/ });
    await expect.poll(() => usernames().count()).toBe(10);
    await page.getByRole('navigation', { name: 'Pagination: Users' }).getByLabel('Next page').click();
    await rowOf(page, 'Users', /doctor/).waitFor();
    await page.getByRole('searchbox', { name: 'Search users' }).fill('nurse.1');
    await expect.poll(() => usernames().count()).toBe(3);
    await page.reload();
    await rowOf(page, 'Users', /nurse\.11/).waitFor();
    await expect.poll(() => usernames().count()).toBe(3);
    await page.getByRole('searchbox', { name: 'Search users' }).fill('patient');
    await page.getByText('No results').waitFor();
  });

  it('are validated while typing, with the errors next to the fields', async () => {
    const { page, expectStatus } = person;
    await enterNew(service, office, person, 'Verdi e Figli', 'taken.name');
    await page.getByRole('button', { name: 'Register user' }).click();
    const dialog = page.getByRole('dialog');
    const username = dialog.getByLabel('Username');
    const password = dialog.getByLabel('Password', { exact: true });
    await username.fill('Taken.Name');
    await expectBeside(username, /already|belongs to a user/);
    expect(await besides(password)).toBe('');
    await password.fill('short');
    await expectBeside(password, /at least 8 characters/);
    await dialog.getByText('Weak', { exact: true }).waitFor();
    await password.fill('password123');
    await expectBeside(password, /too common/);
    await password.fill('una frase lunga davvero');
    await dialog.getByText('This password meets the requirements.').waitFor();
    await dialog.getByRole('textbox', { name: /^Email/ }).fill('nowhere');
    // No status of 422 until here: a browser logs each as an error.
    expectStatus(422);
    await dialog.getByRole('button', { name: 'Register user' }).click();
    await expectBeside(dialog.getByRole('textbox', { name: /^Email/ }), /not a valid email address/);
    await expect.poll(() => besides(username)).toMatch(/already|belongs to a user/);
    expect(await dialog.getByRole('alert').count()).toBe(0);

    await username.fill('free.name');
    await dialog.getByRole('textbox', { name: /^Email/ }).fill('free@example.com');
    await expectBeside(username, /^$/);
    await dialog.getByRole('button', { name: 'Register user' }).click();
    expect(await takePassword(page)).toBe('una frase lunga davvero');
    await rowOf(page, 'Users', /free\.name.*free@example\.com/).waitFor();
  });

  it('get a new password, which ends their sessions', async () => {
    const { page } = person;
    await enterNew(service, office, person, 'Gallo Snc', 'marco.gallo');
    const session = await signedIn(service, 'marco.gallo');
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(200);
    const dialog = await chooseForUser(page, 'marco.gallo', 'Reset password');
    await dialog.getByText(/all sessions of the user end/).waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill('marco.gallo');
    await expectBeside(dialog.getByLabel('Password', { exact: true }), /the username/);
    await dialog.getByRole('button', { name: 'Generate' }).click();
    await dialog.getByText('This password meets the requirements.').waitFor();
    await dialog.getByRole('button', { name: 'Reset password' }).click();
    const password = await takePassword(page);
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(401);
    expect((await login(service, 'marco.gallo')).status).toBe(401);
    expect((await login(service, 'marco.gallo', password)).status).toBe(200);
    await rowOf(page, 'History', /Password reset: marco\.gallo\..*office \(console\)/).waitFor();
    await rowOf(page, 'History', /Sign-in failed: marco\.gallo\./).waitFor();
  });

  it('are disabled and enabled individually', async () => {
    const { page } = person;
    await enterNew(service, office, person, 'Conti Spa', 'elena.conti', 'fabio.conti');
    const session = await signedIn(service, 'elena.conti');
    const disable = await chooseForUser(page, 'elena.conti', 'Disable');
    await disable.getByText(/all sessions of the user end/).waitFor();
    await disable.getByRole('button', { name: 'Disable' }).click();
    await rowOf(page, 'Users', /elena\.conti.*Disabled/).waitFor();
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(401);
    expect((await login(service, 'elena.conti')).status).toBe(401);
    expect((await login(service, 'fabio.conti')).status).toBe(200);
    const enable = await chooseForUser(page, 'elena.conti', 'Enable');
    await enable.getByRole('button', { name: 'Enable' }).click();
    await rowOf(page, 'Users', /elena\.conti.*Active/).waitFor();
    expect((await login(service, 'elena.conti')).status).toBe(200);
    await rowOf(page, 'History', /Disabled: elena\.conti\./).waitFor();
    await rowOf(page, 'History', /Enabled: elena\.conti\./).waitFor();
  });
});
