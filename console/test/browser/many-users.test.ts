import { readFileSync } from 'node:fs';
import { login } from '@anagrafe/testing/login';
import { newUser } from '@anagrafe/testing/service';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectPartAccessible } from './accessibility.ts';
import { enter, useConsole, type Visit, visit } from './browser.ts';
import { insert, rowOf } from './principals.ts';

const { service, office } = await useConsole();
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

/** Inserts two principals with some users each, whose usernames begin with a word. */
async function addUsers(word: string, count: number): Promise<readonly number[]> {
  const users = (principal: string) =>
    Array.from({ length: count }, (_, n) => newUser(`${word}.${principal}.${n}`));
  return insert(service, office, [
    { Denomination: `${word} a`, Users: users('a') },
    { Denomination: `${word} b`, Users: users('b') },
  ]);
}

/** Opens the list of the users that begin with a word. */
async function enterList(word: string): Promise<void> {
  await enter(person, `/users?search=${word}`, office);
  await rowOf(person.page, 'Users', new RegExp(`${word}\\.a\\.0`)).waitFor();
}

async function choose(action: string): Promise<void> {
  await person.page.getByRole('button', { name: 'Actions on the selection' }).click();
  await person.page.getByRole('menuitem', { name: action }).click();
}

const statesOf = async (word: string) => {
  const { body } = await service.call<{ State: string }>('irs/users', { Search: word }, { headers: office });
  return (body.result?.records ?? []).map(({ State }) => State);
};

