import { login } from '@anagrafe/testing/login';
import { waitLimitMs } from '@anagrafe/testing/until';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { enter, useConsole, type Visit, visit } from './browser.ts';
import { enterNew, rowOf, takePassword } from './principals.ts';

const { service, office } = await useConsole();
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
  person.expectStatus(422);
  person.expectStatus(502);
});

/** Lets the service process the calls, but answers them with 502; returns a function that ends this. */
async function loseAnswers(page: Page, path: string): Promise<() => Promise<void>> {
  await page.route(`**${path}`, async (route) => {
    await route.fetch({ timeout: waitLimitMs });
    await route.fulfill({ status: 502, body: 'Bad gateway' });
  });
  return () => page.unroute(`**${path}`);
}

/** Submits a form, waits for the error that its answer was lost, and submits it again. */
async function pressTwice(page: Page, submit: string, path: string): Promise<void> {
  const restoreAnswers = await loseAnswers(page, path);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: submit }).click();
  const alert = dialog.getByRole('alert').filter({ hasText: 'Unexpected answer' });
  await alert.waitFor();
  await restoreAnswers();
  await dialog.getByRole('button', { name: submit }).click();
}

describe('a form that is submitted again after an error', () => {
  it('inserts a principal once if the first answer was lost', async () => {
    const { page } = person;
    await enter(person, '/principals', office);
    await page.getByRole('button', { name: 'New principal' }).first().click();
    await page.getByRole('dialog').getByLabel('Company name').fill('Once Srl');
    await pressTwice(page, 'Create', '/irs/insert');
    await page.getByRole('heading', { name: 'Once Srl', level: 1 }).waitFor();
    const { body } = await service.call('irs/list', { Search: 'Once Srl' }, { headers: office });
    expect(body.result?.records).toHaveLength(1);
  });

  it('registers a user once and shows its password if the first answer was lost', async () => {
    const { page } = person;
    await enterNew(service, office, person, 'Again Srl');
    await page.getByRole('button', { name: 'Register user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Username').fill('once.registered');
    await dialog.getByLabel('Password', { exact: true }).fill('una frase lunga davvero');
    await dialog.getByText('This password meets the requirements.').waitFor();
    await pressTwice(page, 'Register user', '/irs/update');
    expect(await takePassword(page)).toBe('una frase lunga davvero');
    await rowOf(page, 'Users', /once\.registered/).waitFor();
    expect((await login(service, 'once.registered', 'una frase lunga davvero')).status).toBe(200);
  });

  it('succeeds once the reason of the error no longer exists', async () => {
    const { page } = person;
    await enterNew(service, office, person, 'Refused Srl');
    const id = Number(new URL(page.url()).pathname.split('/').at(-1));
    const setState = (State: string) => service.call('irs/state', [{ ID: id, State }], { headers: office });
    await page.getByRole('button', { name: 'Register user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Username').fill('later.registered');
    await dialog.getByLabel('Password', { exact: true }).fill('una frase lunga davvero');
    await dialog.getByText('This password meets the requirements.').waitFor();
    await setState('disabled');
    await dialog.getByRole('button', { name: 'Register user' }).click();
    await dialog.getByRole('alert').waitFor();
    await setState('active');
    await dialog.getByRole('button', { name: 'Register user' }).click();
    await takePassword(page);
  });
});
