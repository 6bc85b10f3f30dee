import { rightPassword } from '@anagrafe/testing/login';
import type { Page } from 'playwright-core';

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
export const field = (page: Page, name: string) =>
  page.getByRole('textbox', { name: new RegExp(`^${name}`) }).filter({ visible: true });
export const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).filter({ visible: true }).click();
export const signedInAs = (page: Page, email: string) =>
  page.getByText(`Signed in as Name of ${email}`).filter({ visible: true }).waitFor();

export async function enterPassword(page: Page, email: string, password = rightPassword): Promise<void> {
  await heading(page, 'Sign in').waitFor();
  await field(page, 'Email').fill(email);
  await field(page, 'Password').fill(password);
  await press(page, 'Sign in');
}
