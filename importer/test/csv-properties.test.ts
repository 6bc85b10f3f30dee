import { anyHeader, bytesOf, cellsOf, readFile } from '@anagrafe/testing/import-file';
import { anyCharacter, runs } from '@anagrafe/testing/random';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const separators = [',', ';', '\t', '|'];

/** Generates texts with quotes, separators and line ends, which a CSV reader must handle. */
const cell = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '"', '\r', '\n', '\r\n', ' ', ...separators),
    fc.constantFrom('a', '1', "'", '=', 'è', '東', '😀', '\ufeff'),
  ),
  maxLength: 6,
});
const row = fc.tuple(cell, cell, cell, cell);
const table = fc.array(row, { maxLength: 8 });
const cuts = fc.array(fc.nat(300), { maxLength: 12 });

/** Generates a table and the options with which csv-stringify writes it. */
const written = fc.record({
  rows: table,
  delimiter: fc.constantFrom(...separators),
  record_delimiter: fc.constantFrom('\n', '\r\n', '\r'),
  quoted: fc.boolean(),
  eof: fc.boolean(),
});

function write({
  rows,
  ...options
}: typeof written extends fc.Arbitrary<infer Value> ? Value : never): string {
  // csv-stringify does not quote a cell with a line end other than its record delimiter, so `quoted` is set for it.
  const lines = rows.map((cells) =>
    stringify([cells], {
      ...options,
      eof: false,
      quoted: options.quoted || cells.some((text) => /[\r\n]/.test(text)),
    }),
  );
  const text = [anyHeader.join(options.delimiter), ...lines].join(options.record_delimiter);
  return options.eof ? text + options.record_delimiter : text;
}

function isBlank(line: readonly string[]): boolean {
  return line.every((text) => text === '');
}

describe('a random table', () => {
  it('is read as csv-parse reads it, in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(written, cuts, async (choice, places) => {
        const text = write(choice);
        const expected: string[][] = parse(text, {
          delimiter: choice.delimiter,
          record_delimiter: choice.record_delimiter,
          skip_empty_lines: true,
        });
        const read = await readFile(text, { keepsTotals: true }, places);
        expect(read.error).toBeNull();
        expect(read.file?.layout.separator).toBe(choice.delimiter);
        // Blank rows are not compared: they are read only if csv-stringify has quoted them.
        const sources = cellsOf(read) as string[][];
        expect(sources.filter((cells) => !isBlank(cells))).toEqual(
          expected.slice(1).filter((cells) => !isBlank(cells)),
        );
        expect(expected.slice(1).filter((cells) => !isBlank(cells))).toEqual(
          choice.rows.filter((cells) => !isBlank(cells)),
        );
      }),
      runs(300),
    );
  });

  it('has the same rows in every encoding', async () => {
    const encodings: fc.Arbitrary<(text: string) => Uint8Array> = fc.constantFrom(
      (text: string) => bytesOf(`\ufeff${text}`),
      (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le')),
      (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le').swap16()),
    );
    await fc.assert(
      fc.asyncProperty(written, encodings, cuts, async (choice, encode, places) => {
        const text = write(choice);
        const expected = await readFile(text);
        const read = await readFile(encode(text), {}, places);
        expect(read.error).toBeNull();
        expect(read.rows).toEqual(expected.rows);
      }),
      runs(100),
    );
  });

  it('of arbitrary text never causes an unexpected error', async () => {
    const anyText = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc.string({
        unit: fc.constantFrom('"', ',', '\n', '\r', 'a', '\0', '{', '}', '[', ']', ':'),
        maxLength: 60,
      }),
    );
    await fc.assert(
      fc.asyncProperty(anyText, cuts, async (text, places) => {
        const content = `${anyHeader.join(',')}\n${text}`;
        const whole = await readFile(content);
        expect(await readFile(content, {}, places)).toEqual({ ...whole, file: expect.anything() });
        for (const format of ['json', 'ndjson', 'csv'] as const) {
          const read = await readFile(text, { format });
          expect(await readFile(text, { format }, places)).toMatchObject({
            rows: read.rows,
            error: read.error,
          });
        }
      }),
      runs(100),
    );
  });
});
