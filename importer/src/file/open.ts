import { ColumnNames, type ImportColumn } from './columns.ts';
import { CsvScanner } from './csv-scanner.ts';
import { failure, ImportFileError } from './errors.ts';
import { originalCells } from './failed-rows.ts';
import { JsonArrayScanner, JsonLinesScanner } from './json-scanner.ts';
import { csvColumns, jsonColumns } from './required-columns.ts';
import type { InterpretOptions } from './row-user.ts';
import { CellReader, flatNames, type ImportRow, isExported, ObjectReader, type RowReader } from './rows.ts';
import { type ScannedRow, ScannedRows } from './scan.ts';
import {
  detectFormat,
  detectSeparator,
  type FileBytes,
  hasControlCharacters,
  isArchive,
  peek,
  signatureLength,
  TextReader,
} from './text-reader.ts';
import { type LeftOutRows, TotalsFilter } from './totals-rows.ts';
import type { Encoding, FileFormat, FileLayout, RowSource, SourceRow } from './types.ts';
import { rowUnit } from './types.ts';
import type { SheetRow } from './workbook.ts';

/** Options of {@link openImportFile}. */
export interface ImportFileOptions extends InterpretOptions {
  /** Default: detected by the first character that is not white space. */
  readonly format?: FileFormat;
  /** Default: detected by the byte order mark or the first bytes beyond ASCII. Bytes invalid in it are an error. */
  readonly encoding?: Encoding;
  /** The character between the cells of a CSV. Default: detected by the header. */
  readonly separator?: string;
  /** Name or number, from 1, of the sheet of a workbook. Default: the first one that is not hidden. */
  readonly sheet?: string;
  /** Keeps rows without a user that seem to be totals. Default: they are left out. */
  readonly keepsTotals?: boolean;
  /** Skips the check for missing and duplicate columns, to show a file before its columns are mapped. */
  readonly preview?: boolean;
}

/** An open file of users. It can be iterated once. Leaving the loop early closes the file. */
export interface ImportFile extends AsyncIterable<ImportRow> {
  /** The columns of the file; for JSON those of the first row. */
  readonly columns: readonly ImportColumn[];
  /** Names of the columns that are neither recognised nor mapped. Their values are ignored. */
  readonly unknown: readonly string[];
  /** The format as detected so far. `encoding` may still change from null during the iteration. */
  readonly layout: FileLayout;
  /** Iterates over the rows like the file itself, in groups as they are read, which takes less time for many rows. */
  chunks(): AsyncIterable<readonly ImportRow[]>;
  /** The rows that were left out so far, because they seem to be totals. They have no row number. */
  readonly leftOut: LeftOutRows;
  /** Number of bytes read so far, which is at most a few chunks ahead of the last row. */
  readonly bytesRead: number;
}

/**
 * Opens a file of users in CSV, JSON, NDJSON or XLSX and reads it as a stream. Memory use does not depend on the file
 * size, except for the texts of a workbook, whose size is limited.
 *
 * A row with an error is a row of kind `invalid`. A file that cannot be read, or not beyond some point, throws an
 * `ImportFileError`, either here or during the iteration. To find all errors before you apply any row, read the file
 * twice.
 *
 * @example
 * ```ts
 * const file = await openImportFile(createReadStream('users.csv'));
 * for await (const row of file) {
 *   if (row.kind === 'user') console.log(row.number, row.user);
 * }
 * ```
 *
 * @throws {ImportFileError} If the format, the encoding, the header or the column mapping is invalid.
 */
export async function openImportFile(bytes: FileBytes, options: ImportFileOptions = {}): Promise<ImportFile> {
  const names = new ColumnNames(options.columns ?? {});
  const file = await peek(bytes, signatureLength);
  if (options.format === undefined && isArchive(file.head)) return openXlsx(file.bytes, names, options);
  const text = new TextReader(file.bytes, options.encoding ?? null);
  try {
    const format = options.format ?? (await detectFormat(text));
    return format === 'csv'
      ? await openCsv(text, names, options)
      : await openJson(text, names, options, format);
  } catch (error) {
    await text.close();
    throw error;
  }
}

async function openCsv(
  text: TextReader,
  names: ColumnNames,
  options: ImportFileOptions,
): Promise<ImportFile> {
  const { separator, isDeclared } = await detectSeparator(text, options.separator);
  const isBinary = !options.preview && (await hasControlCharacters(text));
  const rows = new ScannedRows<readonly string[]>(text, new CsvScanner(separator));
  if (isDeclared) await rows.take();
  const header = await takeHeader(rows, names, isBinary);
  const original = originalCells(header, header);
  const columns = options.preview ? recogniseColumns(original, names) : csvColumns(original, names, options);
  return fileOf({
    layout: { format: 'csv', separator, header },
    columns,
    rows,
    totals: new TotalsFilter(header, columns, options.keepsTotals),
    reader: new CellReader(header, columns, options),
    text,
  });
}

/** The separator of files that are written with the rows of a workbook: the one that Excel uses in Italy. */
const workbookSeparator = ';';

