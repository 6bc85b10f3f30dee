import type { Bookmark, Mark, SheetFormat } from './bookmark.ts';
import { type ColumnMapping, ColumnNames, refuseMissing, type SheetColumn } from './columns/columns.ts';
import { principalFields, type SheetField } from './columns/fields.ts';
import { CellReader, originalCells } from './csv/cells.ts';
import { CsvScanner } from './csv/scanner.ts';
import { findSeparator, type Separation } from './csv/separator.ts';
import { refusal, SheetError } from './fault.ts';
import { findFormat } from './format.ts';
import { FoundRows } from './found-rows.ts';
import { JsonArrayScanner } from './json/array-scanner.ts';
import { JsonLinesScanner } from './json/lines-scanner.ts';
import { namesOf, ObjectReader } from './json/objects.ts';
import { scan } from './scanner.ts';
import { RowSheet, type Sheet } from './sheet.ts';
import type { SheetBytes } from './text/chunks.ts';
import { Decoder } from './text/decoder.ts';
import type { Encoding } from './text/encoding.ts';
import { Pieces } from './text/pieces.ts';
import type { SheetPrincipal, Terms } from './user.ts';

/** Options of {@link openSheet}. */
export interface SheetOptions {
  /** Default: detected by the first character that is not white space. */
  readonly format?: SheetFormat;
  /** Default: detected by the byte order mark or the first bytes beyond ASCII. Bytes invalid in it are an error. */
  readonly encoding?: Encoding;
  /** The character between the cells of a CSV. Default: detected by the header. */
  readonly separator?: string;
  /** Maps columns whose names are not recognised: `{ "Login name": "Username", "Note": null }`. */
  readonly columns?: ColumnMapping;
  /** Skips the check for missing and duplicate columns, to preview a file before its columns are mapped. */
  readonly survey?: boolean;
  /** The principal of rows that have no principal fields. */
  readonly principal?: SheetPrincipal;
  /** The file resets passwords: `Username` refers to an existing user, and a row with it needs no principal. */
  readonly resets?: boolean;
  /** Allows a file without a column for passwords or password hashes, for a caller that generates the passwords. */
  readonly withoutPasswords?: boolean;
  /** Continues an earlier reading of the file. Pass the bytes from `from.byte` on, and the same options as before. */
  readonly from?: Bookmark;
}

interface OpenContext {
  readonly pieces: Pieces;
  readonly decoder: Decoder;
  readonly names: ColumnNames;
  readonly options: SheetOptions;
  readonly from: Mark;
}

const userFields: readonly SheetField[] = ['Username', 'UserID'];
const secretFields: readonly SheetField[] = ['Password', 'PasswordHash'];

/**
 * Opens a file of users in CSV, JSON or NDJSON and reads it as a stream. Memory use does not depend on the file size.
 *
 * A row with an error is an item of kind `fault`. A file that cannot be read, or not beyond some point, throws a
 * `SheetError`, either here or during the iteration. To find all errors before you apply any row, read the file twice.
 *
 * @example
 * ```ts
 * const sheet = await openSheet(createReadStream('users.csv'));
 * for await (const item of sheet) {
 *   if (item.kind === 'user') console.log(item.row, item.user);
 * }
 * ```
 *
 * @throws {SheetError} If the format, the encoding, the header or the column mapping is invalid.
 */
export async function openSheet(bytes: SheetBytes, options: SheetOptions = {}): Promise<Sheet> {
  const names = new ColumnNames(options.columns ?? {});
  const decoder = new Decoder(options.encoding ?? null, options.from?.layout.encoding);
  const pieces = new Pieces(bytes, decoder);
  const from = options.from ?? { byte: 0, line: 1, column: 1 };
  try {
    const format = options.from?.layout.format ?? options.format ?? (await findFormat(pieces));
    const context: OpenContext = { pieces, decoder, names, options, from };
    return format === 'csv' ? await openCsv(context) : await openJson(context, format);
  } catch (error) {
    await pieces.close();
    throw error;
  }
}

async function openCsv({ pieces, decoder, names, options, from }: OpenContext): Promise<Sheet> {
  const layout = options.from?.layout;
  const { separator, told } = layout
    ? { separator: layout.separator, told: false }
    : await detectSeparator(pieces, options.separator);
  const rows = new FoundRows(scan(pieces, new CsvScanner(separator, from)));
  if (told) await rows.take();
  const header = layout?.header ?? (await takeHeader(rows));
  const original = originalCells(header, header);
  names.refuseAbsent(original);
  const columns = options.survey ? original.map((name) => names.column(name)) : names.columns(original);
  if (!options.survey) refuseMissing(columns, neededFields(columns, options));
  return new RowSheet({
    layout: { format: 'csv', separator, header },
    columns,
    rows,
    reader: new CellReader(header, columns, termsOf(options)),
    decoder,
    rowsBefore: options.from?.row ?? 0,
  });
}

/** Returns groups of fields. The file must have a column for at least one field of each group. */
function neededFields(columns: readonly SheetColumn[], options: SheetOptions): (readonly SheetField[])[] {
  const resetsByName = options.resets === true && columns.some(({ field }) => field === 'Username');
  return [
    userFields,
    ...(options.withoutPasswords ? [] : [secretFields]),
    ...(options.principal || resetsByName ? [] : [principalFields]),
  ];
}

function termsOf({ principal, resets = false }: SheetOptions): Terms {
  return { principal: principal ?? null, resets };
}

/** Detects a `sep=` line even if the separator is given, because that line must be skipped. */
async function detectSeparator(pieces: Pieces, given: string | undefined): Promise<Separation> {
  if (given !== undefined && !/^[^"\r\n]$/.test(given)) throw refusal('INVALID_SEPARATOR', {});
  let found = findSeparator(pieces.head, pieces.isAll);
  while (!found) {
    await pieces.look();
    found = findSeparator(pieces.head, pieces.isAll);
  }
  return { ...found, separator: given ?? found.separator };
}

async function takeHeader(rows: FoundRows<readonly string[]>): Promise<readonly string[]> {
  const first = await rows.take();
  if (first?.fault?.code === 'NUL_CHARACTER') throw refusal('NUL_IN_HEADER', { line: first.line });
  if (first?.fault) throw new SheetError(first.fault);
  if (!first?.content) throw refusal('NO_HEADER', {});
  return first.content;
}

async function openJson(
  { pieces, decoder, names, options, from }: OpenContext,
  format: 'json' | 'ndjson',
): Promise<Sheet> {
  const scanner =
    format === 'json' ? new JsonArrayScanner(from, options.from !== undefined) : new JsonLinesScanner(from);
  const rows = new FoundRows(scan(pieces, scanner));
  const layout = options.from?.layout;
  const first = layout ? null : ((await rows.peek())?.content ?? null);
  const header = layout?.header ?? namesOf(first);
  const columns = options.survey ? header.map((name) => names.column(name)) : names.columns(header);
  // Later rows may have other names, so only a first row without any known field is rejected.
  if (!options.survey && header.length > 0 && columns.every(({ field }) => field === null))
    refuseMissing(columns, [userFields]);
  return new RowSheet({
    layout: { format, separator: '', header },
    columns,
    rows,
    reader: new ObjectReader(header, names, termsOf(options)),
    decoder,
    rowsBefore: options.from?.row ?? 0,
  });
}
