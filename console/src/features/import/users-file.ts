import {
  type ColumnMapping,
  type FileError,
  type FileLayout,
  type ImportColumn,
  type ImportField,
  type ImportFile,
  type ImportRow,
  type InviteChannel,
  interpretRows,
  type JsonObject,
  type LeftOutRows,
  openImportFile,
  type RowPrincipal,
  type RowSource,
  readElement,
  recogniseColumns,
  type SourceRow,
} from '@anagrafe/importer';

/** A row of the file, original or corrected. Rows are immutable: a correction creates a new object with its number. */
export interface Row extends SourceRow {
  /** The parse error of an unreadable row; null if `source` could be read. */
  readonly error: FileError | null;
  /** The text of an unreadable JSON row; null if the row is readable or its text is not available. */
  readonly text: string | null;
}

export interface Reading {
  readonly columns: ColumnMapping;
  /** Default for rows that name no principal. */
  readonly principal: RowPrincipal | null;
  /** Accepts rows without a password and without a password hash, for which the console generates passwords. */
  readonly generatesPasswords: boolean;
  /** How new users without a password are invited; null if they are not. */
  readonly invites: InviteChannel | null;
  /** The numbers of the rows whose principals may look like others. */
  readonly similarRows: ReadonlySet<number>;
}

type Shape = Pick<UsersFile, 'layout' | 'names'>;

/** Returns the text of one cell per column; missing values are empty strings. */
export function cellsOf({ source }: Row, { names }: Shape): readonly string[] {
  if (source === null) return names.map(() => '');
  return isCells(source) ? names.map((_, at) => source[at] ?? '') : names.map((name) => textOf(source[name]));
}

/** Returns a copy of the row with new text in the cell at index `at`. Surplus cells are kept and remain an error. */
export function withCell(row: Row, at: number, text: string, shape: Shape): Row {
  const { layout, names } = shape;
  const source =
    layout.format === 'csv'
      ? [...cellsOf(row, shape).with(at, text), ...surplusOf(row, shape)]
      : { ...row.source, [names[at] ?? '']: text };
  return { ...row, source, error: null, text: null };
}

/** Returns the cells of a CSV row after the last column of the header. */
export function surplusOf({ source }: Row, { names }: Shape): readonly string[] {
  return source !== null && isCells(source) ? source.slice(names.length) : [];
}

/** Returns a copy of the row whose surplus cells are replaced by one cell with `text`; an empty text removes them. */
export function withSurplus(row: Row, text: string, shape: Shape): Row {
  return {
    ...row,
    source: [...cellsOf(row, shape), ...(text === '' ? [] : [text])],
    error: null,
    text: null,
  };
}

/** Returns the row as a record of the API, recognised by its `Users`; null for any other row. */
export function recordIn({ source }: Row): JsonObject | null {
  return source === null || isCells(source) || !('Users' in source) ? null : source;
}

/**
 * Interprets rows in their current state. Omits unreadable rows.
 *
 * @throws {ImportFileError} If the column mapping is invalid, or a required column is missing.
 */
export function readRows(
  rows: readonly Row[],
  { layout, names }: Shape,
  { columns, principal, generatesPasswords, invites, similarRows }: Reading,
): ImportRow[] {
  const options = {
    columns,
    ...(principal && { principal }),
    withoutPasswords: generatesPasswords || invites !== null,
  };
  const read = interpretRows(rows, { format: layout.format, header: names }, options);
  return read.map((row) => (similarRows.has(row.number) ? withSimilar(row) : row));
}

function withSimilar(row: ImportRow): ImportRow {
  if (row.kind === 'invalid') return row;
  if (row.kind === 'record') return { ...row, record: { ...row.record, Similar: 'allow' } };
  return { ...row, principal: { ...row.principal, Similar: 'allow' } };
}