describe('the selection in the list of users', () => {
  it('is kept over the pages, and emptied by another search', async () => {
    const { page } = person;
    await addUsers('kept', 15);
    await enterList('kept');
    await page.getByLabel('Select this page').check();
    await page.getByText('25 users selected.').waitFor();
    await page.getByLabel('Select kept.a.3', { exact: true }).uncheck();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByLabel('Select kept.b.14', { exact: true }).check();
    await page.getByText('25 users selected.').waitFor();
    await page.getByRole('searchbox').fill('kept.a');
    await expect.poll(() => page.getByText(/users selected/).count()).toBe(0);
  });

  it('is disabled and enabled together', async () => {
    const { page } = person;
    await addUsers('both', 2);
    await enterList('both');
    await page.getByLabel('Select this page').check();
    await choose('Disable');
    await page.getByRole('dialog', { name: 'Disable the selected users?' }).waitFor();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('both.a.0, both.a.1, both.b.0, both.b.1').waitFor();
    await expectPartAccessible(page, 'dialog');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByText('4 of 4 users changed.').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(await statesOf('both')).toEqual(['disabled', 'disabled', 'disabled', 'disabled']);
    // The users that were changed are no longer selected.
    await expect.poll(() => page.getByText(/users selected/).count()).toBe(0);
    await page.getByLabel('Select both.b.0', { exact: true }).check();
    await choose('Enable');
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await page.getByText('1 of 1 users changed.').waitFor();
    expect(await statesOf('both')).toEqual(['disabled', 'disabled', 'active', 'disabled']);
  });

  it('is moved to a principal that the dialog finds, and lists the users that failed', async () => {
    const { page } = person;
    await addUsers('sposta', 2);
    const [target = 0] = await insert(service, office, [
      { Denomination: 'Nuova Casa', ExternalKey: 'CASA-1' },
    ]);
    await enterList('sposta');
    await page.getByLabel('Select sposta.a.1', { exact: true }).check();
    await page.getByLabel('Select sposta.b.0', { exact: true }).check();
    await page.getByLabel('Select sposta.b.1', { exact: true }).check();
    // One of the users is deleted meanwhile by somebody else.
    const { body } = await service.call<{ ID: number; IRID: number }>(
      'irs/users',
      { Username: 'sposta.b.1' },
      { headers: office },
    );
    const gone = body.result?.records[0];
    await service.call('irs/delete', [{ ID: gone?.IRID, Users: [{ ID: gone?.ID }] }], { headers: office });
    await choose('Move to another principal');
    const dialog = page.getByRole('dialog', { name: 'Move the selected users?' });
    expect(await dialog.getByRole('button', { name: 'Move' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Search a principal').fill('CASA-1');
    await dialog.getByLabel('Nuova Casa').check();
    await expectPartAccessible(page, 'dialog');
    await dialog.getByRole('button', { name: 'Move' }).click();
    await page.getByRole('dialog').getByText('2 of 3 users changed. Failed: 1.').waitFor();
    await rowOf(page, 'Users that were not changed', /sposta\.b\.1/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await rowOf(page, 'Users', /sposta\.a\.1.*Nuova Casa/).waitFor();
    const moved = await service.call<{ UsersCount: number; Users: { Username: string }[] }>(
      'irs/list',
      { ID: target },
      { headers: office },
    );
    expect(moved.body.result?.records[0]?.Users.map(({ Username }) => Username).toSorted()).toEqual([
      'sposta.a.1',
      'sposta.b.0',
    ]);
  });

  it('gets generated passwords, which can be downloaded once, and lists the users that failed', async () => {
    const { page } = person;
    const [, b = 0] = await addUsers('reset', 20);
    await enterList('reset');
    await page.getByLabel('Select this page').check();
    await page.getByRole('button', { name: 'Next page' }).click();
    await rowOf(page, 'Users', /reset\.b\.19/).waitFor();
    await page.getByLabel('Select this page').check();
    await page.getByText('40 users selected.').waitFor();
    // One of the users is deleted meanwhile by somebody else.
    await service.call('irs/delete', [{ ID: b, Users: [{ Username: 'reset.b.7' }] }], { headers: office });
    await choose('Reset to generated passwords');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('reset.a.4 and 35 more').waitFor();
    await dialog.getByRole('button', { name: 'Reset passwords' }).click();
    await dialog.getByText('39 of 40 users changed. Failed: 1.').waitFor();
    await rowOf(page, 'Users that were not changed', /reset\.b\.7.*reset b/).waitFor();
    await expectPartAccessible(page, 'dialog');
    const done = dialog.getByRole('button', { name: 'Done' });
    expect(await done.isDisabled()).toBe(true);
    const downloading = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download passwords (CSV)' }).click();
    const file = readFileSync(await (await downloading).path(), 'utf8');
    await done.click();
    const lines = file.trimEnd().split('\r\n');
    expect(lines[0]).toBe('\ufeffPrincipalID,ExternalKey,Username,Email,Password,Result');
    expect(lines).toHaveLength(40);
    expect(file).not.toContain('reset.b.7,');
    const [, , username = '', , password = '', result] = (lines[1] ?? '').split(',');
    expect([username, result]).toEqual(['reset.a.0', 'set']);
    expect((await login(service, username, password)).status).toBe(200);
    // The user that failed stays selected.
    await page.getByText('1 user selected.').waitFor();
  });

  it('can be changed further after a call that was not answered, with the same idempotency key', async () => {
    const { page } = person;
    await addUsers('lost', 20);
    await enterList('lost');
    await page.getByLabel('Select this page').check();
    let isLost = true;
    const keys: string[] = [];
    await page.route('**/irs/update', async (route, request) => {
      keys.push((await request.headerValue('idempotency-key')) ?? '');
      if (isLost) {
        // The service resets the passwords, and its answer is lost.
        await route.fetch();
        await route.abort('connectionreset');
      } else await route.continue();
    });
    person.expectFailure('/irs/update');
    await choose('Reset to generated passwords');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Reset passwords' }).click();
    await dialog.getByText('0 of 25 users changed.').waitFor();
    isLost = false;
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await dialog.getByText('25 of 25 users changed.').waitFor();
    expect(new Set(keys).size).toBe(1);
  });
});
