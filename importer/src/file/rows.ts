import type { ColumnNames, ImportColumn } from './columns.ts';
import { type FileError, type FileErrorParams, fileError } from './errors.ts';
import { isAddedColumn, originalCells } from './failed-rows.ts';
import { stateOf } from './headings.ts';
import { isObject } from './json-element.ts';
import { type InterpretOptions, type RowUser, readUser } from './row-user.ts';
import type { ImportField, JsonObject, RowSource, SourceRow } from './types.ts';
import { cleanValue, type RowWarning } from './values.ts';

export interface UserRow extends SourceRow, RowUser {
  readonly kind: 'user';
  readonly user: NonNullable<RowUser['user']>;
  /** The key of the principal of a row that has none: another row or the same values have it too. See `Companies`. */
  readonly company?: string | undefined;
  readonly warnings: readonly RowWarning[];
}

/**
 * A record of the API with its `Users`, from JSON, or a principal without users, from a row without a user. It is not
 * validated.
 */
export interface RecordRow extends SourceRow {
  readonly kind: 'record';
  readonly record: JsonObject;
  /** As of `UserRow`. */
  readonly company?: string | undefined;
  readonly warnings: readonly RowWarning[];
}

interface InvalidRow extends SourceRow {
  readonly kind: 'invalid';
  readonly errors: readonly FileError[];
  /** The text of a JSON row that cannot be parsed, to correct it; null for CSV and for very long rows. */
  readonly text: string | null;
}

export type ImportRow = UserRow | RecordRow | InvalidRow;

export interface RowReader<Content extends RowSource> {
  /** Removes the columns and apostrophes that `FailedRows` adds. Returns the content of other files unchanged. */
  original(content: Content): Content;
  /** Interprets a row whose source is a result of `original`. */
  interpret(row: SourceRow<Content>): ImportRow;
}

export class CellReader implements RowReader<readonly string[]> {
  readonly #header: readonly string[];
  readonly #columns: readonly ImportColumn[];
  readonly #options: InterpretOptions;
  /** True if the file has a column for `ConfirmPassword`. Without one, the password confirms itself. */
  readonly #hasConfirmation: boolean;

  /**
   * @param header The header as written in the file.
   * @param columns The columns without those that `FailedRows` adds.
   */
  constructor(header: readonly string[], columns: readonly ImportColumn[], options: InterpretOptions) {
    this.#header = header;
    this.#columns = columns;
    this.#options = options;
    this.#hasConfirmation = columns.some(({ field }) => field === 'ConfirmPassword');
  }

