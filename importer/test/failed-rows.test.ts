import { anyHeader, bytesOf, cellsOf, errorsOf, type Read, readFile } from '@anagrafe/testing/import-file';
import { runs } from '@anagrafe/testing/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, FailedRows } from '../src/index.ts';

/** Writes all rows of a file to a file of failed rows, and returns its bytes. */
function failed(read: Read): Uint8Array {
  if (!read.file) throw new Error('There is no file.');
  const rows = new FailedRows(read.file.layout);
  return bytesOf(rows.head + read.rows.map((row) => rows.row(row, ['Too short.', '=Odd'])).join(''));
}

const separators = [',', ';', '\t', '|'];
const anyCell = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...'=+-@＝＋－＠',
      "'",
      "'",
      ' ',
      '\t',
      '\r',
      '\n',
      '"',
      '\0',
      '\ufeff',
      '\u00a0',
      ...separators,
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 6,
});

describe('a file of failed rows', () => {
  it('has the columns of the original file after two columns of its own', async () => {
    const read = await readFile('ID;Username;Note;Password\r\n1;mario;"a;b";=1+1\r\n');
    expect(Buffer.from(failed(read)).toString()).toBe(
      '\ufeffAnagrafe line;Anagrafe errors;ID;Username;Note;Password\r\n' +
        '2;Too short. =Odd;1;mario;"a;b";\'=1+1\r\n',
    );
  });

  it('has the same cells after it is read and written repeatedly', async () => {
    const rows = fc.array(fc.array(anyCell, { minLength: 3, maxLength: 5 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.constantFrom(...separators),
        fc.array(anyCell, { maxLength: 2 }),
        async (cells, separator, names) => {
          const header = [...anyHeader, ...names.map((name, at) => `=${at}${name}`)];
          const text = [header, ...cells].map((line) => quotedLine(line, separator)).join('');
          const first = await readFile(text, { separator, keepsTotals: true });
          expect(first.error?.code ?? null).toBe(
            header.some((name) => name.includes('\0')) ? 'NUL_IN_HEADER' : null,
          );
          if (first.error) return;
          expect(cellsOf(first)).toEqual(cells);
          const second = await readFile(failed(first), { separator, keepsTotals: true });
          const third = await readFile(failed(second), { separator, keepsTotals: true });
          for (const again of [second, third]) {
            expect(again.error).toBeNull();
            expect(cellsOf(again)).toEqual(cells);
            expect(again.file?.columns).toEqual(first.file?.columns);
            expect(Object.values(errorsOf(again)).map(codes)).toEqual(
              Object.values(errorsOf(first)).map(codes),
            );
            expect(again.rows.map(meaning)).toEqual(first.rows.map(meaning));
          }
        },
      ),
      runs(200),
    );
  });

  it('is recognised even if one of its own columns was deleted', async () => {
    const text = Buffer.from(failed(await readFile(`${anyHeader.join(';')}\n=a;b;c;d\n`))).toString();
    const read = await readFile(text.replace('Anagrafe errors;', '').replace('Too short. =Odd;', ''));
    expect(read.file?.unknown).toEqual(['Note']);
    expect(cellsOf(read)).toEqual([['=a', 'b', 'c', 'd']]);
  });

  it('is distinguished from other files, in which apostrophes are kept', async () => {
    const read = await readFile(`${anyHeader.join(';')}\n'=a;'b;''-c;d\n`);
    expect(cellsOf(read)).toEqual([["'=a", "'b", "''-c", 'd']]);
  });

  it('has no cells for a row that could not be split, so that it fails again', async () => {
    const read = await readFile(failed(await readFile(`${anyHeader.join(';')}\n"a"b;c;d;e\n`)));
    expect(errorsOf(read)).toEqual({ 1: [{ code: 'TOO_FEW_CELLS', expected: 4, found: 0 }] });
  });

  it('is NDJSON if the rows came from JSON', async () => {
    const rows = [
      { ID: 1, Username: 'mario', Password: '=a', __proto__: null, Note: 'x' },
      { ID: 2, Users: [{ Username: 'anna' }] },
    ];
    const first = await readFile(JSON.stringify(rows));
    const second = await readFile(failed(first));
    expect(second.file?.layout.format).toBe('ndjson');
    expect(second.file?.unknown).toEqual(['Note']);
    expect(second.rows.map(({ source }) => source)).toEqual(first.rows.map(({ source }) => source));
    expect(second.rows.map(meaning)).toEqual(first.rows.map(meaning));
    expect(second.rows[1]).toMatchObject({ kind: 'record', record: rows[1] });
  });
});

describe('a written CSV line', () => {
  it.each([
    '=1',
    '+1',
    '-1',
    '@a',
    '\ta',
    '\ra',
    '\na',
    ' =1',
    '\u00a0 +1',
    '＝1',
    '＋1',
    '－1',
    '＠a',
    "'=1",
  ])('has an apostrophe before %j, which a spreadsheet would read as a formula', (cell) => {
    expect(csvLine([cell], ';').replace(/^"/, '')).toMatch(/^'/);
  });

  it.each(['a=1', '1-1', "'a", 'mario@example.com', '', ' a'])('contains %j unchanged', (cell) => {
    expect(csvLine(['x', cell], ';').replaceAll('"', '')).toBe(`x;${cell}\r\n`);
  });
});

function quotedLine(cells: readonly string[], separator: string): string {
  return `${cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(separator)}\r\n`;
}

function codes(errors: unknown[]): unknown[] {
  return (errors as { code: string }[]).map(({ code }) => code);
}

function meaning(row: Read['rows'][number]): unknown {
  if (row.kind === 'user') return [row.principal, row.user];
  return row.kind === 'record' ? row.record : row.errors.map(({ code }) => code);
}
