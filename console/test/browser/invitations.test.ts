import { readFileSync } from 'node:fs';
import { finished, jobOf, readJob } from '@anagrafe/testing/jobs';
import { login } from '@anagrafe/testing/login';
import { newUser } from '@anagrafe/testing/service';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, expectPartAccessible } from './accessibility.ts';
import { enter, useConsole, type Visit, visit } from './browser.ts';
import { chooseForPrincipal, chooseForUser, insert, rowOf } from './principals.ts';

const { service, office } = await useConsole({ ANAGRAFE_PUBLIC_URL: 'https://accounts.example.com' });
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

/** Inserts a principal with users that have no password, and returns its ID. */
async function insertInvited(company: string, ...usernames: string[]): Promise<number> {
  const Users = usernames.map((Username) => ({ Username, Invite: 'code' }));
  const { body } = await service.call('irs/insert', [{ Denomination: company, Users }], {
    headers: { ...office, Prefer: 'return=representation' },
  });
  return body.result?.records[0]?.Item1 ?? 0;
}

async function setPassword(Code: string): Promise<number> {
  const Password = 'a long enough sentence';
  return (await service.call('password/set', { Code, Password, ConfirmPassword: Password })).status;
}

async function userOf(Username: string) {
  const { body } = await service.call<{
    ID: number;
    IRID: number;
    State: string;
    MustChangePassword: boolean;
  }>('irs/users', { Username }, { headers: office });
  return body.result?.records[0];
}

async function download(page: Page, button: string): Promise<string> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('dialog').getByRole('button', { name: button }).click();
  return readFileSync(await (await downloading).path(), 'utf8');
}

/** Expects that the code is in no storage of the browser, and no longer on the page. */
async function expectForgotten(page: Page, code: string): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const kept = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, history.state, document.cookie])',
  );
  expect(kept).not.toContain(code);
  expect(await page.content()).not.toContain(code);
}

