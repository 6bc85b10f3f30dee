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

export interface SheetOptions {
  /** Found by the first character unless given. */
  readonly format?: SheetFormat;
  /** Found out unless given. What is given is not doubted; bytes that do not fit are a fault. */
  readonly encoding?: Encoding;
  /** Between the cells of a CSV: one character, found by the header unless given. */
  readonly separator?: string;
  /** What columns are whose names do not say it: `{ "Login name": "Username", "Note": null }`. */
  readonly columns?: ColumnMapping;
  /** Only to look at the file, before it is said what its columns are: none of them is needed, and none is too many. */
  readonly survey?: boolean;
  /** The principal of the rows that name none. */
  readonly principal?: SheetPrincipal;
  /** Passwords are to be reset: a `Username` names a user that there is, and says enough of its principal. */
  readonly resets?: boolean;
  /** Passwords may be missing, since someone else makes them up. */
  readonly withoutPasswords?: boolean;
  /** Where an earlier reading of the same file ended: the bytes are those from `from.byte` on. Give the same options again. */
  readonly from?: Bookmark;
}

interface Reading {
  readonly pieces: Pieces;
  readonly decoder: Decoder;
  readonly names: ColumnNames;
  readonly options: SheetOptions;
  readonly from: Mark;
}

const userFields: readonly SheetField[] = ['Username', 'UserID'];
const secretFields: readonly SheetField[] = ['Password', 'PasswordHash'];

/**
 * Begins to read a file of users, in CSV, JSON or NDJSON. It takes the same little memory for a file of any size.
 *
 * A fault of one row is an item among the others; a file that cannot be read, or not further, is a `SheetError`, here or
 * while the rows are read. To know of all faults before anything is done, read the file twice.
 *
 * ```ts
 * const sheet = await openSheet(createReadStream('users.csv'));
 * for await (const item of sheet) {
 *   if (item.kind === 'user') console.log(item.row, item.user);
 * }
 * ```
 *
 * @throws {SheetError}
 */
export async function openSheet(bytes: SheetBytes, options: SheetOptions = {}): Promise<Sheet> {
  const names = new ColumnNames(options.columns ?? {});
  const decoder = new Decoder(options.encoding ?? null, options.from?.layout.encoding);
  const pieces = new Pieces(bytes, decoder);
  const from = options.from ?? { byte: 0, line: 1, column: 1 };
  try {
    const format = options.from?.layout.format ?? options.format ?? (await findFormat(pieces));
    const reading: Reading = { pieces, decoder, names, options, from };
    return format === 'csv' ? await openCsv(reading) : await openJson(reading, format);
  } catch (error) {
    await pieces.close();
    throw error;
  }
}

async function openCsv({ pieces, decoder, names, options, from }: Reading): Promise<Sheet> {
  const layout = options.from?.layout;
  const { separator, told } = layout
    ? { separator: layout.separator, told: false }
    : await separation(pieces, options.separator);
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

function neededFields(columns: readonly SheetColumn[], options: SheetOptions): (readonly SheetField[])[] {
  const named = options.resets === true && columns.some(({ field }) => field === 'Username');
  return [
    userFields,
    ...(options.withoutPasswords ? [] : [secretFields]),
    ...(options.principal || named ? [] : [principalFields]),
  ];
}

function termsOf({ principal, resets = false }: SheetOptions): Terms {
  return { principal: principal ?? null, resets };
}

async function separation(pieces: Pieces, given: string | undefined): Promise<Separation> {
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
  { pieces, decoder, names, options, from }: Reading,
  format: 'json' | 'ndjson',
): Promise<Sheet> {
  const scanner =
    format === 'json' ? new JsonArrayScanner(from, options.from !== undefined) : new JsonLinesScanner(from);
  const rows = new FoundRows(scan(pieces, scanner));
  const layout = options.from?.layout;
  const first = layout ? null : ((await rows.peek())?.content ?? null);
  const header = layout?.header ?? namesOf(first);
  const columns = options.survey ? header.map((name) => names.column(name)) : names.columns(header);
  // Other rows may have other names; where not one of them is known, none of the others will be.
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
