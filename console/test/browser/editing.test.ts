import { asUser, login, signedIn } from '@anagrafe/testing/login';
import { newUser } from '@anagrafe/testing/service';
import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { enter, useConsole, type Visit, visit } from './browser.ts';
import { chooseForPrincipal, chooseForUser, enterNew, expectBeside, insert, rowOf } from './principals.ts';

const { service, office } = await useConsole();
await insert(service, office, [
  { Denomination: 'Altra Srl', ExternalKey: 'TAKEN', Users: [newUser('taken')] },
]);
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

/** Reads the only principal with an external key. */
async function storedPrincipal(ExternalKey: string): Promise<Record<string, unknown> | undefined> {
  const { body } = await service.call<Record<string, unknown>>(
    'irs/list',
    { ExternalKey },
    { headers: office },
  );
  return body.result?.records[0];
}

const invalid = (dialog: Locator, label: string) => dialog.getByLabel(label).getAttribute('aria-invalid');

async function storedUser(Username: string): Promise<Record<string, unknown> | undefined> {
  const { body } = await service.call<Record<string, unknown>>(
    'irs/users',
    { Username },
    { headers: office },
  );
  return body.result?.records[0];
}

describe('the page of a principal', () => {
  it('edits and clears fields and the external key, and shows errors next to the fields', async () => {
    const { page, expectStatus } = person;
    expectStatus(422);
    const [id] = await insert(service, office, [
      {
        Denomination: 'Prima Srl',
        ExternalKey: 'E-1',
        Vatnumber: 'IT00000000001',
        Email: 'info@example.com',
      },
    ]);
    await enter(person, `/principals/${id}`, office);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit Prima Srl' });
    await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Company name').fill('Seconda Srl');
    await dialog.getByLabel('Email').fill('nowhere');
    await dialog.getByLabel('VAT number').fill('');
    await dialog.getByLabel('External key').fill('TAKEN');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expectBeside(dialog.getByLabel('External key'), /belongs to the principal/);
    await dialog.getByLabel('External key').fill('E-2');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expectBeside(dialog.getByLabel('Email'), /not a valid email address/);
    await dialog.getByLabel('Email').fill('post@example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Seconda Srl', level: 1 }).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    expect(await storedPrincipal('E-2')).toMatchObject({
      ID: id,
      Denomination: 'Seconda Srl',
      Vatnumber: null,
      Email: 'post@example.com',
    });
    await rowOf(page, 'History', /Principal changed: .*Company name/).waitFor();
  });
});

describe('the dialog of a user', () => {
  it('edits the username, the contact fields, the attributes and the state', async () => {
    const { page, expectStatus } = person;
    expectStatus(422);
    await enterNew(service, office, person, 'Gialli Srl', 'gina');
    const session = await signedIn(service, 'gina');
    const dialog = await chooseForUser(page, 'gina', 'Edit');
    await dialog.getByLabel('Username').fill('taken');
    await dialog.getByLabel('Language').fill('not a language');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expectBeside(dialog.getByLabel('Language'), /language/i);
    await dialog.getByLabel('Language').fill('it');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expectBeside(dialog.getByLabel('Username'), /belongs to a user/);
    await dialog.getByLabel('Username').fill('gina.gialli');
    await dialog.getByLabel('First name').fill('Gina');
    await dialog.getByLabel('Last name').fill('Gialli');
    await dialog.getByLabel('Phone').fill('02 99');
    await dialog.getByRole('button', { name: 'Add attribute' }).click();
    await dialog.getByLabel('Name of attribute 1').fill('not allowed!');
    await dialog.getByLabel('Value of attribute 1').fill('Sales');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').waitFor();
    await expect.poll(() => invalid(dialog, 'Name of attribute 1')).toBe('true');
    await dialog.getByLabel('Name of attribute 1').fill('department');
    await dialog.getByRole('button', { name: 'Add attribute' }).click();
    await dialog.getByLabel('Name of attribute 2').fill('department');
    await expectBeside(dialog.getByLabel('Name of attribute 2'), /Another attribute has this name/);
    await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Name of attribute 2').fill('room');
    await dialog.getByLabel('Value of attribute 2').fill('x'.repeat(1025));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expectBeside(dialog.getByLabel('Value of attribute 2'), /at most 1024 bytes/);
    await dialog.getByRole('button', { name: 'Remove attribute 2' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await rowOf(page, 'Users', /gina\.gialli Gina Gialli.*02 99/).waitFor();
    expect(await storedUser('gina.gialli')).toMatchObject({
      FirstName: 'Gina',
      LastName: 'Gialli',
      Phone: '02 99',
      Language: 'it',
      Attributes: { department: 'Sales' },
      State: 'active',
    });
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(200);
    await rowOf(page, 'History', /Changed: gina\.gialli \(.*First name.*\)/).waitFor();

    const again = await chooseForUser(page, 'gina.gialli', 'Edit');
    await again.getByLabel('State').selectOption('Disabled');
    await again.getByRole('button', { name: 'Remove attribute 1' }).click();
    await again.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Users', /gina\.gialli.*Disabled/).waitFor();
    expect((await storedUser('gina.gialli'))?.Attributes ?? {}).toEqual({});
    expect((await login(service, 'gina.gialli')).status).toBe(401);
  });
});

describe('the page of a principal', () => {
  it('deletes a user after its username is typed in, and ends its sessions', async () => {
    const { page } = person;
    await enterNew(service, office, person, 'Viola Srl', 'vito', 'viola');
    const session = await signedIn(service, 'vito');
    const dialog = await chooseForUser(page, 'vito', 'Delete');
    const submit = dialog.getByRole('button', { name: 'Delete user' });
    await dialog.getByLabel('Type vito to confirm').fill('vit');
    await expect.poll(() => submit.isDisabled()).toBe(true);
    await dialog.getByLabel('Type vito to confirm').fill('vito');
    await submit.click();
    await page.getByText('User vito deleted.').waitFor();
    await rowOf(page, 'Users', /viola/).waitFor();
    await expect.poll(() => rowOf(page, 'Users', /vito/).count()).toBe(0);
    expect(await storedUser('vito')).toBeUndefined();
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(401);
    await rowOf(page, 'History', /Deleted: user \d+\./).waitFor();
  });

  it('deletes the principal with its users after its name is typed in', async () => {
    const { page } = person;
    await enterNew(service, office, person, 'Nera Srl', 'nero', 'nerina');
    const dialog = await chooseForPrincipal(page, 'Delete');
    await dialog.getByText(/its 2 users are deleted/).waitFor();
    const submit = dialog.getByRole('button', { name: 'Delete principal' });
    await expect.poll(() => submit.isDisabled()).toBe(true);
    await dialog.getByLabel('Type Nera Srl to confirm').fill('Nera Srl');
    await submit.click();
    await page.getByRole('heading', { name: 'Principals', level: 1 }).waitFor();
    await page.getByText('Nera Srl deleted.').waitFor();
    await page.getByRole('link', { name: 'Altra Srl' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Nera Srl' }).count()).toBe(0);
    expect(await storedUser('nero')).toBeUndefined();
  });
});
