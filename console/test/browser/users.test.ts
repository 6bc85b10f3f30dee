import { signedIn } from '@anagrafe/testing/login';
import { newUser } from '@anagrafe/testing/service';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { enter, openSession, phone, startConsole, useConsole, type Visit, visit } from './browser.ts';
import { insert, rowOf } from './principals.ts';

const { service, office } = await useConsole();
const [rossi] = await insert(service, office, [
  {
    Denomination: 'Rossi Srl',
    ExternalKey: 'C-100',
    Tags: ['nord', 'vip'],
    Users: [
      newUser('mario', { Email: 'Mario.Rossi@example.com', FirstName: 'Mario', LastName: 'De Santis' }),
      newUser('marta', { Email: 'marta@example.com', FirstName: 'Marta', Phone: '02 1234' }),
    ],
  },
  { Denomination: 'Bianchi SpA', Users: Array.from({ length: 30 }, (_, n) => newUser(`clerk.${n}`)) },
  { Name: 'Anna', Surname: 'Neri', ExternalKey: 'N-7', Tags: ['sud'], Users: [newUser('anna.neri')] },
]);
await signedIn(service, 'mario');
await service.call('irs/state', [{ ID: rossi, Users: [{ ID: 2, State: 'disabled' }] }], { headers: office });

let person: Visit;

beforeEach(async () => {
  person = await visit(service);
});

const usernames = async () =>
  (
    await person.page
      .getByRole('table', { name: 'Users' })
      .getByRole('button', { name: /^Actions for/ })
      .evaluateAll((buttons: { ariaLabel: string }[]) => buttons.map(({ ariaLabel }) => ariaLabel))
  ).map((label) => label.replace('Actions for ', ''));

