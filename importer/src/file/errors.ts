import type { Encoding, ImportField, Position } from './types.ts';

interface OnLine {
  /** Line number in the file, from 1. */
  readonly line: number;
}
interface Limit extends OnLine {
  /** Maximum length in characters of the row or quoted cell that begins on `line`. */
  readonly limit: number;
}
interface OfField {
  readonly field: ImportField;
}
/** A column name, or the number of a column from 1. */
interface OfColumn<Column = string> {
  readonly column: Column;
}
interface Found {
  readonly found: readonly string[];
}

/** The English messages of the errors of a file or of one of its rows. No parameter is a cell value. */
const messages = {
  SPREADSHEET_FILE: () => 'This is the file of a spreadsheet program. Save it as "CSV UTF-8" there first.',
  NOT_IN_ENCODING: ({ line, encoding }: OnLine & { readonly encoding: Encoding }) =>
    `Line ${line} has bytes that are not ${encoding}.`,
  ENCODING_CHANGES: ({ line, from, to }: OnLine & { readonly from: Encoding; readonly to: Encoding }) =>
    `The file is ${from} at first and ${to} on line ${line}. Save it again in one encoding, or specify the encoding.`,
  NO_HEADER: () => 'The file is empty: it has no line with the column names.',
  INVALID_SEPARATOR: () => 'A separator is one character, and neither a quote nor a line end.',
  NUL_IN_HEADER: ({ line }: OnLine) =>
    `Line ${line} has a NUL character: this is not a text file, or it is UTF-16 without a byte order mark. In that case, specify the encoding.`,
  UNCLOSED_QUOTE: ({ line, limit }: Limit) =>
    `The quote that begins on line ${line} is not closed, neither before the end of the file nor within ${limit} characters.`,
  NOT_A_LIST: ({ line, column }: Position) =>
    `At line ${line}, column ${column}, the file is neither a JSON array nor one JSON object per line.`,
  MISSING_COLUMN: ({ needed, found }: Found & { readonly needed: readonly ImportField[] }) =>
    `There is no column for ${needed.join(' or ')}. Found: ${list(found)}. Map one of them to it; is the first line the one with the names?`,
  DUPLICATE_COLUMN: ({ field, columns }: OfField & { readonly columns: readonly string[] }) =>
    `${list(columns)} all map to ${field}. Map only one of them to it.`,
  MAPPED_COLUMN_MISSING: ({ column, found }: OfColumn & Found) =>
    `There is no column "${truncated(column)}". Found: ${list(found)}.`,
  UNKNOWN_FIELD: ({ column, field }: OfColumn & { readonly field: string }) =>
    `"${truncated(column)}" cannot be "${truncated(field)}": there is no such field.`,
  INVALID_JSON: ({ line, column }: Position) => `At line ${line}, column ${column}, this is not valid JSON.`,
  NOT_AN_OBJECT: ({ line, column }: Position) => `At line ${line}, column ${column}, an object is expected.`,
  DUPLICATE_NAME: ({ line, column }: Position) =>
    `In the object at line ${line}, column ${column}, a name is repeated.`,
  ROW_TOO_LARGE: ({ line, limit }: Limit) =>
    `The row that begins on line ${line} has more than ${limit} characters.`,
  TEXT_AFTER_QUOTE: ({ line }: OnLine) =>
    `On line ${line} there is text after a closing quote. Quotes inside of quotes are written twice.`,
  NUL_CHARACTER: ({ line }: OnLine) => `The row that begins on line ${line} has a NUL character.`,
  WRONG_CELL_COUNT: ({ expected, found }: { readonly expected: number; readonly found: number }) =>
    `The row has ${found} cells instead of ${expected}.`,
  UNNAMED_COLUMN: ({ column }: OfColumn<number>) => `Column ${column} has a value, but no name.`,
  UNKNOWN_COLUMN: ({ column }: OfColumn) =>
    `"${truncated(column)}" is not a known column and is not in the first row.`,
  NOT_A_TEXT: ({ column }: OfColumn) => `"${truncated(column)}" must be a string.`,
  INVALID_ID: ({ field }: OfField) => `${field} is not a whole number from 1 on, written with digits alone.`,
  AMBIGUOUS_USER: () => 'The row has both a Username and a UserID: it is neither a registration nor a reset.',
  UNRECOGNISED_USER: () => 'The row has neither a Username, for a registration, nor a UserID, for a reset.',
  NOT_FOR_RESET: ({ field }: OfField) => `${field} is not allowed in a reset.`,
  NO_PRINCIPAL: () => 'The row names no principal.',
  PASSWORDS_DIFFER: () => 'Password and ConfirmPassword differ.',
};

export type FileErrorCode = keyof typeof messages;

export type FileErrorParams = {
  readonly [Code in FileErrorCode]: Parameters<(typeof messages)[Code]> extends [infer Params]
    ? Params
    : Readonly<Record<never, never>>;
};

/** An error of a file or of a row. `message` is English; to translate it, use `code` and its parameters, `params`. */
export type FileError = {
  readonly [Code in FileErrorCode]: {
    readonly code: Code;
    readonly params: FileErrorParams[Code];
    readonly message: string;
  };
}[FileErrorCode];

export function fileError<Code extends FileErrorCode>(code: Code, params: FileErrorParams[Code]): FileError {
  const formatMessage = messages[code] as (params: FileErrorParams[Code]) => string;
  return { code, params, message: formatMessage(params) } as FileError;
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
