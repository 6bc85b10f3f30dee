import { allHashed } from '@anagrafe/testing/audit-chain';
import { asUser, login, signedIn } from '@anagrafe/testing/login';
import { newUser } from '@anagrafe/testing/service';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, expectPartAccessible } from './accessibility.ts';
import { enter, useConsole, type Visit, visit } from './browser.ts';
import { insert, rowOf } from './principals.ts';

const { service, office } = await useConsole();
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

/** Inserts a principal with a user and another one, and returns the IDs of the principal and the user. */
async function register(company: string, username: string, fields: object = {}) {
  const Users = [newUser(username, { ...fields }), newUser(`${username}.other`)];
  const [principal = 0] = await insert(service, office, [{ Denomination: company, Users }]);
  const { body } = await service.call<{ ID: number }>(
    'irs/users',
    { Username: username },
    { headers: office },
  );
  return { principal, id: body.result?.records[0]?.ID ?? 0 };
}

describe('the page of a user', () => {
  it('shows its fields, its company, its sign-ins and only its own history', async () => {
    const { page } = person;
    const { principal, id } = await register('Viola Srl', 'viola', {
      FirstName: 'Viola',
      LastName: 'Greco',
      Phone: '+39 055 123456',
      Attributes: { Department: 'Sales' },
    });
    await login(service, 'viola', 'wrong password');
    await signedIn(service, 'viola');
    const edits = [
      { Operation: 'edit', ID: id, Email: 'viola@example.com' },
      { Operation: 'edit', Username: 'viola.other', Email: 'other@example.com' },
    ];
    await service.call('irs/update', [{ ID: principal, Denomination: 'Viola e Figli', Users: edits }], {
      headers: office,
    });
    await allHashed(service);
    await enter(person, '/users', office);
    await page.getByRole('link', { name: 'viola', exact: true }).click();
    await page.getByRole('heading', { name: 'viola', level: 1 }).waitFor();
    const details = page.getByRole('region', { name: 'Details' });
    for (const text of ['Active', 'Viola', 'Greco', '+39 055 123456', 'viola@example.com', 'Sales'])
      await details.getByText(text, { exact: true }).waitFor();
    await rowOf(page, 'Sign-ins', /Signed in: viola\./).waitFor();
    await rowOf(page, 'Sign-ins', /Sign-in failed: viola\./).waitFor();
    await rowOf(page, 'History', /Changed: viola \(Email\)\./).waitFor();
    await rowOf(page, 'History', /Registered: viola\./).waitFor();
    expect(await page.getByRole('table', { name: 'History' }).innerText()).not.toMatch(/user \d|Company/);
    await expectAccessible(page);
    await details.getByRole('link', { name: 'Viola e Figli' }).click();
    await page.getByRole('heading', { name: 'Viola e Figli', level: 1 }).waitFor();
  });

  it('ends one session of the user, or all of them', async () => {
    const { page } = person;
    const { id } = await register('Blu Srl', 'bruno');
    const sessions = [
      await signedIn(service, 'bruno'),
      await signedIn(service, 'bruno'),
      await signedIn(service, 'bruno'),
    ];
    await enter(person, `/users/${id}`, office);
    const ends = page.getByRole('button', { name: /^End session/ });
    await expect.poll(() => ends.count()).toBe(3);
    await ends.first().click();
    await page.getByText('Session ended.').waitFor();
    await expect.poll(() => ends.count()).toBe(2);
    // The button of the ended session is gone, so the keyboard goes on with the one that remains.
    await expect.poll(() => page.locator(':focus').innerText()).toBe('End all sessions');
    const statuses = () =>
      Promise.all(
        sessions.map(async (session) => (await service.call('irs/list', {}, asUser(session))).status),
      );
    expect((await statuses()).toSorted()).toEqual([200, 200, 401]);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'End all sessions' });
    await dialog.waitFor();
    await expectPartAccessible(page, 'dialog');
    await dialog.getByRole('button', { name: 'End all sessions' }).click();
    await page.getByText('No sessions').waitFor();
    expect(await statuses()).toEqual([401, 401, 401]);
    await rowOf(page, 'History', /Sessions of bruno ended: 1\./).waitFor();
    await rowOf(page, 'History', /Sessions of bruno ended: 2\./).waitFor();
  });

  it('edits, resets, disables and deletes the user', async () => {
    const { page } = person;
    const { id } = await register('Rosa Srl', 'rosa');
    await enter(person, `/users/${id}`, office);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('First name').fill('Rosa Maria');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Rosa Maria', { exact: true }).waitFor();
    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Disable');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('region', { name: 'Details' }).getByText('Disabled', { exact: true }).waitFor();
    await choose('Delete');
    await dialog.getByLabel('Type rosa to confirm').fill('rosa');
    await dialog.getByRole('button', { name: 'Delete user' }).click();
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    await person.goTo(`/users/${id}`);
    await page.getByRole('heading', { name: 'User not found' }).waitFor();
    await person.goTo('/users/rosa');
    await page.getByRole('heading', { name: 'User not found' }).waitFor();
  });

  it('says that the user cannot sign in because its principal is disabled', async () => {
    const { principal, id } = await register('Grigi Srl', 'gino');
    await service.call('irs/state', [{ ID: principal, State: 'disabled' }], { headers: office });
    await enter(person, `/users/${id}`, office);
    await person.page.getByText('The principal is disabled: no sign-in.').waitFor();
  });
});
