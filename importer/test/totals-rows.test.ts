import { cellsOf, readFile } from '@anagrafe/testing/import-file';
import { textRow, workbookFiles, zip } from '@anagrafe/testing/workbook-files';
import { describe, expect, it } from 'vitest';
import { FailedRows } from '../src/index.ts';

const header = 'ExternalKey;Denomination;Vatnumber;Username';

async function read(lines: readonly string[], options = {}) {
  const { file, rows } = await readFile(`${header}\n${lines.join('\n')}\n`, {
    withoutPasswords: true,
    ...options,
  });
  return { leftOut: file?.leftOut, rows };
}

describe('a row without a user', () => {
  it.each([
    'Totale;19;;',
    ';Totale;;',
    'TOTALE GENERALE;;19;',
    ';Tot.: 19;;',
    'Totale clienti: 19;;;',
    'Grand Total;;;',
    'Subtotale;12,50 €;;',
    'Somma;;;',
    ';19;;',
    '12;345,50;;',
    'Totale;;;19',
    'Totale generale;6 clienti;;1.200',
  ])('is left out as a total: %s', async (line) => {
    const { leftOut, rows } = await read(['C1;Alfa;;anna', line, 'C2;Beta;;carlo']);
    expect(leftOut).toEqual({ rows: 1, lines: [3] });
    expect(rows.map(({ number, line: at }) => [number, at])).toEqual([
      [1, 2],
      [2, 4],
    ]);
  });

  it.each([
    'C9;Totale Srl;;',
    'C9;Total Energies;;',
    'C9;Somma Lombardo;;',
    '00123;;;',
    'C9;Alfa;01234567897;',
    'C9;Totale;;19',
    'Totale;;;anna',
  ])('stays if it can be data: %s', async (line) => {
    const { leftOut, rows } = await read(['C1;Alfa;;anna', line]);
    expect([leftOut?.rows, rows.length]).toEqual([0, 2]);
  });

  it('is left out if it repeats the headings', async () => {
    const { leftOut, rows } = await read(['C1;Alfa;;anna', header, 'C2;Beta;;carlo']);
    expect(leftOut).toEqual({ rows: 1, lines: [3] });
    expect(rows).toHaveLength(2);
  });

  it('stays with the option keepsTotals', async () => {
    const { leftOut, rows } = await read(['C1;Alfa;;anna', 'Totale;19;;', '', 'Note;Stampato;;'], {
      keepsTotals: true,
    });
    expect([leftOut?.rows, rows.length]).toEqual([0, 3]);
  });

  it('is left out if it ends the file after an empty line', async () => {
    const { leftOut, rows } = await read(['C1;Alfa;;anna', '', 'Note;Stampato da ERP;;', 'Fine;Elenco;;']);
    expect(leftOut).toEqual({ rows: 2, lines: [4, 5] });
    expect(rows).toHaveLength(1);
  });

  it('stays after an empty line if rows with users follow', async () => {
    const { leftOut, rows } = await read(['C1;Alfa;;anna', '', 'C2;Beta;;', 'C3;Gamma;;', 'C2;Beta;;carlo']);
    expect(leftOut?.rows).toBe(0);
    expect(rows.map(({ number, kind }) => [number, kind])).toEqual([
      [1, 'user'],
      [2, 'record'],
      [3, 'record'],
      [4, 'user'],
    ]);
  });

  it('stays after an empty line with more than 100 others', async () => {
    const many = Array.from({ length: 150 }, (_, n) => `C${n};Alfa ${n};;`);
    const { leftOut, rows } = await read(['C0;Alfa 0;;anna', '', ...many]);
    expect([leftOut?.rows, rows.length]).toEqual([0, 151]);
  });

  it('is left out of a workbook, in which empty rows are not stored', async () => {
    const sheet = [
      textRow(1, header.split(';')),
      textRow(2, ['C1', 'Alfa', '', 'anna']),
      textRow(4, ['Fine', 'Elenco']),
      textRow(5, ['Totale', '2']),
    ].join('');
    const bytes = zip(workbookFiles({ sheets: { Clienti: sheet } }));
    const { file, rows } = await readFile(bytes, { withoutPasswords: true });
    expect(file?.leftOut).toEqual({ rows: 2, lines: [4, 5] });
    expect(rows).toHaveLength(1);
  });

  it('is left out of a file of failed rows too, whose first columns were added', async () => {
    const writer = new FailedRows({ format: 'csv', separator: ';', header: header.split(';') });
    const row = (line: number, source: string[]) => writer.row({ line, source }, ['Wrong.']);
    const content = writer.head + row(2, ['C1', 'Alfa', '', 'anna']) + row(3, ['Totale', '19', '', '']);
    const read = await readFile(content, { withoutPasswords: true });
    expect(read.file?.leftOut.rows).toBe(1);
    expect(cellsOf(read)).toEqual([['C1', 'Alfa', '', 'anna']]);
  });
});
