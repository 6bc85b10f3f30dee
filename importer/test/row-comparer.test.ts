import { readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';
import { noAliases } from '../src/import/principal-aliases.ts';
import { compareRows, RowComparer } from '../src/import/row-comparer.ts';
import type { ExistingPolicy } from '../src/index.ts';

const header = 'ID,ExternalKey,Denomination,Vatnumber,PrincipalEmail,Username';

/** Compares the rows of a file and returns the errors of each. */
async function compare(lines: readonly string[], existing: ExistingPolicy = 'refuse') {
  const { rows } = await readFile(`${header}\n${lines.join('\n')}\n`, { withoutPasswords: true });
  const comparer = new RowComparer(existing);
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
});

describe('a username that occurs twice', () => {
  it.each(['refuse', 'update'] as const)(
    'is an error of the later row with the policy %s',
    async (existing) => {
      const lines = [',1,Alfa,,,anna', ',2,Beta,,,ANNA', ',2,Beta,,,ＡＮＮＡ', ',2,Beta,,,mario'];
      const results = await compare(lines, existing);
      const codes = results.map((found) => (found === 'copy' ? found : found.map(({ code }) => code)));
      expect(codes).toEqual([[], ['DUPLICATE_USERNAME'], ['DUPLICATE_USERNAME'], []]);
    },
  );

  it('is not reserved by a row that was refused', async () => {
    const results = await compare([',1,Alfa,,,a', ',1,Beta,,,b', ',2,Beta,,,b']);
    expect(results.map(({ length }) => length)).toEqual([0, 1, 0]);
  });
});

describe('a row with all values of an earlier one', () => {
  it('is a copy, also if the earlier one was refused or other rows are between them', async () => {
    const lines = [',1,Alfa,,,a', ',1,Beta,,,b', ',2,Gamma,,,c', ',1,Alfa,,,a', ',1,Beta,,,b', ',1,Alfa,,,a'];
    const results = await compare(lines);
    expect(results).toMatchObject([[], [{ code: 'CONTRADICTS_ROW' }], [], 'copy', 'copy', 'copy']);
  });

  it('is a copy if it is a JSON record with the same users, but not with some of them', async () => {
    const record = (...names: string[]) =>
      JSON.stringify({ ExternalKey: '1', Users: names.map((Username) => ({ Username, PasswordHash: 'x' })) });
    const { rows } = await readFile([record('a', 'b'), record('a', 'b'), record('a')].join('\n'));
    const comparer = new RowComparer('refuse');
    expect(rows.map((row) => comparer.compare(row))).toMatchObject([
      [],
      'copy',
      [{ code: 'DUPLICATE_USERNAME' }],
    ]);
  });

  it('is no copy without a username, because it does not register anyone twice', async () => {
    expect(await compare([',1,Alfa,,,', ',1,Alfa,,,'])).toEqual([[], []]);
  });
});

describe('a row with a value of its principal that the service will refuse', () => {
  it('contradicts the others in a strict comparison, whatever its place in the file', async () => {
    const lines = ['C1,Wrong,no address,a', 'C1,Right,right@example.com,b', 'C1,Right,,c'];
    const content = `ExternalKey,Denomination,PrincipalEmail,Username\n${lines.join('\n')}\n`;
    const { rows } = await readFile(content, { withoutPasswords: true });
    const errorsOf = (isStrict: boolean) =>
      compareRows(rows, new RowComparer('refuse', { isStrict }), noAliases).errors;
    expect([...errorsOf(true).keys()]).toEqual([1]);
    // Such a row fails alone, by the service.
    expect(errorsOf(false).size).toBe(0);
  });

  it('is no reference of the others, nor is one with such a value of its user', async () => {
    const lines = [
      'C1,Wrong,,a,no address,',
      'C1,Right,,b,b@example.com,',
      'C2,Wrong,,c,,perhaps',
      'C2,Right,,d,,',
    ];
    const content = `ExternalKey,Denomination,PrincipalEmail,Username,Email,State\n${lines.join('\n')}\n`;
    const { rows } = await readFile(content, { withoutPasswords: true });
    expect(compareRows(rows, new RowComparer('refuse'), noAliases).errors.size).toBe(0);
  });
});
