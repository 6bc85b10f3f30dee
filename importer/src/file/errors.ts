import type { Encoding, ImportField } from './types.ts';

type NoParameters = Readonly<Record<never, never>>;
interface OnLine {
  /** Line number in the file, from 1. */
  readonly line: number;
}
interface AtPosition extends OnLine {
  /** Column number in UTF-16 code units, from 1. */
  readonly column: number;
}

/** Error codes of a file or of one of its rows, with the parameters of each message. No parameter is a cell value. */
export interface FileErrorParams {
  /** The bytes are those of an .xlsx, .ods or .xls file. */
  readonly SPREADSHEET_FILE: NoParameters;
  readonly NOT_IN_ENCODING: OnLine & { readonly encoding: Encoding };
  /** `from` is the detected encoding, `to` the encoding of the bytes on `line`. */
  readonly ENCODING_CHANGES: OnLine & { readonly from: Encoding; readonly to: Encoding };
  readonly NO_HEADER: NoParameters;
  readonly INVALID_SEPARATOR: NoParameters;
  readonly NUL_IN_HEADER: OnLine;
  /** The quote begins on `line`. `limit` is the maximum length of a quoted cell in characters. */
  readonly UNCLOSED_QUOTE: OnLine & { readonly limit: number };
  /** The file is neither a JSON array nor NDJSON. */
  readonly NOT_A_LIST: AtPosition;
  /** No column of the file is one of the `needed` fields. */
  readonly MISSING_COLUMN: { readonly needed: readonly ImportField[]; readonly found: readonly string[] };
  /** Several columns map to the same field. */
  readonly DUPLICATE_COLUMN: { readonly field: ImportField; readonly columns: readonly string[] };
  /** The column mapping names a column that the file does not have. */
  readonly MAPPED_COLUMN_MISSING: { readonly column: string; readonly found: readonly string[] };
  /** The column mapping names a field that does not exist. */
  readonly UNKNOWN_FIELD: { readonly column: string; readonly field: string };

  readonly INVALID_JSON: AtPosition;
  readonly NOT_AN_OBJECT: AtPosition;
  /** The object has the same property name twice. */
  readonly DUPLICATE_NAME: AtPosition;
  /** The row begins on `line`. `limit` is the maximum length of a row in characters. */
  readonly ROW_TOO_LARGE: OnLine & { readonly limit: number };
  readonly TEXT_AFTER_QUOTE: OnLine;
  readonly NUL_CHARACTER: OnLine;
  readonly WRONG_CELL_COUNT: { readonly expected: number; readonly found: number };
  /** A column without a name has a value. `column` is its number, from 1. */
  readonly UNNAMED_COLUMN: { readonly column: number };
  /** A JSON object has a property that is not in the first row and is not a known field. */
  readonly UNKNOWN_COLUMN: { readonly column: string };
  readonly NOT_A_TEXT: { readonly column: string };
  readonly INVALID_ID: { readonly field: ImportField };
  /** The row has both a username and a user ID. */
  readonly AMBIGUOUS_USER: NoParameters;
  /** The row has neither a username nor a user ID. */
  readonly UNRECOGNISED_USER: NoParameters;
  readonly NOT_FOR_RESET: { readonly field: ImportField };
  readonly NO_PRINCIPAL: NoParameters;
  readonly PASSWORDS_DIFFER: NoParameters;
}

export type FileErrorCode = keyof FileErrorParams;

