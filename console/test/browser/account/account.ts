import { insertPrincipals, type TestService } from '@anagrafe/testing/service';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Visit, visit } from '../browser.ts';

export const chosen = 'a long sentence of mine';

/** Registers a user under a new principal. Returns the code of its invitation, if it was invited. */
export async function register(service: TestService, Username: string, more: object = { Invite: 'code' }) {
  const [ID] = await insertPrincipals(service, 1);
  const { body } = await service.call('irs/update', [{ ID, Users: [{ Username, ...more }] }], {
    headers: { prefer: 'return=representation' },
  });
  const [user] = (body.result?.records[0]?.Item6.Users ?? []) as unknown as { Code?: string }[];
  return user?.Code ?? '';
}

export const withPassword = { Password: chosen, ConfirmPassword: chosen };

/** A browser page below `/account/`. */
export interface AccountPage extends Visit {
  /** Loads a page below `/account/`. */
  open(path?: string): Promise<void>;
  field(label: string): Locator;
  press(button: string): Promise<void>;
  follow(link: string): Promise<void>;
  heading(title: string): Promise<void>;
  signIn(username: string, password?: string): Promise<void>;
}

export async function visitAccount(
  service: TestService,
  options: Parameters<typeof visit>[1] = {},
): Promise<AccountPage> {
  const person = await visit(service, options);
  const { page, url } = person;
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  return {
    ...person,
    open: async (path = '') => {
      await page.goto(`${url}/account/${path}`);
    },
    field,
    press,
    follow: (name) => page.getByRole('link', { name, exact: true }).click(),
    heading: (name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor(),
    async signIn(username, password = chosen) {
      await field('Username').fill(username);
      await field('Password').fill(password);
      await press('Sign in');
    },
  };
}

export async function expectText(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}

/** Fails if the page has stored anything beside the language, or has a code or token in its address. */
export async function expectNoTraces(page: Page, code: string): Promise<void> {
  const stored = await page.evaluate<string>(
    `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])`,
  );
  expect(stored).not.toMatch(/ag[tr]_/);
  expect(stored).not.toContain(code);
}
