import { credential } from '@anagrafe/testing/admin';
import { beforeEach, describe, expect, it } from 'vitest';
import { enter, useConsole, type Visit, visit } from './browser.ts';

const { service, office } = await useConsole();
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

const row = (name: string) => person.page.getByRole('row').filter({ hasText: name });

async function choose(name: string, action: string): Promise<void> {
  await person.page.getByRole('button', { name: `Actions for ${name}` }).click();
  await person.page.getByRole('menuitem', { name: action }).click();
}

/** Calls the API with a key pair and returns the status: 401 if the keys are invalid. */
async function statusWith(publicKey: string, secretKey: string): Promise<number> {
  const headers = { SyncPublicKey: publicKey, SyncSecretKey: secretKey };
  return (await service.call('irs/list', {}, { headers })).status;
}

/** Reads the keys from the dialog that shows them once, and closes it. */
async function takeKeys(): Promise<[publicKey: string, secretKey: string]> {
  const dialog = person.page.getByRole('dialog');
  const publicKey = await dialog.getByLabel('Public key', { exact: true }).inputValue();
  // The alert takes the focus, because the form that had it is removed.
  await expect.poll(() => dialog.getByRole('alert').and(person.page.locator(':focus')).count()).toBe(1);
  const secretKey = await dialog.getByLabel('Secret key', { exact: true }).inputValue();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return [publicKey, secretKey];
}

async function create(name: string): Promise<[publicKey: string, secretKey: string]> {
  const { page } = person;
  await page.getByRole('button', { name: 'New client' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  return takeKeys();
}

describe('the API clients page', () => {
  it('creates a client with the chosen scopes and networks, whose keys work', async () => {
    await enter(person, '/clients', office);
    const { page } = person;
    await page.getByRole('button', { name: 'New client' }).click();
    const dialog = page.getByRole('dialog', { name: 'New client' });
    await dialog.getByLabel('Name').fill('erp');
    await dialog.getByRole('checkbox', { name: /^sync:write/ }).uncheck();
    await dialog.getByRole('textbox', { name: 'Allowed IP addresses' }).fill('127.0.0.1\n10.0.0.0/8');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const keys = await takeKeys();
    expect(await statusWith(...keys)).toBe(200);
    const made = row('erp');
    await expect.poll(() => made.innerText()).toContain('sync:read');
    await expect.poll(() => made.innerText()).not.toContain('sync:write');
    await expect.poll(() => made.innerText()).toContain('127.0.0.1/32, 10.0.0.0/8');
    await expect.poll(() => page.content()).not.toContain(keys[1]);
  });

  it('shows the error message of the service for an invalid network', async () => {
    await enter(person, '/clients', office);
    const { page, expectStatus } = person;
    expectStatus(400);
    await page.getByRole('button', { name: 'New client' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('wrong');
    await dialog.getByRole('textbox', { name: 'Allowed IP addresses' }).fill('not a network');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').filter({ hasText: '"Networks" must be an array' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => row('wrong').count()).toBe(0);
  });

  it('rotates a secret; the old one stops working after the chosen hours', async () => {
    await enter(person, '/clients', office);
    const [publicKey, old] = await create('crm');
    await choose('crm', 'Rotate secret');
    await person.page.getByLabel('Keep the old secret valid for (hours)').fill('0');
    await person.page.getByRole('button', { name: 'Rotate secret' }).click();
    const [, fresh] = await takeKeys();
    expect(await statusWith(publicKey, fresh)).toBe(200);
    expect(await statusWith(publicKey, old)).toBe(401);
  });

  it('keeps the session when the signed-in client rotates its own secret', async () => {
    await enter(person, '/clients', await credential(service, { name: 'rotating' }));
    await choose('rotating', 'Rotate secret');
    await person.page.getByRole('button', { name: 'Rotate secret' }).click();
    await takeKeys();
    await person.page.reload();
    await person.page.getByText('Signed in as rotating').filter({ visible: true }).waitFor();
  });

  it('edits a client with effect from its next call', async () => {
    await enter(person, '/clients', office);
    const keys = await create('shop');
    await choose('shop', 'Edit');
    const dialog = person.page.getByRole('dialog', { name: 'Client shop' });
    await dialog.getByLabel('Name').fill('web shop');
    await dialog.getByRole('textbox', { name: 'Allowed IP addresses' }).fill('10.0.0.0/8');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await person.page.getByRole('status').filter({ hasText: 'web shop saved' }).waitFor();
    await row('web shop').getByText('10.0.0.0/8').waitFor();
    expect(await statusWith(...keys)).toBe(401);
  });

  it('shows the new name of the signed-in client at once', async () => {
    await enter(person, '/clients', await credential(service, { name: 'branch' }));
    await choose('branch', 'Edit');
    const dialog = person.page.getByRole('dialog', { name: 'Client branch' });
    await dialog.getByLabel('Name').fill('headquarters');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await person.page.getByText('Signed in as headquarters').filter({ visible: true }).waitFor();
  });

  it('revokes a client after its name was typed', async () => {
    await enter(person, '/clients', office);
    const keys = await create('legacy');
    await choose('legacy', 'Revoke');
    const dialog = person.page.getByRole('dialog', { name: 'Revoke legacy' });
    const button = dialog.getByRole('button', { name: 'Revoke' });
    await dialog.getByLabel('Type legacy to confirm').fill('legac');
    await expect.poll(() => button.isDisabled()).toBe(true);
    await dialog.getByLabel('Type legacy to confirm').fill('legacy');
    await button.click();
    await row('legacy').getByText('Revoked').waitFor();
    await expect.poll(() => person.page.getByRole('button', { name: 'Actions for legacy' }).count()).toBe(0);
    expect(await statusWith(...keys)).toBe(401);
  });

  it('ends the session when the signed-in client is revoked', async () => {
    await enter(person, '/clients', office);
    const [SyncPublicKey, SyncSecretKey] = await create('own');
    await choose('own', 'Edit');
    await person.page.getByRole('checkbox', { name: /^admin/ }).check();
    await person.page.getByRole('button', { name: 'Save' }).click();
    await row('own').getByText('admin').waitFor();
    const other = await visit(service);
    await enter(other, '/clients', { SyncPublicKey, SyncSecretKey });
    person = other;
    await choose('own', 'Revoke');
    await other.page.getByText('your session ends').waitFor();
    await other.page.getByLabel('Type own to confirm').fill('own');
    other.expectStatus(401);
    await other.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
