import type { FieldError } from '@anagrafe/client';
import type { ImportColumn } from '../file/columns.ts';
import type { FileError } from '../file/errors.ts';
import type { ImportRow } from '../file/rows.ts';
import { principalColumns, type RowUnit } from '../file/types.ts';

export interface RowError {
  /** The field of the file or the field path in the record; null if the error is about the whole row. */
  readonly column: string | null;
  /** English if `code` or `fileError` is set; otherwise in the language that was requested from the service. */
  readonly message: string;
  /** Set if this package found the error by comparing rows. */
  readonly code?: RowErrorCode;
  /** The code of a field error that the service returned. */
  readonly serviceCode?: string;
  /** The values of `CONTRADICTS_ROW`. */
  readonly contradiction?: Contradiction;
  /** The two principals of `LOOKS_LIKE_ANOTHER`. */
  readonly lookAlike?: LookAlike;
  /** Set if the row could not be parsed or interpreted. */
  readonly fileError?: FileError;
}

/** Two rows of a file with different values of one field of the same principal. */
interface Contradiction {
  readonly value: string;
  /** The value of the earlier row. */
  readonly earlier: string;
  /** The line of the earlier row. */
  readonly line: number;
  readonly unit: RowUnit;
}

/** The values by which a person recognises a principal; null if it has none. */
export interface Identity {
  readonly ExternalKey: string | null;
  readonly Denomination: string | null;
  readonly Vatnumber: string | null;
  readonly Taxcode: string | null;
}

/** A new principal of the file beside the principal that it looks like. */
export interface LookAlike {
  /** The columns whose values are alike. */
  readonly columns: readonly string[];
  readonly own: Identity;
  /** Null if the API client may not read it. `ID` is null for an earlier row of the file. */
  readonly other: (Identity & { readonly ID: number | null }) | null;
}

/** Errors by row number. */
export type RowErrors = Map<number, readonly RowError[]>;

/** Errors of a record by field path. */
export type FieldErrorsByPath = Readonly<Record<string, readonly FieldError[]>>;

const messages = {
  RESET_IN_IMPORT: 'This row resets a password. Use "anagrafe reset" for it.',
  OPERATION_IN_IMPORT: 'An import registers users. Remove "Operation", or send the record to irs/update.',
  RECORD_TOO_LARGE:
    'The record has more than 10,000 users. Split its users over several records of the same principal.',
  PRINCIPAL_TOO_LARGE:
    'The file has more than 10,000 users of this principal, too many to compare at once. Use "anagrafe import --update".',
  COMPANY_UNKNOWN:
    'The row has no ExternalKey or ID, and no VAT number, tax code or name that identifies its company. Add one of them, or import with --without-key separate.',
  COMPANY_AMBIGUOUS:
    'The row has no ExternalKey or ID, and its VAT number, tax code or name fits several companies of the file. Add a key, or import with --without-key separate.',
  DISABLED_WITHOUT_KEY:
    'A principal without an ExternalKey is created with active users only. Add an ExternalKey, or leave the state empty.',
  RESET_WITHOUT_PRINCIPAL: 'A row with UserID must also have the ID or ExternalKey of the principal.',
  USER_NOT_FOUND: 'There is no user with this username.',
  PRINCIPAL_NOT_FOUND:
    'There is no principal with this ExternalKey. To create it, add a field such as Denomination.',
  RECORD_NOT_APPLIED: 'The service rejects this record without a reason.',
  DUPLICATE_USERNAME: 'An earlier row has the same username.',
  PRINCIPAL_UNNAMED: 'The row has neither the ExternalKey nor the ID of its principal.',
  PRINCIPAL_NAMED_TWICE: 'Another row of the file names the same principal in another way.',
  EXCHANGE_TOO_LARGE:
    'Users move between this principal and others of the file, which together are too large for one call. Move these users first, with a file that has only them.',
  ID_CONTRADICTS_KEY: 'The ID and the ExternalKey of the row belong to different principals.',
  EMPTY_CONTRADICTS_ROW:
    'The cell is empty and would clear the field, but another row has a value for the same principal.',
  PASSWORD_MISSING: 'Password or PasswordHash is missing.',
};