  original(cells: readonly string[]): readonly string[] {
    return originalCells(cells, this.#header);
  }

  interpret(row: SourceRow<readonly string[]>): ImportRow {
    const { source: cells, line } = row;
    const expected = this.#columns.length;
    if (cells.some((cell) => cell.includes('\0')))
      return invalid(row, [fileError('NUL_CHARACTER', { line })]);
    if (cells.length !== expected)
      return invalid(row, [
        fileError(cells.length > expected ? 'TOO_MANY_CELLS' : 'TOO_FEW_CELLS', {
          expected,
          found: cells.length,
        }),
      ]);
    const read = new RowValues();
    for (let at = 0; at < expected; at++) {
      const { name, field, kind } = this.#columns[at] as ImportColumn;
      const cell = cells[at];
      if (cell === undefined || cell === '') continue;
      if (field !== null) read.add(field, name, cell);
      else if (kind === 'unnamed' && cell.trim() !== '')
        read.errors.push(fileError('UNNAMED_COLUMN', { column: at + 1 }));
    }
    const { values } = read;
    if (!this.#hasConfirmation && values.Password !== undefined) values.ConfirmPassword = values.Password;
    return userRow(row, read, this.#options);
  }
}

/** Interprets the objects of a JSON file: records of the API, and flat rows by their property names. */
export class ObjectReader implements RowReader<JsonObject> {
  readonly #names: ColumnNames;
  readonly #header: ReadonlySet<string>;
  readonly #options: InterpretOptions;

  /**
   * @param header The names in the first row. An unknown name among them is ignored, because `ImportFile.unknown`
   * reports it. Any other unknown name is an error of its row.
   */
  constructor(header: readonly string[], names: ColumnNames, options: InterpretOptions) {
    this.#names = names;
    this.#header = new Set(header);
    this.#options = options;
  }

  original(object: JsonObject): JsonObject {
    if (!Object.keys(object).some(isAddedColumn)) return object;
    return Object.fromEntries(Object.entries(object).filter(([name]) => !isAddedColumn(name)));
  }

  interpret(row: SourceRow<JsonObject>): ImportRow {
    const { source: object } = row;
    if (isRecord(object))
      return { ...row, kind: 'record', record: withConfirmations(object), warnings: noWarnings };
    const read = new RowValues();
    const { values, errors } = read;
    for (const name of Object.keys(object)) {
      const value = object[name];
      if (value === null || value === '') continue;
      const { field, kind } = this.#names.column(name);
      if (field === null) {
        if (kind === 'unnamed' || (kind === 'unknown' && !this.#header.has(name)))
          errors.push(fileError('UNKNOWN_COLUMN', { column: name }));
        continue;
      }
      const text = textOf(field, value);
      if (text === null) errors.push(fileError('NOT_A_TEXT', { column: name }));
      else if (values[field] !== undefined)
        errors.push(fileError('DUPLICATE_COLUMN', this.#duplicates(object, field)));
      else read.add(field, name, text);
    }
    if (values.Password !== undefined) values.ConfirmPassword ??= values.Password;
    return userRow(row, read, this.#options);
  }

  #duplicates(object: JsonObject, field: ImportField): FileErrorParams['DUPLICATE_COLUMN'] {
    return { field, columns: Object.keys(object).filter((name) => this.#names.column(name).field === field) };
  }
}

/** Returns the property names of a flat row, without those that `FailedRows` adds; none for a record or null. */
export function flatNames(object: JsonObject | null): string[] {
  return object && !isRecord(object) ? Object.keys(object).filter((name) => !isAddedColumn(name)) : [];
}

/** Returns true for a record of the API, which has `Users`, and false for a flat row. */
function isRecord(object: JsonObject): boolean {
  return Object.hasOwn(object, 'Users');
}

/** Returns true for a record of `irs/export` or `irs/list`, with IDs and times that the service has assigned. */
export function isExported(object: JsonObject): boolean {
  return isRecord(object) && Object.hasOwn(object, 'UsersCount') && Object.hasOwn(object, 'CreatedAt');
}

const noWarnings: readonly RowWarning[] = [];

/** The values of a row by field, without surrounding spaces. */
class RowValues {
  readonly values: { [Field in ImportField]?: string } = {};
  readonly errors: FileError[] = [];
  warnings: readonly RowWarning[] = noWarnings;

  add(field: ImportField, column: string, cell: string): void {
    const { text, error, warning, isTrimmed } = cleanValue(field, column, cell);
    if (isTrimmed) this.warnings = [...this.warnings, { code: 'TRIMMED', field }];
    if (error) this.errors.push(error);
    else if (warning) this.warnings = [...this.warnings, { code: warning, field }];
    if (text === '') return;
    const isState = field === 'State' || field === 'PrincipalState';
    this.values[field] = isState ? (stateOf(text, column) ?? text) : text;
  }
}

function userRow(
  row: SourceRow,
  { values, errors, warnings }: RowValues,
  options: InterpretOptions,
): ImportRow {
  if (errors.length > 0) return invalid(row, errors);
  const result = readUser(values, options);
  if (Array.isArray(result)) return invalid(row, result);
  // Spread syntax would halve the speed of the whole reader.
  const { number, line, source } = row;
  const { principal, user } = result;
  if (user === null) return { kind: 'record', number, line, source, record: principal, warnings };
  return { kind: 'user', number, line, source, principal, user, warnings };
}

function invalid(row: SourceRow, errors: readonly FileError[]): InvalidRow {
  return { ...row, kind: 'invalid', errors, text: null };
}

/**
 * Returns null for an invalid type. An ID may be a number, as in the API, or a string, as in JSON that was converted
 * from CSV. `Attributes` may be an object, as in the API, or its JSON text, and `Tags` a list. All other fields must be strings.
 */
function textOf(field: ImportField, value: unknown): string | null {
  if (typeof value === 'number' && (field === 'ID' || field === 'UserID')) return String(value);
  if (field === 'Attributes' && isObject(value)) return JSON.stringify(value);
  if (field === 'Tags' && Array.isArray(value) && value.every((tag) => typeof tag === 'string'))
    return value.join(', ');
  return typeof value === 'string' ? value : null;
}

/** Adds the `ConfirmPassword` that the API requires to each user that has only a `Password`. */
function withConfirmations(record: JsonObject): JsonObject {
  if (!Array.isArray(record.Users)) return record;
  return { ...record, Users: record.Users.map(withConfirmation) };
}

function withConfirmation(user: unknown): unknown {
  if (!isObject(user) || typeof user.Password !== 'string') return user;
  return { ...user, ConfirmPassword: user.ConfirmPassword ?? user.Password };
}
