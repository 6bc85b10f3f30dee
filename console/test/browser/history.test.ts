import { allHashed } from '@anagrafe/testing/audit-chain';
import { newUser } from '@anagrafe/testing/service';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from './accessibility.ts';
import { enter, useConsole, visit } from './browser.ts';
import { insert, rowOf } from './principals.ts';

const { service, office } = await useConsole();

const update = (ID: number, fields: object) =>
  service.call('irs/update', [{ ID, ...fields }], { headers: office });

async function stored(ID: number): Promise<Record<string, unknown> | undefined> {
  const { body } = await service.call<Record<string, unknown>>('irs/list', { ID }, { headers: office });
  return body.result?.records[0];
}

/** Inserts a company with a user, edits both and opens its page, or that of the user. */
async function openEdited(
  name: string,
  pageOf: 'principal' | 'user' = 'principal',
  options: Parameters<typeof visit>[1] = {},
) {
  const users = [newUser(`${name}.a`, { Phone: '02 1', Attributes: { Reparto: 'Vendite' } })];
  const [id = 0] = await insert(service, office, [
    { Denomination: `${name} Srl`, ExternalKey: name, Users: users },
  ]);
  const user = Number((await usersOf(id))[0]?.ID);
  await update(id, {
    Denomination: `${name} SpA`,
    NewExternalKey: `${name}-2`,
    Users: [
      {
        Operation: 'edit',
        ID: user,
        Phone: '02 2',
        NewUsername: `${name}.b`,
        Attributes: {},
        State: 'disabled',
      },
    ],
  });
  await allHashed(service);
  const person = await visit(service, options);
  if (options.newContext) await person.page.clock.install();
  await enter(person, pageOf === 'principal' ? `/principals/${id}` : `/users/${user}`, office);
  return { id, user, person, page: person.page };
}

async function usersOf(id: number) {
  return ((await stored(id))?.Users ?? []) as readonly Record<string, unknown>[];
}

/** Restores a value of the oldest row that has changed the field. */
const restore = (page: Page, label: string) =>
  page
    .getByRole('button', { name: `Restore: ${label}`, exact: true })
    .last()
    .click();

describe('the history of a principal', () => {
  it('shows the old and new values of its fields and those of its users', async () => {
    const { page } = await openEdited('mostra');
    const row = rowOf(page, 'History', /Principal changed/);
    await row.getByText('Company name: mostra Srl → mostra SpA').waitFor();
    await row.getByText('External key: mostra → mostra-2').waitFor();
    await row.getByText('mostra.b, Username: mostra.a → mostra.b').waitFor();
    await row.getByRole('button', { name: 'Show all 6 values' }).click();
    await row.getByText('mostra.b, Attributes: Reparto: Vendite → empty').waitFor();
    await row.getByText('mostra.b, State: Active → Disabled').waitFor();
    await expectAccessible(page);
  });

  it('restores the old value of each kind of field by one click', async () => {
    const { page, id } = await openEdited('torna');
    await page.getByRole('button', { name: 'Show all 6 values' }).click();
    for (const label of [
      'Company name',
      'External key',
      'torna.b, Phone',
      'torna.b, Attributes',
      'torna.b, State',
    ]) {
      await restore(page, label);
      await page.getByText(`${label}: old value restored.`).waitFor();
    }
    await restore(page, 'torna.b, Username');
    await page.getByText(/Username: old value restored\./).waitFor();
    expect(await stored(id)).toMatchObject({
      Denomination: 'torna Srl',
      ExternalKey: 'torna',
      Users: [{ Username: 'torna.a', Phone: '02 1', Attributes: { Reparto: 'Vendite' }, State: 'active' }],
    });
  });

  it('reports a value that has changed since, or is stored already, and leaves it as it is', async () => {
    const { page, id, user } = await openEdited('dopo');
    await update(id, { Denomination: 'dopo Snc', NewExternalKey: 'dopo-3' });
    await update(id, { Users: [{ Operation: 'edit', ID: user, Phone: '02 1' }] });
    await restore(page, 'Company name');
    await page
      .getByText('Company name: The value has changed again since, to dopo Snc. Nothing was restored.')
      .waitFor();
    await restore(page, 'External key');
    await page.getByText('External key: The value has changed again since, to dopo-3.').waitFor();
    await restore(page, 'dopo.b, Phone');
    await page.getByText('dopo.b, Phone: The old value is stored already.').waitFor();
    expect(await stored(id)).toMatchObject({ Denomination: 'dopo Snc', ExternalKey: 'dopo-3' });
  });
});

