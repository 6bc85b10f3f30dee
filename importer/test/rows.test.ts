import { cut, readFile } from '@anagrafe/testing/import-file';
import { describe, expect, it } from 'vitest';
import { estimateRows, inBatches } from '../src/import/batches.ts';
import { type ImportRow, interpretRows, openImportFile, recogniseColumns } from '../src/index.ts';

const csv = { format: 'csv', header: ['Nome utente', 'Password', 'ID'] } as const;

describe('corrected rows', () => {
  it('are interpreted as if they had been read from the file', () => {
    const rows = interpretRows(
      [
        { number: 4, line: 9, source: ['anna', '=segreto', '1'] },
        { number: 7, line: 12, source: ['', 'segreto', '1'] },
        { number: 8, line: 13, source: null },
        { number: 9, line: 14, source: ['a\0', 'segreto', '1'] },
        { number: 10, line: 15, source: ['anna', 'segreto', '1', 'surplus'] },
      ],
      csv,
      {},
    );
    expect(rows).toMatchObject([
      { kind: 'user', number: 4, line: 9, user: { Username: 'anna', Password: '=segreto' } },
      { kind: 'invalid', number: 7, errors: [{ code: 'UNRECOGNISED_USER' }] },
      { kind: 'invalid', number: 9, errors: [{ code: 'NUL_CHARACTER', params: { line: 14 } }] },
      { kind: 'invalid', number: 10, errors: [{ code: 'TOO_MANY_CELLS' }] },
    ]);
  });

  it('are interpreted by the column mapping and the default principal', () => {
    const source = { Conto: 'anna', Password: 'segreto' };
    const options = { columns: { Conto: 'Username', Password: 'Password' }, principal: { ID: 3 } } as const;
    const layout = { format: 'ndjson', header: ['Conto', 'Password'] } as const;
    expect(interpretRows([{ number: 1, line: 1, source }], layout, options)).toMatchObject([
      { kind: 'user', principal: { ID: 3 }, user: { Username: 'anna' } },
    ]);
  });

  it('are refused as a whole if a required column is not mapped', () => {
    const options = { columns: { 'Nome utente': null } };
    expect(() => interpretRows([], csv, options)).toThrow('There is no column for Username.');
  });

  it('have columns that are recognised by name', () => {
    expect(recogniseColumns(['E-mail', 'Note', '']).map(({ field, kind }) => [field, kind])).toEqual([
      ['Email', 'known'],
      [null, 'unknown'],
      [null, 'unnamed'],
    ]);
  });
});

it('a JSON row that cannot be parsed has its text, to correct it', async () => {
  const broken = '{"ID": 1, "Username": "anna" "Password": "è"}';
  for (const text of [`[${broken} , {"ID": 2}]`, `{"ID": 1, "Username": "a"}\n  ${broken}\r\n`]) {
    const { rows } = await readFile(text);
    expect(rows.find(({ source }) => source === null)).toMatchObject({ kind: 'invalid', text: broken });
  }
});

describe('the batches of a file', () => {
  const header = 'ID,Username,Password\n';
  const numbersOf = async (text: string, limits: { rows: number; characters: number }, after = 0) => {
    const batches: number[][] = [];
    for await (const { rows } of inBatches(await openImportFile(cut(text)), limits, after))
      batches.push(rows.map(({ number }) => number));
    return batches;
  };
  const text = header + Array.from({ length: 7 }, (_, n) => `1,user ${n},${'x'.repeat(n)}\n`).join('');

  it('end at a number of rows or of characters', async () => {
    expect(await numbersOf(text, { rows: 3, characters: 1000 })).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(await numbersOf(text, { rows: 1000, characters: 20 })).toEqual([
      [1, 2, 3],
      [4, 5],
      [6, 7],
    ]);
  });

  it('have twenty times as many rows if these are not sorted by principal, so that they have fewer records', async () => {
    const rowsOf = (id: (n: number) => number, count: number) =>
      header + Array.from({ length: count }, (_, n) => `${id(n)},user ${n},x\n`).join('');
    const sizesOf = async (text: string) =>
      (await numbersOf(text, { rows: 4, characters: 9e9 })).map(({ length }) => length);
    expect(await sizesOf(rowsOf((n) => 1 + (n % 2), 100))).toEqual([80, 20]);
    expect(await sizesOf(rowsOf((n) => 1 + Math.floor(n / 2), 10))).toEqual([4, 4, 2]);
    expect(await sizesOf(rowsOf((n) => 1 + n, 10))).toEqual([4, 4, 2]);
  });

  it('are the same after a batch as in one run', async () => {
    expect(await numbersOf(text, { rows: 1000, characters: 20 }, 3)).toEqual([
      [4, 5],
      [6, 7],
    ]);
    expect(await numbersOf(text, { rows: 3, characters: 1000 }, 7)).toEqual([]);
  });

  it('have the same limits for the rows that are skipped, and end at the last one of them', async () => {
    const skippedOf = async (after: number) => {
      const skipped: number[][] = [];
      const batches: number[][] = [];
      const file = await openImportFile(cut(text));
      const onSkipped = async (rows: readonly ImportRow[]) => {
        skipped.push(rows.map(({ number }) => number));
      };
      for await (const { rows } of inBatches(file, { rows: 3, characters: 1000 }, after, onSkipped))
        batches.push(rows.map(({ number }) => number));
      return { skipped, batches };
    };
    expect(await skippedOf(0)).toEqual({ skipped: [], batches: [[1, 2, 3], [4, 5, 6], [7]] });
    expect(await skippedOf(4)).toEqual({ skipped: [[1, 2, 3], [4]], batches: [[5, 6, 7]] });
    expect(await skippedOf(7)).toEqual({ skipped: [[1, 2, 3], [4, 5, 6], [7]], batches: [] });
  });

  it('report the bytes that were read', async () => {
    for await (const { bytesRead } of inBatches(await openImportFile(cut(text)), {
      rows: 9,
      characters: 9e9,
    }))
      expect(bytesRead).toBe(text.length);
  });

  it('estimate the number of rows of the file from its bytes, rounded so that it changes seldom', () => {
    const csv = { layout: { format: 'csv', encoding: null, separator: ',', header: [] } } as const;
    const estimate = (rowsRead: number, bytesRead: number) =>
      estimateRows({ rowsRead, bytesRead }, csv, 100_000_000);
    expect(estimate(2345, 200_000)).toEqual({ rows: 1_200_000, isEstimated: true });
    expect(estimate(4702, 400_000)).toEqual({ rows: 1_200_000, isEstimated: true });
    expect(estimate(1_171_717, 99_999_999)).toEqual({ rows: 1_200_000, isEstimated: true });
    expect(estimate(1_171_718, 100_000_000)).toEqual({ rows: 1_171_718, isEstimated: false });
    const workbook = { layout: { ...csv.layout, sheet: 'Users' } };
    expect(estimateRows({ rowsRead: 5, bytesRead: 10 }, workbook, 100)).toBeNull();
  });
});
