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

interface CellCount {
  /** The number of columns. */
  readonly expected: number;
  readonly found: number;
}

/** The parts of a workbook whose number or length is limited. */
const workbookParts = {
  sheets: (limit: string) => `more than ${limit} sheets`,
  relations: (limit: string) => `more than ${limit} relations`,
  formats: (limit: string) => `more than ${limit} cell formats`,
  rows: (limit: string) => `more than ${limit} rows, including empty ones`,
  cell: (limit: string) => `a cell with more than ${limit} characters`,
  xml: (limit: string) => `a tag or a text with more than ${limit} characters`,
};
export type WorkbookPart = keyof typeof workbookParts;

/** The English messages of the errors of a file or of one of its rows. No parameter is a cell value. */
const messages = {
  SPREADSHEET_FILE: () =>
    'This is a spreadsheet file such as .xls or .ods. Save it as .xlsx or as "CSV UTF-8", and import that file.',
  INVALID_WORKBOOK: ({ place }: { readonly place: string | null }) =>
    `The .xlsx file cannot be read${place === null ? '' : ` (${place})`}. Open it in a spreadsheet program and save it again, or save it as "CSV UTF-8".`,
  WORKBOOK_TOO_LARGE: ({ limit }: { readonly limit: number }) =>
    `The .xlsx file contains more than ${Math.floor(limit / 1_048_576)} MB of data. Save the sheet as "CSV UTF-8": a CSV file can have any size.`,
  WORKBOOK_LIMIT: ({ part, limit }: { readonly part: WorkbookPart; readonly limit: number }) =>
    `The .xlsx file has ${workbookParts[part](limit.toLocaleString('en'))}. Save the sheet as "CSV UTF-8", and import that file.`,
  SHEET_NOT_FOUND: ({ sheet, found }: Found & { readonly sheet: string }) =>
    `There is no sheet "${truncated(sheet)}". Sheets found: ${list(found)}.`,
  BINARY_FILE: () => 'This is not a CSV, JSON, NDJSON or .xlsx file. Choose a file in one of these formats.',
  NOT_IN_ENCODING: ({ line, encoding }: OnLine & { readonly encoding: Encoding }) =>
    `Line ${line} has bytes that are not valid ${encoding}. Save the file as UTF-8, or specify its encoding.`,
  ENCODING_CHANGES: ({ line, from, to }: OnLine & { readonly from: Encoding; readonly to: Encoding }) =>
    `The encoding changes from ${from} to ${to} on line ${line}. Save the file in one encoding, or specify the encoding.`,
  NO_HEADER: () => 'The file is empty. The first line must contain the column names.',
  INVALID_SEPARATOR: () => 'The separator must be one character, and not a quote or a line break.',
  NUL_IN_HEADER: ({ line }: OnLine) =>
    `Line ${line} has a NUL character. Either this is not a text file, or it is UTF-16 without a byte order mark: then specify the encoding.`,
  UNCLOSED_QUOTE: ({ line, limit }: Limit) =>
    `The quote that opens on line ${line} is not closed within ${limit} characters or before the end of the file. Add the closing quote.`,
  NOT_A_LIST: ({ line, column }: Position) =>
    `Line ${line}, column ${column}: expected a JSON array, or one JSON object per line.`,
  EXPORT_FILE: () =>
    'This file is an NDJSON export, which cannot be imported. Export the principals and users as CSV, and import that file.',
  MISSING_COLUMN: ({ needed, found }: Found & { readonly needed: readonly ImportField[] }) =>
    `There is no column for ${needed.join(' or ')}. Columns found: ${list(found)}. Check that the first line contains the column names.`,
  DUPLICATE_COLUMN: ({ field, columns }: OfField & { readonly columns: readonly string[] }) =>
    `Several columns map to ${field}: ${list(columns)}. Map only one of them.`,
  MAPPED_COLUMN_MISSING: ({ column, found }: OfColumn & Found) =>
    `There is no column "${truncated(column)}" to map. Columns found: ${list(found)}.`,
  UNKNOWN_FIELD: ({ column, field }: OfColumn & { readonly field: string }) =>
    `Column "${truncated(column)}" is mapped to "${truncated(field)}", which is not a field.`,
  ATTRIBUTE_HEADING: ({ column, limit }: OfColumn & { readonly limit: number }) =>
    `Column "${truncated(column)}" has no usable name for an attribute. Use 1 to ${limit} letters, digits, dots, dashes or underscores after "Attributes.".`,
  INVALID_JSON: ({ line, column }: Position) => `Line ${line}, column ${column}: invalid JSON.`,
  NOT_AN_OBJECT: ({ line, column }: Position) => `Line ${line}, column ${column}: expected a JSON object.`,
  DUPLICATE_NAME: ({ line, column }: Position) =>
    `Line ${line}, column ${column}: the object has the same property twice.`,
  ROW_TOO_LARGE: ({ line, limit }: Limit) => `The row on line ${line} is longer than ${limit} characters.`,
  TOO_MANY_COLUMNS: ({ line, limit }: OnLine & { readonly limit: number }) =>
    `Row ${line} has a value after column ${limit}, the last one that is read. Delete the columns after it, or save the sheet as "CSV UTF-8".`,
  TEXT_AFTER_QUOTE: ({ line }: OnLine) =>
    `Line ${line} has text after a closing quote. Write a quote inside a quoted value twice ("").`,
  NUL_CHARACTER: ({ line }: OnLine) => `The row on line ${line} has a NUL character. Remove it.`,
  TOO_MANY_CELLS: ({ expected, found }: CellCount) =>
    `The row has ${found} cells; expected ${expected}. Remove the extra cells, or put a value that contains the separator in quotes.`,
  TOO_FEW_CELLS: ({ expected, found }: CellCount) =>
    `The row has ${found} cells; expected ${expected}. Add the missing cells.`,
  UNNAMED_COLUMN: ({ column }: OfColumn<number>) =>
    `Column ${column} has a value but no name. Add a name in the first line, or remove the value.`,
  UNKNOWN_COLUMN: ({ column }: OfColumn) =>
    `"${truncated(column)}" is neither a known field nor a property of the first row.`,
  NOT_A_TEXT: ({ column }: OfColumn) => `"${truncated(column)}" must be a string.`,
  DAMAGED_NUMBER: ({ column }: OfColumn) =>
    `"${truncated(column)}" was changed by a spreadsheet program, which took the value for a number and removed digits. Enter the value again, in a column with the format "Text".`,
  FORMULA_ERROR: ({ column }: OfColumn) =>
    `"${truncated(column)}" has the error of a formula instead of a value. Correct the formula, or enter the value.`,
  INVALID_ID: ({ field }: OfField) => `${field} must be a whole number greater than 0, with digits only.`,
  AMBIGUOUS_USER: () =>
    'The row has both Username and UserID. Use Username to register a user, or UserID to reset a password.',
  UNRECOGNISED_USER: () => 'Username is missing.',
  NOT_FOR_RESET: ({ field }: OfField) => `${field} is not allowed in a password reset. Remove the value.`,
  NO_PRINCIPAL: () => 'The principal is missing. Add its ID or ExternalKey.',
  ATTRIBUTES_NOT_JSON: () =>
    'Attributes must be a JSON object, such as {"Department": "Sales"}. A single value needs a column of its own, such as Attributes.Department.',
  PASSWORDS_DIFFER: () => 'Password and ConfirmPassword are not the same.',
};

export type FileErrorCode = keyof typeof messages;

export const fileErrorCodes = Object.keys(messages) as readonly FileErrorCode[];

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

/** Refuses a workbook with more than `limit` of a part. */
export function limitPart(part: WorkbookPart, found: number, limit: number): void {
  if (found > limit) throw failure('WORKBOOK_LIMIT', { part, limit });
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
  if (names.length === 0) return 'none';
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
