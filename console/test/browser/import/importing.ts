import { readFileSync } from 'node:fs';
import type { Credential } from '@anagrafe/testing/admin';
import type { TestService } from '@anagrafe/testing/service';
import type { Page } from 'playwright-core';
import { enter, visit } from '../browser.ts';

/** Signs in and opens the import page. `statuses` are allowed besides that of a dry run in which all rows fail. */
export async function openImport(
  service: TestService,
  client: Credential,
  options: Parameters<typeof visit>[1] = {},
  ...statuses: number[]
): Promise<Page> {
  const person = await visit(service, options);
  for (const status of statuses) person.expectStatus(status);
  // A dry run in which all rows fail gets this status.
  person.expectStatus(422);
  await enter(person, '/import', client);
  return person.page;
}

export async function choose(
  page: Page,
  name: string,
  content: string | Uint8Array,
  button = 'Choose file',
): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await press(page, button);
  const file = { name, mimeType: 'text/plain', buffer: Buffer.from(content) };
  await (await choosing).setFiles(file);
}

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

export const said = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text }).waitFor();

export const correct = (page: Page, cell: string, text: string) =>
  page.getByLabel(cell, { exact: true }).fill(text);

/** Triggers a download, by default that of the failed rows, and returns the file. */
export async function downloaded(
  page: Page,
  trigger = () => press(page, 'Download failed rows'),
): Promise<{ name: string; bytes: Buffer }> {
  const started = page.waitForEvent('download');
  await trigger();
  const download = await started;
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}