describe('the users page', () => {
  it('lists the users of all principals in pages, with their names, emails and companies', async () => {
    const { page } = person;
    await enter(person, '/users', office);
    await rowOf(
      page,
      'Users',
      /mario Mario De Santis · ID 1 .*Mario\.Rossi@example\.com.*Rossi Srl.*C-100/,
    ).waitFor();
    await rowOf(page, 'Users', /marta.*02 1234.*Disabled never/).waitFor();
    await page.getByText('33 users', { exact: true }).waitFor();
    await expect.poll(async () => (await usernames()).length).toBe(25);
    await page.getByRole('button', { name: 'Next page' }).click();
    await rowOf(page, 'Users', /anna\.neri.*N-7/).waitFor();
    await page
      .getByRole('row', { name: /anna\.neri/ })
      .getByRole('link', { name: 'N-7' })
      .click();
    await page.getByRole('heading', { name: 'Anna Neri', level: 1 }).waitFor();
    await expect
      .poll(() => page.getByRole('searchbox', { name: 'Search users' }).inputValue())
      .toBe('anna.neri');
    await rowOf(page, 'Users', /anna\.neri/).waitFor();
  });

  it('finds users by username, email, names and phone number with one search', async () => {
    const { page } = person;
    await enter(person, '/users', office);
    const field = page.getByRole('searchbox', { name: 'Search users' });
    for (const [term, found] of [
      ['mar', ['mario', 'marta']],
      ['mario.rossi@EXAMPLE.com', ['mario']],
      ['+39 02 1234', ['marta']],
      ['san', ['mario']],
      ['1234', ['marta']],
    ] as const) {
      await field.fill(term);
      await expect.poll(usernames).toEqual(found);
    }
    await page.reload();
    await expect.poll(usernames).toEqual(['marta']);
    await expect.poll(() => field.inputValue()).toBe('1234');
    await field.fill('unknown.user');
    await page.getByText('No results', { exact: true }).waitFor();
  });

  it('sorts by username from the heading, and by registration and last change from the menu', async () => {
    const { page } = person;
    await enter(person, '/users', office);
    await expect.poll(async () => (await usernames())[0]).toBe('mario');
    const heading = page.getByRole('columnheader', { name: 'Username' });
    await heading.getByRole('button').click();
    await expect.poll(async () => (await usernames())[0]).toBe('anna.neri');
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('ascending');
    await heading.getByRole('button').click();
    await expect.poll(async () => (await usernames())[0]).toBe('marta');
    await expect.poll(() => heading.getAttribute('aria-sort')).toBe('descending');
    await page.getByLabel('Sort by').selectOption('Newest first');
    await expect.poll(async () => (await usernames())[0]).toBe('anna.neri');
    await page.reload();
    await expect.poll(async () => (await usernames())[0]).toBe('anna.neri');
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=-ID');
  });

  it('filters by state and by users that have never signed in, beside the search', async () => {
    const { page } = person;
    await enter(person, '/users?search=mar', office);
    await expect.poll(usernames).toEqual(['mario', 'marta']);
    await page.getByLabel('State').selectOption('Disabled');
    await expect.poll(usernames).toEqual(['marta']);
    await page.getByLabel('State').selectOption('All states');
    await page.getByRole('switch', { name: 'Never signed in' }).click();
    await expect.poll(usernames).toEqual(['marta']);
    await page.getByLabel('State').selectOption('Active');
    await page.getByText('No results', { exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('?search=mar&never=true&state=active');
  });

  it('filters by the tags of principals, beside the other filters', async () => {
    const { page } = person;
    await enter(person, '/users', office);
    const field = page.getByRole('textbox', { name: 'Tags' });
    await field.fill('NORD, sud');
    await expect.poll(usernames).toEqual(['mario', 'marta', 'anna.neri']);
    await page.getByText('3 users', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select marta', exact: true }).check();
    await page.getByText('1 user selected.').waitFor();
    await field.fill('vip');
    await expect.poll(usernames).toEqual(['mario', 'marta']);
    // Another list has another selection.
    await page.getByText('2 users', { exact: true }).waitFor();
    await page.getByLabel('State').selectOption('Disabled');
    await expect.poll(usernames).toEqual(['marta']);
    await expect.poll(() => new URL(page.url()).search).toBe('?tags=vip&state=disabled');
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('vip');
    await expect.poll(usernames).toEqual(['marta']);
    await field.fill('none');
    await page.getByText('No results', { exact: true }).waitFor();
  });

  it('is accessible, on a phone with one card per user', async () => {
    const { page } = person;
    await enter(person, '/users', office);
    await rowOf(page, 'Users', /mario/).waitFor();
    await expectAccessible(page);
    await page.setViewportSize(phone);
    await page.getByRole('searchbox').fill('marta@example.com');
    await expect.poll(usernames).toEqual(['marta']);
  });

  it('moves nothing on a phone while it loads', async () => {
    const { page } = person;
    await openSession(person, office);
    await page.setViewportSize(phone);
    await page.addInitScript(
      `globalThis.shift = 0;
       new PerformanceObserver((list) => {
         for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shift += entry.value;
       }).observe({ type: 'layout-shift', buffered: true });`,
    );
    const expectNoShift = async () => {
      // Two frames later the shifts of the last change are known.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      expect(await page.evaluate('shift')).toBeLessThan(0.05);
    };
    await person.goTo('/users');
    await rowOf(page, 'Users', /mario/).waitFor();
    await page.getByText('33 users', { exact: true }).waitFor();
    await expectNoShift();
    const { body } = await service.call<{ ID: number }>(
      'irs/users',
      { Username: 'mario' },
      { headers: office },
    );
    await person.goTo(`/users/${body.result?.records[0]?.ID}`);
    await page.getByText('No mails', { exact: true }).waitFor();
    await rowOf(page, 'History', /mario/).waitFor();
    await expectNoShift();
  });

  it('offers the next steps on an empty service', async () => {
    const empty = await visit(await startConsole());
    await empty.goTo('/users');
    await empty.page.getByText('No users yet').waitFor();
  });
});

describe('the search dialog', () => {
  it('finds a user by email, username and name, and opens its page', async () => {
    const { page } = person;
    await enter(person, '', office);
    for (const term of ['MARIO.rossi@example.com', 'mario', 'de s']) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
      await page.keyboard.type(term);
      await page.getByRole('option', { name: 'mario Mario.Rossi@example.com · Rossi Srl' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('combobox').waitFor({ state: 'detached' });
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('mario.rossi@example.com');
    await page.getByRole('option', { name: /^mario/ }).click();
    await page.getByRole('heading', { name: 'mario', level: 1 }).waitFor();
  });
});