function isCells(source: RowSource): source is readonly string[] {
  return Array.isArray(source);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the text for the JSON editor: the original text of an unreadable row, otherwise indented JSON. */
export function jsonOf({ source, text }: Row): string {
  return text ?? indentedJson(source);
}

export function withJson(row: Row, text: string): Row {
  const { content, error } = readElement(text, { line: 1, column: 1 });
  return { ...row, source: content, error, text: content === null ? text : null };
}

/**
 * Returns true if the row needs the JSON editor, because text cells cannot show all of its values or cannot correct
 * them. CSV rows never do.
 */
export function isShownAsJson(row: Row, { layout, names }: UsersFile, columns: ColumnMapping): boolean {
  const { source } = row;
  if (layout.format === 'csv') return false;
  if (source === null || recordIn(row) !== null) return true;
  return Object.entries(source).some(([name, value]) => {
    if (!names.includes(name)) return true;
    const field = columns[name] ?? null;
    const isText = typeof value === 'string' || value === null;
    return field !== null && !isText && field !== 'ID' && field !== 'UserID';
  });
}

/**
 * Returns the 1-based line of a path such as `Users[3].Password` in the indented JSON of a record. If the path does not
 * exist, returns the line of its nearest existing parent.
 */
export function lineOf(record: JsonObject, path: string): number {
  let line = 1;
  let value: unknown = record;
  for (const key of path.match(/[^.[\]]+/g) ?? []) {
    const parts = Object.entries(value ?? {});
    const at = parts.findIndex(([name]) => name === key);
    if (typeof value !== 'object' || at < 0) break;
    line += 1 + parts.slice(0, at).reduce((lines, [, part]) => lines + linesOf(part), 0);
    value = parts[at]?.[1];
  }
  return line;
}

/** Counts the lines of a value in indented JSON without building the text, which is slow for a large record. */
function linesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const parts = Object.values(value);
  return parts.length === 0 ? 1 : parts.reduce((lines, part) => lines + linesOf(part), 2);
}

const passwordValues = /("(?:Confirm)?Password"\s*:\s*")((?:[^"\\\n]|\\.)*)/g;

/** Masks the passwords in JSON text. The text keeps its length, so that a selection in it stays valid. */
export function withoutPasswords(text: string): string {
  return text.replace(passwordValues, (_, name: string, secret: string) => name + '•'.repeat(secret.length));
}

function indentedJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}

/** Maximum number of rows that the console keeps in memory; larger files require the command line. */
export const rowsMax = 100_000;

export interface UsersFile {
  readonly name: string;
  readonly layout: FileLayout;
  /** Unique column names. A repeated name has a number appended. */
  readonly names: readonly string[];
  /** The fields recognised by column name; null for a column that was not recognised. */
  readonly recognised: ColumnMapping;
  readonly rows: readonly Row[];
  /** The rows that were left out because they seem to be totals; none if `keepsTotals` is true. */
  readonly leftOut: LeftOutRows;
  readonly keepsTotals: boolean;
  readonly source: File;
}

export class TooManyRowsError extends Error {}
export class NoRowsError extends Error {}

/**
 * @throws {ImportFileError}
 * @throws {TooManyRowsError}
 * @throws {NoRowsError}
 */
export async function readUsersFile(source: File, keepsTotals = false): Promise<UsersFile> {
  const opened = await openImportFile(source.stream(), { preview: true, keepsTotals });
  const rows: Row[] = [];
  for await (const row of opened) {
    if (rows.length === rowsMax) throw new TooManyRowsError();
    const { number, line, source } = row;
    const isUnreadable = source === null && row.kind === 'invalid';
    const read = { number, line, source, error: isUnreadable ? (row.errors[0] ?? null) : null, text: null };
    // `withJson` parses the text again, so that the error refers to lines of the editor instead of lines of the file.
    rows.push(isUnreadable && row.text !== null ? withJson(read, row.text) : read);
  }
  if (rows.length === 0) throw new NoRowsError();
  const fields = new Map<string, ImportField | null>();
  for (const { name, field } of columnsOf(opened, rows)) fields.set(uniqueName(name, fields), field);
  const names = [...fields.keys()];
  const { layout, leftOut } = opened;
  const recognised = Object.fromEntries(fields);
  return { name: source.name, layout, names, recognised, rows, leftOut, keepsTotals, source };
}

/** Returns the columns of the header, or for JSON the union of the property names of all flat rows. */
function columnsOf({ columns, layout }: ImportFile, rows: readonly Row[]): readonly ImportColumn[] {
  if (layout.format === 'csv') return columns;
  const flat = rows.filter((row) => row.source !== null && recordIn(row) === null);
  return recogniseColumns([...new Set(flat.flatMap(({ source }) => Object.keys(source ?? {})))]);
}

/** Appends a number to a repeated column name, because columns are mapped by name. */
function uniqueName(name: string, others: ReadonlyMap<string, unknown>): string {
  let unique = name;
  for (let count = 2; others.has(unique); count++) unique = `${name} (${count})`;
  return unique;
}
