import { credential } from '@anagrafe/testing/admin';
import { beforeEach, describe, expect, it } from 'vitest';
import { chooseKeys, signIn, useConsole, type Visit, visit } from '../browser.ts';
import { comeBack } from './ended.ts';

const { service, office } = await useConsole();
let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

const heading = (name: string) => person.page.getByRole('heading', { name, level: 1 });
const signedInAsOffice = () => person.page.getByText('Signed in as office').filter({ visible: true });

describe('the sign-in form', () => {
  it('accepts the two keys and opens the requested page, and returns after a sign-out', async () => {
    const { page, goTo } = person;
    await goTo('/clients');
    await heading('Sign in').waitFor();
    await expect.poll(() => page.title()).toBe('Sign in · Anagrafe');
    await signIn(page, office);
    await heading('API clients').waitFor();
    await expect.poll(() => page.title()).toBe('API clients · Anagrafe');
    await signedInAsOffice().waitFor();

    await page.getByRole('button', { name: 'Sign out' }).filter({ visible: true }).click();
    await heading('Sign in').waitFor();
    await page.reload();
    await heading('Sign in').waitFor();
    expect(await page.getByText('Your session has expired').count()).toBe(0);
  });

  it('accepts both keys pasted into one field', async () => {
    await person.goTo('');
    await signIn(person.page, { SyncPublicKey: `${office.SyncPublicKey}.${office.SyncSecretKey}` });
    await signedInAsOffice().waitFor();
  });

  it('shows the error of a failed sign-in, and accepts another attempt', async () => {
    const { page, goTo, expectStatus } = person;
    expectStatus(401);
    expectStatus(403);
    await goTo('');
    await chooseKeys(page);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Enter both keys.').waitFor();
    await signIn(page, { ...office, SyncSecretKey: 'ags_wrong' });
    await page.getByRole('alert').filter({ hasText: 'The credential is not valid' }).waitFor();
    await signIn(page, await credential(service, { name: 'reader', scopes: ['sync:read'] }));
    await page.getByRole('alert').filter({ hasText: 'requires the scope admin' }).waitFor();
    await signIn(page, office);
    await signedInAsOffice().waitFor();
  });
});

describe('a session that has ended', () => {
  it('shows the sign-in form with the reason, and then the same page again', async () => {
    const { page, goTo, expectStatus } = person;
    await goTo('/clients');
    await signIn(page, office);
    await page.getByRole('row', { name: /office/ }).waitFor();

    await service.database.query('delete from anagrafe.console_sessions');
    expectStatus(401);
    await page.getByRole('button', { name: 'New client' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('late');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await heading('Sign in').waitFor();
    await page.getByText('Your session has expired.').waitFor();
    await signIn(page, office);
    await page.getByRole('row', { name: /office/ }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/clients');
    expect(await page.getByRole('row', { name: /late/ }).count()).toBe(0);
  });
});

describe('a sign-out that fails', () => {
  it('hides the page anyway, and shows an error until a retry succeeds', async () => {
    const { page, goTo, expectStatus } = person;
    await goTo('/clients');
    await signIn(page, office);
    await page.getByRole('row', { name: /office/ }).waitFor();
    await page.route('**/console/session', (route, request) =>
      request.method() === 'DELETE' ? route.fulfill({ status: 502, body: 'Bad gateway' }) : route.continue(),
    );
    expectStatus(502);
    await page.getByRole('button', { name: 'Sign out' }).filter({ visible: true }).click();
    await heading('Sign in').waitFor();
    const alert = page.getByRole('alert').filter({ hasText: 'Sign-out failed' });
    await alert.waitFor();
    await expect.poll(() => page.getByRole('table').count()).toBe(0);
    expect(await comeBack(page)).toBe(0);
    await heading('Sign in').waitFor();

    await page.unroute('**/console/session');
    await alert.getByRole('button', { name: 'Retry' }).click();
    await alert.waitFor({ state: 'hidden' });
    await page.reload();
    await heading('Sign in').waitFor();
  });
});

describe('a service that cannot be reached', () => {
  it('is reported with a button to try again', async () => {
    const { page, goTo } = person;
    await goTo('');
    await signIn(page, office);
    await heading('Overview').waitFor();
    await page.route('**/admin/v1/clients', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }));
    person.expectStatus(502);
    await page.getByRole('link', { name: 'API clients' }).first().click();
    const alert = page.getByRole('alert').filter({ hasText: 'Loading failed' });
    await alert.waitFor();
    await alert.getByText('Unexpected answer').waitFor();
    await page.unroute('**/admin/v1/clients');
    await alert.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('row', { name: /office/ }).waitFor();
  });
});