describe('an invited user', () => {
  it('is listed by its state, and its page gives it a code that is shown once', async () => {
    const { page } = person;
    await insertInvited('Gialli Srl', 'gialla');
    await enter(person, '/users?search=gialla', office);
    await page.getByLabel('State', { exact: true }).selectOption({ label: 'Invited' });
    await rowOf(page, 'Users', /gialla.*Invited/s).waitFor();
    await page.getByRole('link', { name: 'gialla', exact: true }).click();
    await page.getByRole('heading', { name: 'gialla', level: 1 }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Invite again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite gialla' });
    const email = dialog.getByLabel('Send a link by email');
    expect(await email.isDisabled()).toBe(true);
    await dialog.getByText('This service sends no mail: the setting ANAGRAFE_SMTP_URL is missing.').waitFor();
    expect(await dialog.getByLabel('Hand out a code').isChecked()).toBe(true);
    await expectPartAccessible(page, 'dialog');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const field = dialog.getByLabel('Code', { exact: true });
    const code = await field.inputValue();
    expect(code).toMatch(/^(\w{4}-){6}\w{4}$/);
    expect(await dialog.getByLabel('Link with the code', { exact: true }).inputValue()).toContain(`#${code}`);
    await expectPartAccessible(page, 'dialog');
    const sheet = await download(page, 'Download sheet to print');
    for (const text of ['Gialli Srl', 'gialla', code, '<svg role="img"']) expect(sheet).toContain(text);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expectForgotten(page, code);
    expect(await setPassword(code)).toBe(200);
    expect((await userOf('gialla'))?.State).toBe('active');
  });

  it('is registered without a password', async () => {
    const { page } = person;
    const [id] = await insert(service, office, [{ Denomination: 'Ocra Srl' }]);
    await enter(person, `/principals/${id}`, office);
    await page.getByRole('button', { name: 'Register user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Username').fill('ocra');
    await dialog.getByLabel('Hand out a code').check();
    await expectPartAccessible(page, 'dialog');
    await dialog.getByRole('button', { name: 'Register user' }).click();
    const code = await dialog.getByLabel('Code', { exact: true }).inputValue();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expectForgotten(page, code);
    await rowOf(page, 'Users', /ocra.*Invited/s).waitFor();
    expect(await setPassword(code)).toBe(200);
  });

  it('gets another code if the answer with the first one was lost', async () => {
    const { page } = person;
    const [id] = await insert(service, office, [{ Denomination: 'Lilla Srl', Users: [newUser('lilla')] }]);
    await enter(person, `/principals/${id}`, office);
    let isLost = true;
    await page.route('**/irs/invite', async (route) => {
      if (isLost) {
        isLost = false;
        // The service issues the code, and its answer is lost.
        await route.fetch();
        await route.abort('connectionreset');
      } else await route.continue();
    });
    person.expectFailure('/irs/invite');
    const dialog = await chooseForUser(page, 'lilla', 'Invite to set a new password');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const code = await dialog.getByLabel('Code', { exact: true }).inputValue();
    expect(await setPassword(code)).toBe(200);
    await dialog.getByRole('button', { name: 'Done' }).click();
  });
});

describe('many users', () => {
  it('are invited together, with their codes in a file, except those that fail', async () => {
    const { page } = person;
    await insert(service, office, [
      { Denomination: 'Verdi', ExternalKey: 'V-1', Users: [newUser('molti.a'), newUser('molti.b')] },
      { Denomination: 'Neri', Users: [newUser('molti.c'), newUser('molti.d')] },
    ]);
    await enter(person, '/users?search=molti', office);
    await rowOf(page, 'Users', /molti\.d/).waitFor();
    await page.getByLabel('Select this page').check();
    // One of the users is disabled meanwhile by somebody else.
    const { ID, IRID } = (await userOf('molti.c')) ?? {};
    await service.call('irs/state', [{ ID: IRID, Users: [{ ID, State: 'disabled' }] }], { headers: office });
    await page.getByRole('button', { name: 'Actions on the selection' }).click();
    await page.getByRole('menuitem', { name: 'Invite to set a password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite the selected users?' });
    await dialog.getByText('molti.a, molti.b, molti.c, molti.d').waitFor();
    await expectPartAccessible(page, 'dialog');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('dialog').getByText('3 of 4 users changed. Failed: 1.').waitFor();
    await rowOf(page, 'Users that were not changed', /molti\.c/).waitFor();
    await expectPartAccessible(page, 'dialog');
    const done = page.getByRole('dialog').getByRole('button', { name: 'Done' });
    expect(await done.isDisabled()).toBe(true);
    const lines = (await download(page, 'Download codes (CSV)')).trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      '\ufeffPrincipalID,ExternalKey,Denomination,Username,FirstName,LastName,Email,Code,URL,ExpiresAt',
    );
    const codes = lines.slice(1).map((line) => line.split(',')[7] ?? '');
    expect(lines.slice(1).map((line) => line.split(',')[3])).toEqual(['molti.a', 'molti.b', 'molti.d']);
    const sheets = await download(page, 'Download sheets to print (HTML)');
    for (const code of codes) expect(sheets).toContain(code);
    await done.click();
    await expectForgotten(page, codes[0] ?? '');
    for (const code of codes) expect(await setPassword(code)).toBe(200);
  });

  it('that have not answered are invited by a job, whose codes are issued when they are needed', async () => {
    const { page } = person;
    const id = await insertInvited('Rame Srl', 'rame.a', 'rame.b', 'rame.c');
    await enter(person, `/principals/${id}`, office);
    const dialog = await chooseForPrincipal(page, 'Invite those who have not answered');
    await dialog.getByText('3 users have not set a password yet.').waitFor();
    await expectPartAccessible(page, 'dialog');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /^Job / }).waitFor();
    const job = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await finished(service, job, office);
    expect(jobOf(await readJob(service, job, office))).toMatchObject({
      Operation: 'invite',
      RecordsFailed: 0,
    });
    await page.getByRole('button', { name: 'Invitation codes' }).click();
    await expectPartAccessible(page, 'dialog');
    await page.getByRole('dialog').getByRole('button', { name: 'Issue codes' }).click();
    await page.getByText('3 codes issued.').waitFor();
    const code = (await download(page, 'Download codes (CSV)')).split('\r\n')[1]?.split(',')[7] ?? '';
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await expectForgotten(page, code);
    expect(await setPassword(code)).toBe(200);
    await page.getByRole('button', { name: 'Invitation codes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Issue codes' }).click();
    await page.getByText('2 codes issued. 1 user gets none: it has set a password').waitFor();
  });

  it('of all principals that have not answered are counted before they are invited', async () => {
    const { page } = person;
    await insertInvited('Zinco Srl', 'zinco');
    await enter(person, '/users?state=invited', office);
    await page.getByRole('button', { name: 'Invite those who have not answered' }).click();
    await page
      .getByRole('dialog')
      .getByText(/\d+ users? ha(s|ve) not set a password yet/)
      .waitFor();
  });

  it('are only those of principals with the tags that the list is filtered by, and none of a search', async () => {
    const { page } = person;
    const ID = await insertInvited('Argento Srl', 'argento.1', 'argento.2');
    await service.call('irs/update', [{ ID, Tags: ['argento'] }], { headers: office });
    await enter(person, '/users?state=invited&tags=argento', office);
    const invite = page.getByRole('button', { name: 'Invite those who have not answered' });
    await invite.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 users have not set a password yet.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('searchbox').fill('argento');
    await invite.waitFor({ state: 'hidden' });
  });
});

describe('a password that must be changed', () => {
  it('is set by a reset, shown on the page of the user, and cleared by an edit', async () => {
    const { page } = person;
    await insert(service, office, [{ Denomination: 'Bruni Srl', Users: [newUser('bruna')] }]);
    const user = await userOf('bruna');
    await enter(person, `/users/${user?.ID}`, office);
    await page.getByRole('button', { name: 'Reset password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Password', { exact: true }).fill('another long sentence');
    await dialog.getByLabel('Must change the password at the next sign-in').check();
    await expectPartAccessible(page, 'dialog');
    await dialog.getByRole('button', { name: 'Reset password' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Must change the password at the next sign-in.').waitFor();
    const { body } = await login(service, 'bruna', 'another long sentence');
    expect(body.result?.record).toMatchObject({ MustChangePassword: true });
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Must change the password at the next sign-in').uncheck();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await userOf('bruna'))?.MustChangePassword).toBe(false);
  });
});
