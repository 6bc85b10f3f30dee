import { canSignIn, storedUsernames } from '@anagrafe/testing/importing';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../accessibility.ts';
import { useConsole } from '../browser.ts';
import { choose, openImport, press, said } from './importing.ts';

const { service, office } = await useConsole();

async function open(content: string): Promise<Page> {
  const page = await openImport(service, office);
  await choose(page, 'records.json', content);
  await press(page, 'Check rows');
  return page;
}

/** The field of a record by its position in an array, or by its line in NDJSON. */
const field = (page: Page, line: number) => page.getByLabel(new RegExp(`^Record(, line)? ${line}$`));
const user = (Username: string, Password = 'una frase lunga') => ({ Username, Password });

/** Moves the focus out of the field, which makes the page validate its text. */
const leave = (page: Page) => page.keyboard.press('Tab');

describe('a whole record with errors', () => {
  it('is corrected as JSON, with the user and the line of every error', async () => {
    const records = [
      { Denomination: 'Uno', Users: [user('uno.a'), user('uno.b')] },
      { Denomination: 'Due', Users: [user('due.a'), user('due.b', 'breve')] },
    ];
    const page = await open(records.map((record) => JSON.stringify(record)).join('\n'));
    await said(page, '1 of 2 rows with errors.');
    await page.getByText(/^User 2, Password \(line 10\): /).waitFor();
    await expect.poll(() => field(page, 1).count()).toBe(0);
    const due = field(page, 2);
    await expect.poll(() => due.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => due.inputValue()).toContain('"Password": "•••••"');
    await due.focus();
    const text = JSON.stringify(records[1], null, 2);
    await expect.poll(() => due.inputValue()).toBe(text);

    await due.fill(text.replace('"breve"', '"una frase abbastanza lunga"').replace('"due.b",', '"due.b"'));
    await leave(page);
    await page.getByText('Line 10, column 7: invalid JSON.').waitFor();
    await due.fill(text.replace('"breve"', '"una frase abbastanza lunga"'));
    await leave(page);
    await page.getByText('OK', { exact: true }).waitFor();
    await expect.poll(() => due.inputValue()).not.toContain('abbastanza');
    await said(page, 'Rows have changed.');
    await press(page, 'Check again');
    await said(page, '2 rows, no errors.');
    await press(page, 'Import 2 rows');
    await said(page, 'Applied: 2.');
    expect(await canSignIn(service, 'due.b', 'una frase abbastanza lunga')).toBe(true);
  });

  it('that is not valid JSON is shown with its original text, in an array and in NDJSON', async () => {
    const page = await open(
      '[{"Denomination":"Tre","Users":[]},\n {"Denomination":"Quattro","Users":[],}\n]',
    );
    await said(page, '1 of 2 rows with errors.');
    await page.getByText('Line 1, column 38: invalid JSON.').waitFor();
    await expect.poll(() => field(page, 2).inputValue()).toBe('{"Denomination":"Quattro","Users":[],}');
    await field(page, 2).fill('{"Denomination":"Quattro","Users":[]}');
    await leave(page);
    await press(page, 'Check again');
    await said(page, '2 rows, no errors.');

    const lines = await open('{"Denomination":"Città","Users":[]}\n{"Denomination":"Caffè" "Users":[]}\n');
    await said(lines, '1 of 2 rows with errors.');
    await expect.poll(() => field(lines, 2).inputValue()).toBe('{"Denomination":"Caffè" "Users":[]}');
  });

  it('is shown as cells if it is flat, and as JSON if cells could not express its values', async () => {
    const rows = [
      { Username: 'flat.1', Password: 'breve', ExternalKey: 'FLAT', Company: 'Flat Srl' },
      { Username: 'flat.2', Password: 918_273_640_182, ExternalKey: 'FLAT', Company: 'Flat Srl' },
    ];
    const page = await open(JSON.stringify(rows));
    await said(page, '2 of 2 rows with errors.');
    await page.getByLabel('Password, record 1').first().fill('una frase lunga');
    const flat = page.getByRole('textbox', { name: /^Record 2$/ });
    await flat.focus();
    await flat.fill((await flat.inputValue()).replace('918273640182', '"918273640182"'));
    await leave(page);
    await press(page, 'Check again');
    await said(page, '2 rows, no errors.');
    await press(page, 'Import 2 rows');
    await said(page, 'Applied: 2.');
    expect(await storedUsernames(service)).toEqual(expect.arrayContaining(['flat.1', 'flat.2']));
  });

  it('with many users, in a large file, is shown as JSON only on request', async () => {
    const records = Array.from({ length: 100 }, (_, n) => ({
      Denomination: `Many ${n}`,
      Users: Array.from({ length: 25 }, (_user, m) => user(`many.${n}.${m}`, 'breve')),
    }));
    const page = await open(JSON.stringify(records));
    await said(page, '100 of 100 rows with errors.');
    await page.getByText('1–25 of 100').waitFor();
    await expect.poll(() => page.getByRole('textbox', { name: /^Record/ }).count()).toBe(0);
    await page.getByText('and 5 more').first().waitFor();
    await page
      .getByRole('button', { name: /^Edit JSON \(25 users\)/ })
      .nth(3)
      .click();
    await page.getByRole('textbox', { name: /^Record/ }).waitFor();
    await expect.poll(() => page.locator(':focus').inputValue()).toContain('"Denomination": "Many 3"');
  });
});

describe('in light and dark, on a desktop and on a phone', () => {
  it('records with errors are accessible', async () => {
    const records = [{ Denomination: 'X', Users: [user('x', 'breve')] }];
    const page = await open(`${JSON.stringify(records[0])}\n{"Users"}\n`);
    await said(page, '2 of 2 rows with errors.');
    await expectAccessible(page);
  });
});
