import { cellsOf, readFile } from '@anagrafe/testing/import-file';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { workbookRow } from '../src/file/failed-rows.ts';
import { writeWorkbook } from '../src/file/workbook-writer.ts';
import { exportedWorkbook, FailedRows } from '../src/index.ts';

const header = ['ExternalKey', 'Denomination', 'Username'];
const options = { withoutPasswords: true, keepsTotals: true };

/** Returns the cells of failed rows after they were written to a workbook, as the importer reads them. */
async function throughWorkbook(rows: readonly string[][]) {
  const writer = new FailedRows({ format: 'csv', separator: ';', header });
  const content =
    writer.head + rows.map((source, at) => writer.row({ line: at + 2, source }, ['No.'])).join('');
  const parsed = await readFile(content, { ...options, preview: true });
  expect(cellsOf(parsed)).toEqual(rows);
  const added = rows.map((source, at) => writer.cells({ line: at + 2, source }, ['No.']));
  const cells = added.map((row) => workbookRow(row));
  return readFile(await writeWorkbook([writer.header, ...cells]), options);
}

describe('a workbook of failed rows', () => {
  it('has text cells, which are read as they were written', async () => {
    const rows = [
      ['00123', 'Caffè & "Città" <Srl>\nUno', '=anna'],
      ["'00123", '_x000D_', "'=anna"],
      ['1E5', ' two  spaces ', '3-4'],
      ['', '', 'last'],
    ];
    const read = await throughWorkbook(rows);
    expect(read.error).toBe(null);
    expect(cellsOf(read)).toEqual(rows);
  });

  it('has the cells of any text', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.stringMatching(/^'{0,2}[=0-9_x-]{1,5}$/),
      fc.constantFrom('_x0041_', '_x005F_', '\r\n', '\ufffe', "'0", "''0", 'MAR-12', "'mar1"),
    );
    const rows = fc.array(fc.tuple(cell, cell, fc.constant('user')), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, async (cells) => {
        const clean = cells.map((row) =>
          row.map((text) => text.replaceAll('\0', '').replace(/[\ud800-\udfff]/g, '')),
        );
        expect(cellsOf(await throughWorkbook(clean))).toEqual(clean);
      }),
      { numRuns: 50 },
    );
  });
});

describe('an export as a workbook', () => {
  it('has the cells of the CSV, however its bytes are divided', async () => {
    const csv = '\ufeffKey,Name\r\n00123,"Caffè, ""Uno""\n=due"\r\n1E5,🙂\r\n';
    const bytes = new TextEncoder().encode(csv);
    async function* inPieces() {
      for (const byte of bytes) yield Uint8Array.of(byte);
    }
    const workbook = new Uint8Array(await new Response(await exportedWorkbook(inPieces())).arrayBuffer());
    const read = await readFile(workbook, { ...options, preview: true });
    expect(cellsOf(read)).toEqual([
      ['00123', 'Caffè, "Uno"\n=due'],
      ['1E5', '🙂'],
    ]);
  });

  it('is written while it is read, and ends the export when the reader leaves', async () => {
    let written = 0;
    let isEnded = false;
    async function* endless() {
      try {
        for (; ; written++) yield new TextEncoder().encode(`${Math.random()},${'x'.repeat(1000)}\n`);
      } finally {
        isEnded = true;
      }
    }
    const reader = (await exportedWorkbook(endless())).getReader();
    for (let size = 0; size < 100_000; ) size += (await reader.read()).value?.length ?? 0;
    await reader.cancel();
    await expect.poll(() => isEnded).toBe(true);
    expect(written).toBeGreaterThan(0);
  });

  it('fails if the export fails', async () => {
    async function* failing() {
      yield new TextEncoder().encode('a,b\n');
      throw new Error('interrupted');
    }
    await expect(new Response(await exportedWorkbook(failing())).arrayBuffer()).rejects.toThrow(
      'interrupted',
    );
  });
});

describe('a number in a CSV file of failed rows', () => {
  const written = (cell: string) =>
    new FailedRows({ format: 'csv', separator: ';', header: ['Key', 'User'] }).row(
      { line: 2, source: [cell, 'a'] },
      [],
    );

  it.each(['00123', '1E5', '2.0', '3-4', '31/12/2026', '123456789012', '12:30', 'MAR-12', 'dic1'])(
    'that a spreadsheet program would change has an apostrophe: %s',
    (cell) => expect(written(cell)).toBe(`2;;'${cell};a\r\n`),
  );

  it.each(['0', '123', '01234x', 'C-1', '12345678901', 'mario1', '3 via'])(
    'stays as it is otherwise: %s',
    (cell) => expect(written(cell)).toBe(`2;;${cell};a\r\n`),
  );
});
