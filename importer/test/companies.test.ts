import { readFile } from '@anagrafe/testing/import-file';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Companies } from '../src/import/companies.ts';
import { noAliases } from '../src/import/principal-aliases.ts';
import { principalKeyOf } from '../src/import/records.ts';
import { compareRows, RowComparer } from '../src/import/row-comparer.ts';
import { combineRows } from '../src/index.ts';

const header = 'ExternalKey;Denomination;Surname;Name;Vatnumber;Taxcode;PrincipalEmail;Username';

async function assign(lines: readonly string[]) {
  const { rows } = await readFile(`${header}\n${lines.join('\n')}\n`, { withoutPasswords: true });
  const companies = new Companies();
  for (const row of rows) companies.add(row);
  const assigned = companies.assign(rows);
  const known = assigned.rows.filter(({ number }) => !assigned.errors.has(number));
  const records = new Map<string, number[]>();
  for (const row of known) {
    const key = (row.kind !== 'invalid' && principalKeyOf(row)) || '';
    records.set(key, [...(records.get(key) ?? []), row.number]);
  }
  const codes = [...assigned.errors].map(([number, [error]]) => [number, error?.code]);
  return { records: [...records.values()], codes };
}

describe('rows without a key', () => {
  it.each([
    ['a VAT number', [';;;;01234567897;;;a', ';;;;IT 01234567897;;;b', ';;;;1234567897;;;c'], [[1, 2, 3]]],
    ['a tax code', [';;;;;RSSMRA80A01H501U;;a', ';;;;;rssmra80a01h501u;;b'], [[1, 2]]],
    ['a name', [';Alfa Srl;;;;;;a', ';ALFA  SRL;;;;;;b', ';Beta;;;;;;c'], [[1, 2], [3]]],
    ['the VAT number of a name', [';Alfa;;;01234567897;;;a', ';Alfa;;;;;;b'], [[1, 2]]],
    ['the VAT number of a tax code', [';Alfa;;;01234567897;X1;;a', ';;;;;X1;;b'], [[1, 2]]],
    ['the key of a name', ['C1;Alfa;;;;;;a', ';Alfa;;;;;;b'], [[1, 2]]],
    ['the key of a VAT number', ['C1;;;;01234567897;;;a', ';;;;01234567897;;;b'], [[1, 2]]],
    ['the key of the VAT number of a name', ['C1;;;;9;;;a', ';Alfa;;;9;;;b', ';Alfa;;;;;;c'], [[1, 2, 3]]],
  ])('are of one principal if they have %s in common', async (_, lines, expected) => {
    const { records, codes } = await assign(lines);
    expect(codes).toEqual([]);
    expect(records).toEqual(expected);
  });

  it.each([
    ['two VAT numbers', [';Alfa;;;1;;;a', ';Alfa;;;2;;;b', ';Alfa;;;;;;c'], [[3, 'COMPANY_AMBIGUOUS']]],
    ['two keys', ['C1;Alfa;;;;;;a', 'C2;Alfa;;;;;;b', ';Alfa;;;;;;c'], [[3, 'COMPANY_AMBIGUOUS']]],
    [
      'two people',
      [';;Rossi;Mario;;;;a', ';;Rossi;Mario;;;;b'],
      [
        [1, 'COMPANY_AMBIGUOUS'],
        [2, 'COMPANY_AMBIGUOUS'],
      ],
    ],
    [
      'numbers that name each other',
      [';;;;1;2;;a', ';;;;2;1;;b'],
      [
        [1, 'COMPANY_AMBIGUOUS'],
        [2, 'COMPANY_AMBIGUOUS'],
      ],
    ],
  ])('are refused if their values belong to several companies: %s', async (_, lines, expected) => {
    expect((await assign(lines)).codes).toEqual(expected);
  });

  it('are refused if nothing identifies their company', async () => {
    expect((await assign([';;;;;;info@example.com;a'])).codes).toEqual([[1, 'COMPANY_UNKNOWN']]);
  });

  it('are principals of their own if they are people with different names', async () => {
    expect((await assign([';;Rossi;Mario;;;;a', ';;Rossi;Anna;;;;b'])).records).toEqual([[1], [2]]);
  });

  it('are never joined with a company that another value of them contradicts', async () => {
    const value = fc.constantFrom('', 'A', 'B', 'C');
    const line = fc.record({ key: value, name: value, vat: value, tax: value });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 12 }), async (lines) => {
        const { rows } = await readFile(
          `${header}\n${lines.map(({ key, name, vat, tax }, at) => `${key};${name};;;${vat};${tax};;u${at}`).join('\n')}\n`,
          { withoutPasswords: true },
        );
        const companies = new Companies();
        for (const row of rows) companies.add(row);
        const { rows: assigned, errors: unknown } = companies.assign(rows);
        const known = assigned.filter(({ number }) => !unknown.has(number));
        const { errors } = compareRows(known, new RowComparer('update', { isStrict: true }), noAliases);
        for (const { members } of combineRows(known.filter(({ number }) => !errors.has(number))).groups)
          for (const field of ['Denomination', 'Vatnumber', 'Taxcode'])
            expect(new Set(members.flatMap(({ fields }) => fields[field] ?? [])).size).toBeLessThanOrEqual(1);
      }),
    );
  });
});