async function openXlsx(
  bytes: AsyncIterable<Uint8Array>,
  names: ColumnNames,
  options: ImportFileOptions,
): Promise<ImportFile> {
  // Loaded when it is needed: its ZIP and XML libraries are as large as the rest of the package.
  const { openWorkbook, scannedRow } = await import('./workbook.ts');
  const sheet = await openWorkbook(bytes, options.sheet);
  const rows = sheet.rows();
  let found: SheetRow[] = [];
  while (found.length === 0) {
    const next = await rows.next();
    if (next.done) throw failure('NO_HEADER', {});
    found = next.value;
  }
  const [header = { line: 1, cells: [], isTooWide: false }, ...rest] = found;
  const { error } = scannedRow(header, { width: 0 });
  if (error) throw new ImportFileError(error);
  const original = originalCells(header.cells, header.cells);
  const columns = options.preview ? recogniseColumns(original, names) : csvColumns(original, names, options);
  const width = header.cells.length;
  return fileOf({
    layout: { format: 'csv', separator: workbookSeparator, header: header.cells, sheet: sheet.name },
    columns,
    rows: { remaining },
    totals: new TotalsFilter(header.cells, columns, options.keepsTotals),
    reader: new CellReader(header.cells, columns, options),
    text: { encoding: null, bytesRead: sheet.bytes },
  });

  async function* remaining() {
    let before = header.line;
    const scanned = (row: SheetRow) => {
      const isAfterBlank = row.line > before + 1;
      before = row.line;
      return { ...scannedRow(row, { width }), isAfterBlank };
    };
    yield rest.map(scanned);
    for await (const some of rows) yield some.map(scanned);
  }
}

/** @param isBinary True if the file is binary unless its header has a known column. */
async function takeHeader(
  rows: ScannedRows<readonly string[]>,
  names: ColumnNames,
  isBinary: boolean,
): Promise<readonly string[]> {
  const first = await rows.take();
  if (!first) throw failure('NO_HEADER', {});
  if (first.content === null) throw new ImportFileError(first.error);
  if (isBinary && recogniseColumns(first.content, names).every(({ field }) => field === null))
    throw failure('BINARY_FILE', {});
  if (first.content.some((name) => name.includes('\0'))) throw failure('NUL_IN_HEADER', { line: first.line });
  return first.content;
}

async function openJson(
  text: TextReader,
  names: ColumnNames,
  options: ImportFileOptions,
  format: 'json' | 'ndjson',
): Promise<ImportFile> {
  const rows = new ScannedRows(text, format === 'json' ? new JsonArrayScanner() : new JsonLinesScanner());
  const first = (await rows.peek())?.content ?? null;
  if (first && isExported(first)) throw failure('EXPORT_FILE', {});
  const header = flatNames(first);
  const columns = options.preview ? recogniseColumns(header, names) : jsonColumns(header, names, options);
  return fileOf({
    layout: { format, separator: '', header },
    columns,
    rows,
    reader: new ObjectReader(header, names, options),
    text,
  });
}

/** Returns a column for each name, recognised by its name alone unless `names` has a mapping. */
export function recogniseColumns(
  header: readonly string[],
  names: ColumnNames = new ColumnNames({}),
): ImportColumn[] {
  return names.recognise(header);
}

/**
 * Interprets rows that were corrected after the file was read. Omits rows without a source.
 *
 * @param header The column names of all rows.
 * @throws {ImportFileError} If the column mapping is invalid, or a required column is missing.
 */
export function interpretRows(
  rows: readonly SourceRow[],
  { format, header }: Pick<FileLayout, 'format' | 'header'>,
  options: InterpretOptions,
): ImportRow[] {
  const names = new ColumnNames(options.columns ?? {});
  const columns = format === 'csv' ? csvColumns(header, names, options) : jsonColumns(header, names, options);
  const cells = new CellReader(header, columns, options);
  const objects = new ObjectReader(header, names, options);
  return rows.flatMap(({ number, line, source }) => {
    if (source === null) return [];
    const row = { number, line };
    return isCells(source) ? cells.interpret({ ...row, source }) : objects.interpret({ ...row, source });
  });
}

function isCells(source: RowSource): source is readonly string[] {
  return Array.isArray(source);
}

interface RowFilter<Content> {
  readonly leftOut: LeftOutRows;
  take(rows: readonly ScannedRow<Content>[]): readonly ScannedRow<Content>[];
  end(): void;
}

interface FileParts<Content extends RowSource> {
  readonly layout: Omit<FileLayout, 'encoding'>;
  readonly columns: readonly ImportColumn[];
  readonly rows: Pick<ScannedRows<Content>, 'remaining'>;
  readonly totals?: RowFilter<Content>;
  readonly reader: RowReader<Content>;
  readonly text: Pick<TextReader, 'encoding' | 'bytesRead'>;
}

function fileOf<Content extends Exclude<RowSource, null>>(parts: FileParts<Content>): ImportFile {
  const { layout, columns, rows, totals, reader, text } = parts;
  return {
    columns,
    unknown: columns.filter(({ kind }) => kind === 'unknown').map(({ name }) => name),
    get layout() {
      return { ...layout, encoding: text.encoding };
    },
    get leftOut() {
      return totals?.leftOut ?? { rows: 0, lines: [] };
    },
    get bytesRead() {
      return text.bytesRead;
    },
    chunks,
    async *[Symbol.asyncIterator]() {
      for await (const chunk of chunks()) yield* chunk;
    },
  };

  async function* chunks(): AsyncGenerator<readonly ImportRow[], void, undefined> {
    let number = 0;
    const countsRecords = rowUnit(layout) === 'record';
    for await (const scanned of rows.remaining())
      yield (totals?.take(scanned) ?? scanned).map((row) => {
        const { text = null } = row;
        number++;
        const line = countsRecords ? number : row.line;
        if (row.error) return { kind: 'invalid', number, line, source: null, errors: [row.error], text };
        return reader.interpret({ number, line, source: reader.original(row.content) });
      });
    totals?.end();
  }
}
