import { allHashed } from '@anagrafe/testing/audit-chain';
import { asUser, login, rightPassword, signedIn } from '@anagrafe/testing/login';
import { newUser } from '@anagrafe/testing/service';
import { beforeEach, describe, expect, it } from 'vitest';
import { enter, startConsole, useConsole, type Visit, visit } from './browser.ts';
import {
  besides,
  chooseForPrincipal,
  enterNew,
  expectBeside,
  insert,
  rowOf,
  takePassword,
} from './principals.ts';

const { service, office } = await useConsole();
await insert(service, office, [
  { Denomination: 'Rossi Srl', ExternalKey: 'C-1000', Vatnumber: 'IT01234567890' },
  { Denomination: 'Comune di Lucca', Users: [newUser('anna.verdi')] },
  ...Array.from({ length: 40 }, (_, n) => ({ Denomination: `Cliente ${n + 1}` })),
]);

let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

describe('the console of a new service', () => {
  it('offers an import and the creation of a client on empty pages', async () => {
    person = await visit(await startConsole());
    const { page, goTo } = person;
    await goTo('/principals');
    await page.getByRole('link', { name: 'Import a file' }).click();
    await page.getByRole('heading', { name: 'Import', level: 1 }).waitFor();
    await goTo('/clients');
    await page.getByText('No clients yet').waitFor();
    await page.getByRole('button', { name: 'Create client' }).click();
    await page.getByRole('dialog', { name: 'New client' }).waitFor();
  });

  it('creates a principal and registers a user with a generated password, who can sign in', async () => {
    const fresh = await startConsole();
    person = await visit(fresh);
    const { page, goTo, expectStatus } = person;
    expectStatus(422);
    await goTo('/principals');
    await page.getByText('No principals yet').waitFor();
    await page.getByRole('button', { name: 'New principal' }).click();
    await page.getByRole('dialog').getByLabel('Company name').fill('Bianchi SpA');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Bianchi SpA', level: 1 }).waitFor();
    await expect.poll(() => page.title()).toBe('Bianchi SpA · Anagrafe');

    await page.getByText('No users yet', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Register user' }).click();
    const dialog = page.getByRole('dialog', { name: 'New user' });
    await dialog.getByLabel('Username').fill('mario.rossi');
    await dialog.getByRole('button', { name: 'Generate' }).click();
    await dialog.getByText('Strong', { exact: true }).waitFor();
    await dialog.getByText('This password meets the requirements.').waitFor();
    await dialog.getByRole('button', { name: 'Register user' }).click();
    const password = await takePassword(page);
    await rowOf(page, 'Users', /mario\.rossi/).waitFor();
    expect((await login(fresh, 'mario.rossi', password)).status).toBe(200);
    expect((await login(fresh, 'mario.rossi', rightPassword)).status).toBe(401);
    await rowOf(page, 'History', /Registered: mario\.rossi\..*local user/).waitFor();
    await rowOf(page, 'History', /Signed in: mario\.rossi\./).waitFor();
  });
});

describe('the principals pages', () => {
  const names = () =>
    person.page.getByRole('table', { name: 'Principals' }).getByRole('link').allInnerTexts();

  it('search by name, external key, VAT number and username while typing, and keep the search in the URL', async () => {
    const { page } = person;
    await enter(person, '/principals', office);
    for (const [typed, found] of [
      ['luc com', 'Comune di Lucca'],
      ['c-1000', 'Rossi Srl'],
      ['IT0123', 'Rossi Srl'],
      ['anna.v', 'Comune di Lucca'],
    ] as const) {
      await page.getByRole('searchbox', { name: 'Search principals' }).pressSequentially(typed);
      await expect.poll(names).toEqual([found]);
      await page.getByText('1 principal', { exact: true }).waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBe(typed);
      await page.getByRole('link', { name: found }).click();
      await page.getByRole('heading', { name: found, level: 1 }).waitFor();
      await page.goBack();
      await expect.poll(names).toEqual([found]);
      await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe(typed);
      await page.getByRole('button', { name: 'Clear search' }).click();
      await expect.poll(async () => (await names()).length).toBe(25);
      await expect.poll(() => new URL(page.url()).search).toBe('');
    }
  });

  it('paginate the list, and a search starts at the first page', async () => {
    const { page } = person;
    await enter(person, '/principals', office);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'Cliente 40' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Cliente 40' }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('page')).toBe('2');
    await page.getByRole('searchbox').fill('rossi');
    await expect.poll(names).toEqual(['Rossi Srl']);
    await expect.poll(() => new URL(page.url()).search).toBe('?search=rossi');
    await page.getByRole('searchbox').fill('nobody at all');
    await page.getByText('No results for "nobody at all"').waitFor();
  });

  it('show the errors of a new principal next to the invalid fields', async () => {
    const { page, expectStatus } = person;
    expectStatus(422);
    await enter(person, '/principals', office);
    await page.getByRole('button', { name: 'New principal' }).click();
    const dialog = page.getByRole('dialog', { name: 'New principal' });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expectBeside(dialog.getByLabel('Company name'), /at least one of/);
    await dialog.getByLabel('External key').fill('C-1000');
    await dialog.getByLabel('Email').fill('no address');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expectBeside(dialog.getByLabel('External key'), /belongs to the principal/);
    await expect.poll(() => page.locator(':focus').and(dialog.getByLabel('External key')).count()).toBe(1);
    await expect.poll(() => besides(dialog.getByLabel('Email'))).toMatch(/not a valid email address/);
    expect(await besides(dialog.getByLabel('Company name'))).toBe('');
    expect(await dialog.getByRole('alert').count()).toBe(0);
  });

  it('show a "not found" page for an unknown or invalid ID', async () => {
    const { page, goTo } = person;
    await enter(person, '/principals/999999', office);
    await page.getByRole('heading', { name: 'Principal not found' }).waitFor();
    await goTo('/principals/rossi');
    await page.getByRole('heading', { name: 'Principal not found' }).waitFor();
    await page.getByRole('link', { name: 'All principals' }).click();
    await page.getByRole('link', { name: 'Rossi Srl' }).waitFor();
  });

  it('disable a principal, which ends the sessions of its users and blocks sign-in until it is enabled', async () => {
    const { page, expectStatus } = person;
    await enterNew(service, office, person, 'Teatro Sociale', 'luca.riva');
    const session = await signedIn(service, 'luca.riva');
    await chooseForPrincipal(page, 'Disable');
    const dialog = page.getByRole('dialog', { name: 'Disable Teatro Sociale' });
    await dialog.getByText(/their sessions end/).waitFor();
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect((await service.call('irs/list', {}, asUser(session))).status).toBe(401);
    expect((await login(service, 'luca.riva')).status).toBe(401);

    expectStatus(422);
    await page.getByRole('button', { name: 'Register user' }).click();
    await page
      .getByRole('dialog')
      .getByText(/This principal is disabled/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    const enable = await chooseForPrincipal(page, 'Enable');
    await enable.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Teatro Sociale enabled.').waitFor();
    expect((await login(service, 'luca.riva')).status).toBe(200);
    await rowOf(page, 'History', /Principal disabled\..*office \(console\)/).waitFor();
    await rowOf(page, 'History', /Principal enabled\./).waitFor();
  });
});

describe('the history of a principal', () => {
  it('is listed newest first, updates itself, and loads older rows by the button', async () => {
    const { page } = person;
    await enterNew(service, office, person, 'Storia Srl', 'sara.storia');
    const ID = Number(new URL(page.url()).pathname.split('/').at(-1));
    const turn = (State: string) => service.call('irs/state', [{ ID, State }], { headers: office });
    for (let n = 0; n < 12; n++) {
      await turn('disabled');
      await turn('active');
    }
    await allHashed(service);
    await page.reload();
    const history = page.getByRole('table', { name: 'History' });
    const historyRows = async () => (await history.getByRole('row').allInnerTexts()).slice(1);
    await expect.poll(async () => (await historyRows()).length).toBe(20);
    await expect.poll(async () => (await historyRows())[0]).toMatch(/Principal enabled\./);
    expect((await historyRows()).join()).not.toMatch(/created/);

    await turn('disabled');
    await expect.poll(async () => (await historyRows())[0]).toMatch(/Principal disabled\./);
    await expect.poll(() => historyRows()).toHaveLength(21);
    await page.getByRole('button', { name: 'Show older' }).press('Enter');
    await page.getByText('No older entries.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Show older');
    await expect.poll(() => historyRows()).toHaveLength(26);
    await expect
      .poll(async () => (await historyRows()).at(-1))
      .toMatch(/Principal created\. Registered: sara\.storia\./);
    await turn('active');
    await expect.poll(async () => (await historyRows()).length).toBe(27);
    await expect.poll(async () => (await historyRows())[0]).toMatch(/Principal enabled\./);
  });

  it('shows who has read the principal when that option is checked', async () => {
    const { page } = person;
    await enterNew(service, office, person, 'Greco Srl');
    await rowOf(page, 'History', /Principal created\..*office/).waitFor();
    expect(await rowOf(page, 'History', /Principal read/).count()).toBe(0);
    await page.getByLabel('Include reads').check();
    await rowOf(page, 'History', /Principal read\..*office \(console\)/)
      .first()
      .waitFor();
  });
});

describe('the principals pages in Italian', () => {
  it('translate the page, the history and the messages of the service', async () => {
    person = await visit(service);
    const { page, expectStatus } = person;
    expectStatus(422);
    await enterNew(service, office, person, 'Costa Srl', 'dario.costa');
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitemradio', { name: 'Italiano' }).click();
    await rowOf(page, 'Utenti', /dario\.costa.*Attivo/).waitFor();
    await rowOf(page, 'Cronologia', /Anagrafica creata\. Registrazione: dario\.costa\./).waitFor();
    await page.getByRole('button', { name: 'Registra utente' }).click();
    const dialog = page.getByRole('dialog', { name: 'Nuovo utente' });
    await dialog.getByLabel('Nome utente').fill('dario.costa');
    await expectBeside(dialog.getByLabel('Nome utente'), /già/);
    await dialog.getByRole('button', { name: 'Genera' }).click();
    await dialog.getByText('Ottima', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Tutte le anagrafiche' }).click();
    await page.getByRole('heading', { name: 'Anagrafiche', level: 1 }).waitFor();
    await page.getByRole('searchbox', { name: 'Cerca anagrafiche' }).fill('costa');
    await page.getByText('1 anagrafica', { exact: true }).waitFor();
  });
});
