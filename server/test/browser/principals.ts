import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Credential } from '../setup/admin.ts';
import { newUser, type TestService } from '../setup/service.ts';
import { enter, type Visit } from './browser.ts';

/** Inserts principals and gives their IDs. */
export async function insert(
  service: TestService,
  headers: Credential,
  records: readonly Record<string, unknown>[],
): Promise<number[]> {
  const { body } = await service.call('irs/insert', records, { headers });
  return (body.result?.records ?? []).map(({ Item1 }) => Item1 ?? 0);
}

/** Goes to the page of a new principal that has users of these names. */
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

/** What stands beside a field, also for those who listen. */
export async function besides(field: Locator): Promise<string> {
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  const texts = await Promise.all(ids.map((id) => field.page().locator(`[id="${id}"]`).allInnerTexts()));
  return texts.flat().join(' ');
}

/** Waits until the service has said it. */
export async function expectBeside(field: Locator, sentence: RegExp): Promise<void> {
  await expect.poll(() => besides(field)).toMatch(sentence);
}

/** Hands over a password that is shown once, and gives it. */
export async function takePassword(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  const done = dialog.getByRole('button', { name: 'I have handed it over' });
  await done.waitFor();
  const password = await dialog.getByLabel('Password', { exact: true }).inputValue();
  await dialog.getByRole('button', { name: 'Copy: Password' }).click();
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(password);
  await done.click();
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(() => page.content()).not.toContain(password);
  return password;
}