describe('the history of a user', () => {
  it('shows the row of a restored value at once, and not only at the next refresh', async () => {
    const { page } = await openEdited('subito', 'user', { newContext: true });
    await page.getByRole('button', { name: 'Restore: Phone', exact: true }).waitFor();
    // Every timer that is due runs now, so that the next refresh is 3 seconds away.
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    await restore(page, 'Phone');
    await page.getByText('Phone: old value restored.').waitFor();
    await allHashed(service);
    // The first of these answers may have been under way before the row existed.
    for (let n = 0; n < 3; n++) {
      const answer = page.waitForResponse(/admin\/v1\/audit/);
      await page.clock.runFor(250);
      await answer;
    }
    await rowOf(page, 'History', /Phone: 02 2 → 02 1/).waitFor();
  });

  it('describes a lost connection in the language of the page', async () => {
    const { page, person } = await openEdited('staccato', 'user', { locale: 'it-IT' });
    const button = page.getByRole('button', { name: 'Ripristina: Telefono', exact: true });
    await button.waitFor();
    person.expectFailure('/irs/users');
    await page.route('**/irs/users', (route) => route.abort('connectionreset'));
    await button.click();
    await page.getByRole('alert').filter({ hasText: 'Servizio non raggiungibile' }).waitFor();
  });

  it('shows and restores its own values, also in a row with the values of many users', async () => {
    const users = Array.from({ length: 120 }, (_, n) => newUser(`molti.${n}`, { Phone: '02 1' }));
    const [id = 0] = await insert(service, office, [{ Denomination: 'Molti', Users: users }]);
    const all = await usersOf(id);
    await update(id, { Users: all.map(({ ID }) => ({ Operation: 'edit', ID, Phone: '02 2' })) });
    await allHashed(service);
    const last = all.at(-1);
    const person = await visit(service);
    await enter(person, `/users/${last?.ID}`, office);
    const { page } = person;
    await page.getByRole('button', { name: 'Load more values' }).click();
    await rowOf(page, 'History', /Phone: 02 1 → 02 2/).waitFor();
    await restore(page, 'Phone');
    await page.getByText('Phone: old value restored.').waitFor();
    const phones = (await usersOf(id)).map(({ Phone }) => Phone);
    expect(phones.filter((phone) => phone === '02 1')).toHaveLength(1);
    expect(phones.at(-1)).toBe('02 1');
  });

  it('reports that it no longer exists', async () => {
    const { page, person, id, user } = await openEdited('sparito', 'user');
    // The list of the sessions of the user.
    person.expectStatus(404);
    await service.call('irs/delete', [{ ID: id, Users: [{ ID: user }] }], { headers: office });
    await restore(page, 'Phone');
    await page.getByText('Phone: It no longer exists. Nothing was restored.').waitFor();
  });
});

describe('the audit log', () => {
  it('names the principals between which a user has moved', async () => {
    const [from = 0, to = 0] = await insert(service, office, [
      { Denomination: 'Da', Users: [newUser('mosso')] },
      { Denomination: 'A' },
    ]);
    await update(to, { Users: [{ Operation: 'move', Username: 'mosso' }] });
    await allHashed(service);
    const person = await visit(service);
    await enter(person, `/audit?principal=${to}`, office);
    await rowOf(
      person.page,
      'Entries',
      new RegExp(`Moved here from principal ${from}: user \\d+\\.`),
    ).waitFor();
    await person.goTo(`/audit?principal=${from}`);
    await rowOf(person.page, 'Entries', new RegExp(`Moved to principal ${to}: user \\d+\\.`)).waitFor();
  });

  it('is filtered by user, actor, action and day, and the URL has the filter', async () => {
    const { person, page: audit, user } = await openEdited('filtro');
    await person.goTo('/audit');
    await audit.getByRole('textbox', { name: 'User ID' }).fill(String(user));
    await audit.keyboard.press('Enter');
    await audit.getByText(`Entries of user ${user}.`).waitFor();
    await rowOf(audit, 'Entries', /Principal created/).waitFor();
    await audit.getByLabel('Action', { exact: true }).selectOption('Principal or users changed');
    await rowOf(audit, 'Entries', /Principal changed/).waitFor();
    await expect.poll(() => rowOf(audit, 'Entries', /Principal created/).count()).toBe(0);
    await audit.getByLabel('Actor', { exact: true }).selectOption('office');
    await rowOf(audit, 'Entries', /Principal changed/).waitFor();
    await audit.getByLabel('Actor', { exact: true }).selectOption('Service');
    await audit.getByText('No entries match the filter').waitFor();
    await audit.getByRole('button', { name: 'Show all' }).click();
    await audit.getByLabel('To day').fill('2020-01-31');
    await audit.getByText('No entries match the filter').waitFor();
    await audit.getByLabel('To day').fill('2120-01-31');
    await audit.getByLabel('From day').fill('2020-01-31');
    await rowOf(audit, 'Entries', /Principal changed/)
      .first()
      .waitFor();
    expect(new URL(audit.url()).search).toBe('?until=2120-01-31&from=2020-01-31');
    await expectAccessible(audit);
  });
});