/** Codes of the errors that this package finds. The service returns its own messages in the requested language. */
export type RowErrorCode = SimpleCode | 'CONTRADICTS_ROW';

type SimpleCode = keyof typeof messages;

export const rowErrorCodes = [...Object.keys(messages), 'CONTRADICTS_ROW'] as readonly RowErrorCode[];

/** `message` says more than the code, such as the values. */
export function codedError(
  code: SimpleCode,
  column: string | null = null,
  message: string = messages[code],
): RowError {
  return { column, message, code };
}

export function contradictionError(column: string, contradiction: Contradiction): RowError {
  const { value, earlier, line, unit } = contradiction;
  const message = `"${value}" contradicts ${unit} ${line}, which has "${earlier}" for the same principal.`;
  return { column, message, code: 'CONTRADICTS_ROW', contradiction };
}

export function rowError(message: string): RowError {
  return { column: null, message };
}

export function fromFileError(fileError: FileError): RowError {
  return { column: null, message: fileError.message, fileError };
}

/** Converts the field errors of a record to errors of its row, with columns instead of field paths if it has columns. */
export function fromFieldErrors(fieldErrors: FieldErrorsByPath, row: ImportRow): RowError[] {
  return Object.entries(fieldErrors).flatMap(([path, found]) => {
    // An error of the password makes that of its confirmation redundant.
    const isRegistration = row.kind === 'user' && row.user.ID === undefined;
    if (path === confirmationPath && (passwordPath in fieldErrors || (isRegistration && isMissing(found))))
      return [];
    if (path === passwordPath && isRegistration && isMissing(found)) return [codedError('PASSWORD_MISSING')];
    const column = columnOf(path, row);
    const named = ['', 'Record', '$'].includes(column) ? null : column;
    return found.map(({ code, message }) =>
      // Only a record that combines rows has a user twice.
      code === 'DUPLICATE_USER'
        ? codedError('DUPLICATE_USERNAME', named)
        : { column: named, message, serviceCode: code },
    );
  });
}

/** The columns of a file by field, if their names differ from those of the fields. */
export type ColumnNamesByField = ReadonlyMap<string, string>;

export function namesByField(columns: readonly Pick<ImportColumn, 'name' | 'field'>[]): ColumnNamesByField {
  return new Map(columns.flatMap(({ name, field }) => (field === null ? [] : [[field, name] as const])));
}

/**
 * Formats an error with its column: `Username: This username is taken.` Pass `message` in the reader's language.
 *
 * @param names The names of the columns in the file.
 */
export function formatRowError(
  { column, message }: Pick<RowError, 'column' | 'message'>,
  names: ColumnNamesByField = new Map(),
): string {
  return column === null ? message : `${names.get(column) ?? column}: ${message}`;
}

/** Returns the number of rows that fail because a stored user has their username. */
export function countTaken(errors: RowErrors): number {
  return [...errors.values()].filter((found) =>
    found.some(({ serviceCode }) => serviceCode === 'USERNAME_TAKEN'),
  ).length;
}

function isMissing(found: readonly FieldError[]): boolean {
  return found.every(({ code }) => code === 'REQUIRED');
}

const passwordPath = 'Users[0].Password';
const confirmationPath = 'Users[0].ConfirmPassword';
const columnsByPath: Readonly<Record<string, string>> = {
  'Users[0].ID': 'UserID',
  State: 'PrincipalState',
  ...Object.fromEntries(principalColumns),
};

/**
 * Converts a field path to a column if the row has columns: `Users[0].Email` becomes `Email`, `Email` becomes
 * `PrincipalEmail`, and `Users[0]` becomes an empty string. Returns the path unchanged if the row is a record with its
 * users.
 */
export function columnOf(path: string, row: ImportRow): string {
  if (row.kind === 'record' && 'Users' in row.record) return path;
  return columnsByPath[path] ?? path.replace(/^Users\[0\]\.?/, '');
}
