import { newUser } from '@anagrafe/testing/service';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectAccessible, expectPartAccessible } from './accessibility.ts';
import { enter, useConsole, type Visit, visit } from './browser.ts';
import { choose, press, said } from './import/importing.ts';
import { insert, rowOf } from './principals.ts';

const { service, office } = await useConsole();
let person: Visit;
let page: Page;

beforeEach(async () => {
  person = await visit(service);
  page = person.page;
  // A dry run in which all rows fail.
  person.expectStatus(422);
  await enter(person, '/sync', office);
});

async function stored(ExternalKey: string) {
  const { body } = await service.call<Record<string, unknown>>(
    'irs/list',
    { ExternalKey },
    { headers: office },
  );
  return body.result?.records[0];
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const changes = 'Changes that the synchronisation would make';
const password = String(newUser('any').Password);

/** Inserts a company with two users, and one that the file of the test does not have. */
async function insertTwo(word: string): Promise<void> {
  await insert(service, office, [
    {
      Denomination: `${word} Srl`,
      ExternalKey: `${word}-1`,
      Users: [newUser(`${word}.resta`, { Email: 'prima@example.com' }), newUser(`${word}.esce`)],
    },
    { Denomination: `${word} cessata`, ExternalKey: `${word}-9` },
  ]);
}

function fileOf(word: string): string {
  return [
    'ExternalKey;Denomination;Username;Email;Password',
    `${word}-1;${word} SpA;${word}.resta;dopo@example.com;`,
    `${word}-1;${word} SpA;${word}.entra;nuova@example.com;${password}`,
    `${word}-2;${word} nuova;${word}.rotta;nessun indirizzo;${password}`,
  ].join('\n');
}

describe('the page of the synchronisation', () => {
  it('shows new, changed, disabled and left out records, applies exactly these, and leads to their undo', async () => {
    await insertTwo('piano');
    await choose(page, 'daily.csv', fileOf('piano'));
    await page.getByLabel('Users that the file does not have').selectOption('Disable');
    await expectAccessible(page);
    await press(page, 'Compare');
    const totals =
      'Principals: 0 new, 1 changed, 0 disabled, 0 unchanged, 1 left out. Users: 1 new, 1 changed, 0 moved, 1 disabled, 0 deleted, 0 unchanged, 1 left out.';
    await page.getByText(totals).waitFor();
    await page.getByText('1 principal with errors left out').waitFor();
    await page
      .getByText(/^Active principals that the file does not have, and that stay active: \d+\.$/)
      .waitFor();
    const row = (name: RegExp) => rowOf(page, changes, name);
    await row(/^piano SpA Change Company name: piano Srl → piano SpA/).waitFor();
    await row(/^piano\.resta piano SpA Change Email: prima@example\.com → dopo@example\.com/).waitFor();
    await row(/^piano\.entra piano SpA Register/).waitFor();
    await row(/^piano\.esce piano SpA Disable/).waitFor();
    await row(/^Line 4 Left out Email: /).waitFor();
    await row(/^piano cessata Keep Not in the file/).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Filter by action').selectOption('Disable (1)');
    await expect.poll(() => page.getByRole('table', { name: changes }).getByRole('row').count()).toBe(2);
    expect(await stored('piano-1')).toMatchObject({ Denomination: 'piano Srl' });

    await press(page, 'Apply changes');
    const dialog = page.getByRole('dialog', { name: 'Disable or delete?' });
    await dialog.getByText('will be disabled or deleted: 1.').waitFor();
    await expectPartAccessible(page, 'dialog');
    await dialog.getByRole('button', { name: 'Apply changes' }).click();
    await said(page, '4 changes applied.');
    await page.getByText(totals).waitFor();
    expect(await stored('piano-1')).toMatchObject({
      Denomination: 'piano SpA',
      Users: [
        { Username: 'piano.resta', Email: 'dopo@example.com', State: 'active' },
        { Username: 'piano.esce', State: 'disabled' },
        { Username: 'piano.entra' },
      ],
    });
    expect(await stored('piano-2')).toBeUndefined();
    await rowOf(page, 'Errors', /^4 Email/).waitFor();
    await page.getByRole('link', { name: 'Show and undo' }).click();
    await page.getByRole('button', { name: 'Show what an undo would do' }).click();
    await page.getByText('Deleted: 0 principals, 1 user. Restored: 3.').waitFor();
    await page.getByRole('button', { name: 'Undo import' }).click();
    await page.getByText('Import undone', { exact: true }).waitFor();
    expect(await stored('piano-1')).toMatchObject({
      Denomination: 'piano Srl',
      Users: [
        { Username: 'piano.resta', Email: 'prima@example.com' },
        { Username: 'piano.esce', State: 'active' },
      ],
    });
  });

  it('disables the principals that the file does not have, after their number is typed if they are many', async () => {
    const others = Array.from({ length: 25 }, (_, n) => ({
      Denomination: `Persa ${n}`,
      ExternalKey: `persa-${n}`,
    }));
    await insert(service, office, [...others, { Denomination: 'Tenuta', ExternalKey: 'tenuta' }]);
    const { body } = await service.call('irs/list', { PageSize: 100 }, { headers: office });
    const active = Number(body.result?.totalCount);
    await choose(page, 'one.csv', 'ExternalKey;Denomination;Username\ntenuta;Tenuta;');
    await page.getByLabel('Principals that the file does not have').selectOption('Disable');
    await press(page, 'Compare');
    await rowOf(page, changes, /^Persa 0 Disable Not in the file/).waitFor();
    await press(page, 'Apply changes');
    const dialog = page.getByRole('dialog');
    const apply = dialog.getByRole('button', { name: 'Apply changes' });
    expect(await apply.isDisabled()).toBe(true);
    await dialog.getByLabel(`Type ${active - 1} to confirm`).fill(String(active - 1));
    await apply.click();
    await said(page, `${active - 1} changes applied.`);
    expect(await stored('persa-24')).toMatchObject({ State: 'disabled' });
    expect(await stored('tenuta')).toMatchObject({ State: 'active' });
  });

  it('moves a user that the file has under another company, and names the old one', async () => {
    await insert(service, office, [
      { Denomination: 'Partenza', ExternalKey: 'move-1', Users: [newUser('mossa.1')] },
      { Denomination: 'Arrivo', ExternalKey: 'move-2' },
    ]);
    await choose(page, 'moves.csv', 'ExternalKey;Username\nmove-2;mossa.1');
    await press(page, 'Compare');
    await rowOf(page, changes, /^mossa\.1 move-2 Move From Partenza/).waitFor();
    await press(page, 'Apply changes');
    await said(page, '1 change applied.');
    expect(await stored('move-2')).toMatchObject({ Users: [{ Username: 'mossa.1' }] });
    expect(await stored('move-1')).toMatchObject({ Users: [] });
  });

  it('moves many users only after their number is typed', async () => {
    const users = Array.from({ length: 25 }, (_, n) => newUser(`tanti.${n}`));
    await insert(service, office, [
      { Denomination: 'Molti', ExternalKey: 'many-1', Users: users },
      { Denomination: 'Nuovi', ExternalKey: 'many-2' },
    ]);
    const rows = users.map(({ Username }) => `many-2;${Username}`);
    await choose(page, 'many.csv', ['ExternalKey;Username', ...rows].join('\n'));
    await press(page, 'Compare');
    await rowOf(page, changes, /^tanti\.0 many-2 Move From Molti/).waitFor();
    await press(page, 'Apply changes');
    const dialog = page.getByRole('dialog', { name: 'Disable, delete or move?' });
    await dialog.getByText('will be disabled, deleted or moved: 25.').waitFor();
    const apply = dialog.getByRole('button', { name: 'Apply changes' });
    expect(await apply.isDisabled()).toBe(true);
    await dialog.getByLabel('Type 25 to confirm').fill('25');
    await apply.click();
    await said(page, '25 changes applied.');
  });

  it('refuses changes if the stored data has changed since, and compares again', async () => {
    await insertTwo('vecchio');
    person.expectStatus(412);
    await choose(page, 'one.csv', 'ExternalKey;Denomination;Username\nvecchio-1;vecchio SpA;vecchio.resta');
    await press(page, 'Compare');
    await rowOf(page, changes, /vecchio Srl → vecchio SpA/).waitFor();
    await service.call('irs/upsert', [{ ExternalKey: 'vecchio-1', Vatnumber: 'IT1' }], { headers: office });
    await press(page, 'Apply changes');
    const alert = page.getByRole('alert').filter({ hasText: 'Synchronisation stopped' });
    await alert.getByRole('button', { name: 'Retry' }).click();
    await alert.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Compare again' }).waitFor();
    expect(await stored('vecchio-1')).toMatchObject({ Denomination: 'vecchio Srl' });
    await rowOf(page, changes, /vecchio Srl → vecchio SpA/).waitFor();
    await press(page, 'Apply changes');
    await said(page, '1 change applied.');
    expect(await stored('vecchio-1')).toMatchObject({ Denomination: 'vecchio SpA', Vatnumber: 'IT1' });
  });

  it.each([
    [
      'rows that contradict each other',
      'ExternalKey;Denomination;Username\nunito-1;Alfa;unito.a\nunito-1;Beta;unito.b',
      /^3 Denomination: "Beta" contradicts line 2/,
    ],
    ['a row that cannot be read', 'ExternalKey;Denomination;Username\nunito-1;Alfa;unito.a;surplus', /^2 /],
    ['a row without a key', 'ExternalKey;Denomination;Username\nunito-1;Alfa;unito.a\n;Beta;unito.b', /^3 /],
  ])('uses nothing of a file with %s', async (_, content, error) => {
    await choose(page, 'wrong.csv', content);
    await page.getByLabel('Users that the file does not have').selectOption('Delete');
    await press(page, 'Compare');
    await page.getByRole('alert').filter({ hasText: 'The file cannot be used' }).waitFor();
    await rowOf(page, 'Errors', error).waitFor();
    expect(await page.getByRole('button', { name: 'Apply changes' }).count()).toBe(0);
    await expectAccessible(page);
  });

  it('shows a principal that looks like another one beside it, in the language of the page', async () => {
    await insert(service, office, [
      { Denomination: 'Simile Srl', ExternalKey: '00777', Vatnumber: '00743110157', Users: [] },
    ]);
    const italian = await visit(service, { locale: 'it-IT' });
    italian.expectStatus(422);
    await enter(italian, '/sync', office);
    const content = `Cod. Cliente;Ragione soc.;P. IVA;Nome utente;Password\n777;Simile Srl;00743110157;simile.a;${password}\n`;
    await choose(italian.page, 'simile.csv', content, 'Scegli un file');
    await press(italian.page, 'Confronta');
    const plan = 'Modifiche che la sincronizzazione farebbe';
    const row = rowOf(italian.page, plan, /^Riga 2 Escluso L'anagrafica somiglia a un'altra\./);
    await row.waitFor();
    const sides = row.getByRole('table');
    await expect
      .poll(async () => (await sides.getByRole('row').allInnerTexts()).map(oneLine))
      .toEqual([
        expect.stringMatching(/^Questa riga In archivio, ID \d+$/),
        'Codice esterno 777 00777',
        'Ragione sociale Simile Srl Simile Srl',
        'Partita IVA 00743110157 00743110157',
        'Codice fiscale vuoto vuoto',
      ]);
    // The link has the colour of the theme, and not that of the browser.
    const colour = "getComputedStyle(document.querySelector('table table a')).color";
    expect(await italian.page.evaluate(colour)).not.toBe('rgb(0, 0, 238)');
    await expectAccessible(italian.page);
  });

  it('reports the rows that cannot be used in the language of the page, with the columns of the file', async () => {
    const italian = await visit(service, { locale: 'it-IT' });
    italian.expectStatus(422);
    await enter(italian, '/sync', office);
    const content =
      'Cod. Cliente;Ragione soc.;Nome utente\nlingua-1;Alfa;lingua.a\nlingua-1;Beta;lingua.b\n;Gamma;lingua.c\n';
    await choose(italian.page, 'lingua.csv', content, 'Scegli un file');
    await press(italian.page, 'Confronta');
    await rowOf(italian.page, 'Errori', /^3 Ragione soc\.: "Beta" contraddice la riga 2/).waitFor();
    await rowOf(italian.page, 'Errori', /^4 La riga non indica l'anagrafica/).waitFor();
  });

  it('keeps rows that seem to be totals when asked', async () => {
    await choose(page, 'totals.csv', 'ExternalKey;Denomination;Username\ntot-1;Uno;tot.uno\nTotale;19;');
    await page.getByText('Rows that seem to be totals or headings are left out: 1 (line 3)').waitFor();
    await page.getByText('totals.csv (1 row)').waitFor();
    await page.getByLabel('Keep these rows: they are data').click();
    await page.getByText('totals.csv (2 rows)').waitFor();
    await page.getByLabel('Keep these rows: they are data').click();
    await page.getByText('totals.csv (1 row)').waitFor();
  });
});