const messages: { readonly [Code in FileErrorCode]: (params: FileErrorParams[Code]) => string } = {
  SPREADSHEET_FILE: () => 'This is the file of a spreadsheet program. Save it as "CSV UTF-8" there first.',
  NOT_IN_ENCODING: ({ line, encoding }) => `Line ${line} has bytes that are not ${encoding}.`,
  ENCODING_CHANGES: ({ line, from, to }) =>
    `The file is ${from} at first and ${to} on line ${line}. Save it again in one encoding, or specify the encoding.`,
  NO_HEADER: () => 'The file is empty: it has no line with the column names.',
  INVALID_SEPARATOR: () => 'A separator is one character, and neither a quote nor a line end.',
  NUL_IN_HEADER: ({ line }) =>
    `Line ${line} has a NUL character: this is not a text file, or it is UTF-16 without a byte order mark. In that case, specify the encoding.`,
  UNCLOSED_QUOTE: ({ line, limit }) =>
    `The quote that begins on line ${line} is not closed, neither before the end of the file nor within ${limit} characters.`,
  NOT_A_LIST: ({ line, column }) =>
    `At line ${line}, column ${column}, the file is neither a JSON array nor one JSON object per line.`,
  MISSING_COLUMN: ({ needed, found }) =>
    `There is no column for ${needed.join(' or ')}. Found: ${list(found)}. Map one of them to it; is the first line the one with the names?`,
  DUPLICATE_COLUMN: ({ field, columns }) =>
    `${list(columns)} all map to ${field}. Map only one of them to it.`,
  MAPPED_COLUMN_MISSING: ({ column, found }) =>
    `There is no column "${truncated(column)}". Found: ${list(found)}.`,
  UNKNOWN_FIELD: ({ column, field }) =>
    `"${truncated(column)}" cannot be "${truncated(field)}": there is no such field.`,
  INVALID_JSON: ({ line, column }) => `At line ${line}, column ${column}, this is not valid JSON.`,
  NOT_AN_OBJECT: ({ line, column }) => `At line ${line}, column ${column}, an object is expected.`,
  DUPLICATE_NAME: ({ line, column }) =>
    `In the object at line ${line}, column ${column}, a name is repeated.`,
  ROW_TOO_LARGE: ({ line, limit }) =>
    `The row that begins on line ${line} has more than ${limit} characters.`,
  TEXT_AFTER_QUOTE: ({ line }) =>
    `On line ${line} there is text after a closing quote. Quotes inside of quotes are written twice.`,
  NUL_CHARACTER: ({ line }) => `The row that begins on line ${line} has a NUL character.`,
  WRONG_CELL_COUNT: ({ expected, found }) => `The row has ${found} cells instead of ${expected}.`,
  UNNAMED_COLUMN: ({ column }) => `Column ${column} has a value, but no name.`,
  UNKNOWN_COLUMN: ({ column }) => `"${truncated(column)}" is not a known column and is not in the first row.`,
  NOT_A_TEXT: ({ column }) => `"${truncated(column)}" must be a string.`,
  INVALID_ID: ({ field }) => `${field} is not a whole number from 1 on, written with digits alone.`,
  AMBIGUOUS_USER: () => 'The row has both a Username and a UserID: it is neither a registration nor a reset.',
  UNRECOGNISED_USER: () => 'The row has neither a Username, for a registration, nor a UserID, for a reset.',
  NOT_FOR_RESET: ({ field }) => `${field} is not allowed in a reset.`,
  NO_PRINCIPAL: () => 'The row names no principal.',
  PASSWORDS_DIFFER: () => 'Password and ConfirmPassword differ.',
};

/** An error of a file or of a row. `message` is English; to translate it, use `code` and its parameters, `params`. */
export type FileError = {
  readonly [Code in FileErrorCode]: {
    readonly code: Code;
    readonly params: FileErrorParams[Code];
    readonly message: string;
  };
}[FileErrorCode];

/** Creates an error with its English message. */
export function fileError<Code extends FileErrorCode>(code: Code, params: FileErrorParams[Code]): FileError {
  return { code, params, message: messages[code](params) } as FileError;
}

/**
 * The file cannot be read, or not beyond this point. `switch (error.detail.code)` narrows the type of
 * `error.detail.params`.
 *
 * Some parameters and messages contain column names. In a file without a header these can be any data, even passwords:
 * show them only to the owner of the file, and do not log them.
 */
export class ImportFileError extends Error {
  readonly detail: FileError;

  constructor(detail: FileError) {
    super(detail.message);
    this.name = 'ImportFileError';
    this.detail = detail;
  }

  get code(): FileErrorCode {
    return this.detail.code;
  }
}

/** Creates the exception for an error that ends the reading of the file. */
export function failure<Code extends FileErrorCode>(
  code: Code,
  params: FileErrorParams[Code],
): ImportFileError {
  return new ImportFileError(fileError(code, params));
}

/** Maximum number of column names in a message. */
const namesMax = 50;
/** Maximum length of a column name in a message, in UTF-16 code units. */
const nameLengthMax = 60;

function list(names: readonly string[]): string {
  if (names.length === 0) return 'nothing';
  const more = names.length > namesMax ? `, and ${names.length - namesMax} more` : '';
  return `${names
    .slice(0, namesMax)
    .map((name) => `"${truncated(name)}"`)
    .join(', ')}${more}`;
}

/** Truncates a long name without splitting a surrogate pair. */
function truncated(name: string): string {
  return name.length > nameLengthMax
    ? `${name.slice(0, nameLengthMax).replace(/[\ud800-\udbff]$/, '')}…`
    : name;
}
