import { newUser } from '@anagrafe/testing/service';
import { beforeEach, expect, it } from 'vitest';
import { expectPartAccessible } from './accessibility.ts';
import { enter, useConsole, type Visit, visit } from './browser.ts';
import { insert } from './principals.ts';

const { service, office } = await useConsole();
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

it('a principal that an import has split is merged into the right one, after its values are shown', async () => {
  const { page } = person;
  const [split = 0, right = 0] = await insert(service, office, [
    {
      Denomination: 'Doppia Srl',
      ExternalKey: '123',
      Taxcode: 'ABC',
      Email: 'a@example.com',
      Users: [newUser('doppia')],
    },
    { Denomination: 'Doppia Spa', ExternalKey: '00123', Email: 'b@example.com' },
  ]);
  await enter(person, `/principals/${split}`, office);
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Merge into another principal' }).click();
  const dialog = page.getByRole('dialog', { name: 'Merge Doppia Srl into another principal' });
  const submit = dialog.getByRole('button', { name: 'Merge' });
  await dialog.getByLabel('Search a principal').fill('Doppia');
  await dialog.getByLabel('Doppia Spa').waitFor();
  // The principal cannot be merged into itself.
  expect(await dialog.getByLabel('Doppia Srl').count()).toBe(0);
  expect(await submit.isDisabled()).toBe(true);
  await dialog.getByLabel('Doppia Spa').check();
  await dialog.getByText('1 user moves to Doppia Spa.').waitFor();
  const effect = await dialog.getByRole('status').innerText();
  expect(effect).toMatch(/lacks, and gets:\s+Tax code: .*ABC/);
  expect(effect).toMatch(/dropped.*\s+.*Doppia Srl → Doppia Spa[\s\S]*a@example\.com/);
  await expectPartAccessible(page, 'dialog');
  await submit.click();
  await page.getByText('Merged into Doppia Spa.').waitFor();
  await page.waitForURL(new RegExp(`/principals/${right}$`));
  const { body } = await service.call<object>('irs/list', { ExternalKey: '123' }, { headers: office });
  expect(body.result?.records).toMatchObject([
    {
      ID: right,
      ExternalKey: '00123',
      Denomination: 'Doppia Spa',
      Taxcode: 'ABC',
      Users: [{ Username: 'doppia' }],
    },
  ]);
});
