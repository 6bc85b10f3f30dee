import type { FieldError, Tuple } from '@anagrafe/client';
import type { FileError } from '../file/errors.ts';
import type { ImportRow } from '../file/rows.ts';
import { principalColumns } from '../file/types.ts';

export interface RowError {
  /** The field of the file or the field path in the record; null if the error is about the whole row. */
  readonly column: string | null;
  /** English if `code` or `fileError` is set; otherwise in the language that was requested from the service. */
  readonly message: string;
  /** Set if this package found the error by comparing rows. */
  readonly code?: RowErrorCode;
  /** Set if the row could not be parsed or interpreted. */
  readonly fileError?: FileError;
}

/** Errors by row number. */
export type RowErrors = Map<number, readonly RowError[]>;

type FieldErrors = Readonly<Record<string, readonly FieldError[]>>;

const messages = {
  RESET_IN_IMPORT: 'This row resets a password. Use "anagrafe reset" for it.',
  RESET_WITHOUT_PRINCIPAL: 'A row with UserID must also have the ID or ExternalKey of the principal.',
  USER_NOT_FOUND: 'There is no user with this username.',
  PRINCIPAL_NOT_INSERTED: 'The principal could not be created.',
  RECORD_NOT_APPLIED: 'The record would be rejected.',
  USERNAME_TAKEN: 'An earlier row has the same username.',
  EXTERNAL_KEY_TAKEN: 'Another row has the same external key.',
};

/** Codes of the errors that this package finds. The service returns its own messages in the requested language. */
export type RowErrorCode = keyof typeof messages;

export function codedError(code: RowErrorCode, column: string | null = null): RowError {
  return { column, message: messages[code], code };
}

export function rowError(message: string): RowError {
  return { column: null, message };
}

export function fromFileError(fileError: FileError): RowError {
  return { column: null, message: fileError.message, fileError };
}

/**
 * Converts the field errors of a record to errors of its row. A row of one user has columns instead of field paths.
 *
 * @param repeated The field paths of the usernames that an earlier row has too. The message of the service would name
 *   the request, of which the reader of a file knows nothing.
 */
export function fromFieldErrors(
  fieldErrors: FieldErrors,
  kind: ImportRow['kind'] = 'user',
  repeated: ReadonlySet<string> = new Set(),
): RowError[] {
  return Object.entries(fieldErrors).flatMap(([path, found]) => {
    // An error of the password makes that of its confirmation redundant.
    if (path === confirmationPath && 'Users[0].Password' in fieldErrors) return [];
    const column = columnOf(path, kind);
    const named = ['', 'Record', '$'].includes(column) ? null : column;
    return found.map(({ code, message }) =>
      code === 'USERNAME_TAKEN' && repeated.has(path)
        ? codedError('USERNAME_TAKEN', named)
        : { column: named, message },
    );
  });
}

/** Returns the field errors of a tuple as errors of its row, or the message of the tuple if it has no field errors. */
export function fromTuple(
  tuple: Pick<Tuple, 'Item4' | 'Item5'>,
  fallback: RowErrorCode,
  kind: ImportRow['kind'] = 'user',
  repeated?: ReadonlySet<string>,
): RowError[] {
  const errors = fromFieldErrors(tuple.Item5, kind, repeated);
  return errors.length > 0 ? errors : [tupleMessage(tuple, fallback)];
}

export function tupleMessage({ Item4 }: Pick<Tuple, 'Item4'>, fallback: RowErrorCode): RowError {
  return Item4 === null ? codedError(fallback) : rowError(Item4);
}

/** Formats an error with its column: `Username: This username is taken.` */
export function formatRowError({ column, message }: RowError): string {
  return column === null ? message : `${column}: ${message}`;
}

const confirmationPath = 'Users[0].ConfirmPassword';
const columnsByPath: Readonly<Record<string, string>> = {
  'Users[0].ID': 'UserID',
  ...Object.fromEntries(principalColumns),
};

/**
 * Converts a field path to a column if the row has one user: `Users[0].Email` becomes `Email`, and `Users[0]` becomes
 * an empty string. Returns the path unchanged if the row is a record.
 */
export function columnOf(path: string, kind: ImportRow['kind']): string {
  return kind === 'user' ? (columnsByPath[path] ?? path.replace(/^Users\[0\]\.?/, '')) : path;
}
