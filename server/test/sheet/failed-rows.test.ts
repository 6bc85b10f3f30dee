import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, FailedRows } from '../../../client/src/sheet/index.ts';
import { runs } from '../setup/random.ts';
import { anyHeader, bytesOf, cellsOf, faultsOf, type Read, readSheet } from './reading.ts';

/** Writes all rows of a sheet to a file of failed rows, and returns its bytes. */
function failed(read: Read): Uint8Array {
  if (!read.sheet) throw new Error('There is no sheet.');
  const rows = new FailedRows(read.sheet.layout);
  return bytesOf(rows.head + read.items.map((item) => rows.row(item, ['Too short.', '=Odd'])).join(''));
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
    const read = await readSheet('ID;Username;Note;Password\r\n1;mario;"a;b";=1+1\r\n');
    expect(Buffer.from(failed(read)).toString()).toBe(
      '\ufeffAnagrafe line;Anagrafe faults;ID;Username;Note;Password\r\n' +
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
          const first = await readSheet(text, { separator });
          expect(first.error?.code ?? null).toBe(
            header.some((name) => name.includes('\0')) ? 'NUL_IN_HEADER' : null,
          );
          if (first.error) return;
          expect(cellsOf(first)).toEqual(cells);
          const second = await readSheet(failed(first), { separator });
          const third = await readSheet(failed(second), { separator });
          for (const again of [second, third]) {
            expect(again.error).toBeNull();
            expect(cellsOf(again)).toEqual(cells);
            expect(again.sheet?.columns).toEqual(first.sheet?.columns);
            expect(Object.values(faultsOf(again)).map(codes)).toEqual(
              Object.values(faultsOf(first)).map(codes),
            );
            expect(again.items.map(meaning)).toEqual(first.items.map(meaning));
          }
        },
      ),
      runs(200),
    );
  });

  it('can be read from the end of any of its rows', async () => {
    const bytes = failed(await readSheet(`${anyHeader.join(';')}\n=a;-b;'+c;d\n@e;f;g;h\n`));
    const whole = await readSheet(bytes);
    const from = whole.items[0]?.end;
    if (!from) throw new Error('There is no first row.');
    expect(cellsOf(await readSheet(bytes.subarray(from.byte), { from }))).toEqual([['@e', 'f', 'g', 'h']]);
  });

  it('is recognised even if one of its own columns was deleted', async () => {
    const text = Buffer.from(failed(await readSheet(`${anyHeader.join(';')}\n=a;b;c;d\n`))).toString();
    const read = await readSheet(text.replace('Anagrafe faults;', '').replace('Too short. =Odd;', ''));
    expect(read.sheet?.unknown).toEqual(['Note']);
    expect(cellsOf(read)).toEqual([['=a', 'b', 'c', 'd']]);
  });

  it('is distinguished from other files, in which apostrophes are kept', async () => {
    const read = await readSheet(`${anyHeader.join(';')}\n'=a;'b;''-c;d\n`);
    expect(cellsOf(read)).toEqual([["'=a", "'b", "''-c", 'd']]);
  });

  it('has no cells for a row that could not be split, so that it fails again', async () => {
    const read = await readSheet(failed(await readSheet(`${anyHeader.join(';')}\n"a"b;c;d;e\n`)));
    expect(faultsOf(read)).toEqual({ 1: [{ code: 'WRONG_CELL_COUNT', expected: 4, found: 0 }] });
  });

  it('is NDJSON if the rows came from JSON', async () => {
    const rows = [
      { ID: 1, Username: 'mario', Password: '=a', __proto__: null, Note: 'x' },
      { ID: 2, Users: [{ Username: 'anna' }] },
    ];
    const first = await readSheet(JSON.stringify(rows));
    const second = await readSheet(failed(first));
    expect(second.sheet?.layout.format).toBe('ndjson');
    expect(second.sheet?.unknown).toEqual(['Note']);
    expect(second.items.map(({ source }) => source)).toEqual(first.items.map(({ source }) => source));
    expect(second.items.map(meaning)).toEqual(first.items.map(meaning));
    expect(second.items[1]).toMatchObject({ kind: 'record', record: rows[1] });
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

function codes(faults: unknown[]): unknown[] {
  return (faults as { code: string }[]).map(({ code }) => code);
}

function meaning(item: Read['items'][number]): unknown {
  if (item.kind === 'user') return [item.principal, item.user];
  return item.kind === 'record' ? item.record : item.faults.map(({ code }) => code);
}
