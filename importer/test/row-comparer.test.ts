import { readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';
import { noAliases } from '../src/import/principal-aliases.ts';
import { compareRows, RowComparer } from '../src/import/row-comparer.ts';
import type { ExistingPolicy } from '../src/index.ts';

const header = 'ID,ExternalKey,Denomination,Vatnumber,PrincipalEmail,Username';

/** Compares the rows of a file and returns the errors of each. */
async function compare(
  lines: readonly string[],
  existing: ExistingPolicy = 'refuse',
  options: { isStrict?: boolean } = {},
) {
  const { rows } = await readFile(`${header}\n${lines.join('\n')}\n`, { withoutPasswords: true });
  const comparer = new RowComparer(existing, options);
  return rows.map((row) => comparer.compare(row));
}

describe('rows of one principal', () => {
  it.each(['refuse', 'update'] as const)(
    'contradict each other if a value differs, with both values and the earlier line, for the policy %s',
    async (existing) => {
      const lines = [',300,Alfa,01111111111,,anna', ',300,Beta,02222222222,,mario', ',301,Beta,,,pia'];
      expect(await compare(lines, existing)).toEqual([
        [],
        [
          {
            column: 'Denomination',
            code: 'CONTRADICTS_ROW',
            contradiction: { value: 'Beta', earlier: 'Alfa', line: 2, unit: 'line' },
            message: '"Beta" contradicts line 2, which has "Alfa" for the same principal.',
          },
          expect.objectContaining({ column: 'Vatnumber' }),
        ],
        [],
      ]);
    },
  );

  it('agree if a value is missing or equal', async () => {
    const results = await compare([',1,Alfa,,,a', ',1,,,,b', ',1,Alfa,3,,c', ',1,,3,,d', '1,,Beta,,,e']);
    expect(results.flat()).toEqual([]);
  });

  it('are compared with the first row, not with one that was refused', async () => {
    const results = await compare([',1,Alfa,,,a', ',1,Beta,9,,b', ',1,Beta,,,c', ',1,Alfa,8,,d']);
    expect(results.map(({ length }) => length)).toEqual([0, 1, 1, 0]);
  });

  it('are compared with a value that the service refuses only in a strict comparison', async () => {
    const lines = [
      ',1,Alfa,,no address,a',
      ',1,Alfa,,alfa@example.com,b',
      `,1,${'x'.repeat(256)},,,c`,
      '7,1,,,,d',
      '8,1,,,,e',
    ];
    const lengths = async (isStrict: boolean) =>
      (await compare(lines, 'refuse', { isStrict })).map(({ length }) => length);
    expect(await lengths(false)).toEqual([0, 0, 0, 0, 0]);
    expect(await lengths(true)).toEqual([0, 1, 1, 0, 1]);
  });
});

describe('a username that occurs twice', () => {
  it.each(['refuse', 'update'] as const)(
    'is an error of the later row with the policy %s',
    async (existing) => {
      const lines = [',1,Alfa,,,anna', ',2,Beta,,,ANNA', ',2,Beta,,,ＡＮＮＡ', ',2,Beta,,,mario'];
      const results = await compare(lines, existing);
      const codes = results.map((errors) => errors.map(({ code }) => code));
      expect(codes).toEqual([[], ['DUPLICATE_USERNAME'], ['DUPLICATE_USERNAME'], []]);
    },
  );

  it('is not reserved by a row that was refused', async () => {
    const results = await compare([',1,Alfa,,,a', ',1,Beta,,,b', ',2,Beta,,,b']);
    expect(results.map(({ length }) => length)).toEqual([0, 1, 0]);
  });
});

describe('a row that the service will refuse', () => {
  it.each([
    [
      false,
      ['C1,Wrong,,a,no address,', 'C1,Right,,b,b@example.com,', 'C2,Wrong,,c,,perhaps', 'C2,Right,,d,,'],
      [],
    ],
    // All values are compared: those that the service will refuse contradict the others.
    [true, ['C1,Wrong,no address,a,,', 'C1,Right,right@example.com,b,,', 'C1,Right,,c,,'], [1]],
  ])(
    'is not the reference of the others, whatever its place in the file (strict: %s)',
    async (isStrict, lines, expected) => {
      const content = `ExternalKey,Denomination,PrincipalEmail,Username,Email,State\n${lines.join('\n')}\n`;
      const { rows } = await readFile(content, { withoutPasswords: true });
      const errors = compareRows(rows, new RowComparer('refuse', { isStrict }), noAliases);
      expect([...errors.keys()]).toEqual(expected);
    },
  );
});
