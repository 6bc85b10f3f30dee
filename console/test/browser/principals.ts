import type { Credential } from '@anagrafe/testing/admin';
import { newUser, type TestService } from '@anagrafe/testing/service';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { enter, type Visit } from './browser.ts';

/** Inserts principals and returns their IDs, with 0 for a record that failed. */
export async function insert(
  service: TestService,
  headers: Credential,
  records: readonly Record<string, unknown>[],
): Promise<number[]> {
  const { body } = await service.call('irs/insert', records, { headers });
  return (body.result?.records ?? []).map(({ Item1 }) => Item1 ?? 0);
}

/** Inserts a principal with users and opens its page. */
export async function enterNew(
  service: TestService,
  office: Credential,
  person: Visit,
  name: string,
  ...usernames: string[]
): Promise<void> {
  const Users = usernames.map((username) => newUser(username));
  const [id] = await insert(service, office, [{ Denomination: name, ...(Users.length > 0 && { Users }) }]);
  await enter(person, `/principals/${id}`, office);
  await person.page.getByRole('heading', { name, level: 1 }).waitFor();
}

export function rowOf(page: Page, table: string, name: RegExp): Locator {
  return page.getByRole('table', { name: table }).getByRole('row', { name });
}

/** Opens the menu of a user and chooses an action, which opens a dialog. */
export async function chooseForUser(page: Page, username: string, action: string): Promise<Locator> {
  await page.getByRole('button', { name: `Actions for ${username}` }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
  return page.getByRole('dialog');
}

/** Opens the menu on the page of a principal and chooses an action. */
export async function chooseForPrincipal(page: Page, action: string): Promise<Locator> {
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
  return page.getByRole('dialog');
}

/** Reads the texts that `aria-describedby` links to a field: its hint and its error. */
export async function besides(field: Locator): Promise<string> {
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const texts = await Promise.all(ids.map((id) => field.page().locator(`[id="${id}"]`).allInnerTexts()));
  return texts.flat().join(' ');
}

/** Waits until the description of a field matches. */
export async function expectBeside(field: Locator, sentence: RegExp): Promise<void> {
  await expect.poll(() => besides(field)).toMatch(sentence);
}

/** Copies the password from the dialog that shows it once, closes the dialog and returns the password. */
export async function takePassword(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  const done = dialog.getByRole('button', { name: 'Done' });
  await done.waitFor();
  const password = await dialog.getByLabel('Password', { exact: true }).inputValue();
  await dialog.getByRole('button', { name: 'Copy: Password' }).click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(password);
  await done.click();
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(() => page.content()).not.toContain(password);
  return password;
}
