import type { SheetField } from './columns/fields.ts';
import type { Encoding } from './text/encoding.ts';

type None = Readonly<Record<never, never>>;
/** Lines and columns count from 1. */
interface OnLine {
  readonly line: number;
}
interface At extends OnLine {
  readonly column: number;
}

/** What can be wrong with a sheet or with one of its rows, and the figures that tell more. None of them is the value of a cell. */
export interface FaultFigures {
  /** The bytes are those of an .xlsx, .ods or .xls file. */
  readonly SPREADSHEET_FILE: None;
  readonly NOT_IN_ENCODING: OnLine & { readonly encoding: Encoding };
  /** Up to this line the file is in one encoding, on it in another. */
  readonly ENCODING_CHANGES: OnLine & { readonly from: Encoding; readonly to: Encoding };
  readonly NO_HEADER: None;
  readonly INVALID_SEPARATOR: None;
  readonly NUL_IN_HEADER: OnLine;
  /** The line on which the quote begins. */
  readonly UNCLOSED_QUOTE: OnLine & { readonly limit: number };
  readonly NOT_A_LIST: At;
  readonly MISSING_COLUMN: { readonly needed: readonly SheetField[]; readonly found: readonly string[] };
  readonly DUPLICATE_COLUMN: { readonly field: SheetField; readonly columns: readonly string[] };
  /** A column was mapped that the file does not have. */
  readonly MAPPED_COLUMN_MISSING: { readonly column: string; readonly found: readonly string[] };
  /** A column was mapped to a field that does not exist. */
  readonly UNKNOWN_FIELD: { readonly column: string; readonly field: string };

  readonly INVALID_JSON: At;
  readonly NOT_AN_OBJECT: At;
  readonly DUPLICATE_NAME: At;
  readonly ROW_TOO_LARGE: OnLine & { readonly limit: number };
  readonly TEXT_AFTER_QUOTE: OnLine;
  readonly NUL_CHARACTER: OnLine;
  readonly WRONG_CELL_COUNT: { readonly expected: number; readonly found: number };
  /** A value stands in a column that has no name; columns count from 1. */
  readonly UNNAMED_COLUMN: { readonly column: number };
  /** A name that the first row does not have, and that means nothing. */
  readonly UNKNOWN_COLUMN: { readonly column: string };
  readonly NOT_A_TEXT: { readonly column: string };
  readonly INVALID_ID: { readonly field: SheetField };
  readonly AMBIGUOUS_USER: None;
  readonly UNRECOGNISED_USER: None;
  readonly NOT_FOR_RESET: { readonly field: SheetField };
  readonly NO_PRINCIPAL: None;
  readonly PASSWORDS_DIFFER: None;
}

export type FaultCode = keyof FaultFigures;

const sentences: { readonly [Code in FaultCode]: (figures: FaultFigures[Code]) => string } = {
  SPREADSHEET_FILE: () => 'This is the file of a spreadsheet program. Save it as "CSV UTF-8" there first.',
  NOT_IN_ENCODING: ({ line, encoding }) => `Line ${line} has bytes that are not ${encoding}.`,
  ENCODING_CHANGES: ({ line, from, to }) =>
    `The file is ${from} at first and ${to} on line ${line}. Save it anew in one encoding, or say which one it is.`,
  NO_HEADER: () => 'The file is empty: it has no line with the names of the columns.',
  INVALID_SEPARATOR: () => 'A separator is one character, and neither a quote nor a line end.',
  NUL_IN_HEADER: ({ line }) =>
    `Line ${line} has a NUL character: this is no text, or UTF-16 without a byte order mark. If so, say which.`,
  UNCLOSED_QUOTE: ({ line, limit }) =>
    `The quote that begins on line ${line} is not closed, neither before the end of the file nor within ${limit} characters.`,
  NOT_A_LIST: ({ line, column }) =>
    `At line ${line}, column ${column}, the file is neither a JSON array nor one JSON object per line.`,
  MISSING_COLUMN: ({ needed, found }) =>
    `There is no column for ${needed.join(' or ')}. Found: ${listed(found)}. Map one of them to it; is the first line the one with the names?`,
  DUPLICATE_COLUMN: ({ field, columns }) =>
    `${listed(columns)} would all be ${field}. Map all but one to nothing.`,
  MAPPED_COLUMN_MISSING: ({ column, found }) =>
    `There is no column "${shown(column)}". Found: ${listed(found)}.`,
  UNKNOWN_FIELD: ({ column, field }) =>
    `"${shown(column)}" cannot be "${shown(field)}": there is no such field.`,
  INVALID_JSON: ({ line, column }) => `At line ${line}, column ${column}, this is not valid JSON.`,
  NOT_AN_OBJECT: ({ line, column }) => `At line ${line}, column ${column}, an object is expected.`,
  DUPLICATE_NAME: ({ line, column }) =>
    `In the object at line ${line}, column ${column}, a name stands twice.`,
  ROW_TOO_LARGE: ({ line, limit }) =>
    `The row that begins on line ${line} has more than ${limit} characters.`,
  TEXT_AFTER_QUOTE: ({ line }) =>
    `On line ${line} there is text after a closing quote. Quotes inside of quotes are written twice.`,
  NUL_CHARACTER: ({ line }) => `The row that begins on line ${line} has a NUL character.`,
  WRONG_CELL_COUNT: ({ expected, found }) => `The row has ${found} cells in place of ${expected}.`,
  UNNAMED_COLUMN: ({ column }) => `Column ${column} has a value, but no name.`,
  UNKNOWN_COLUMN: ({ column }) => `"${shown(column)}" is not known and not in the first row.`,
  NOT_A_TEXT: ({ column }) => `"${shown(column)}" has to be a text in quotes.`,
  INVALID_ID: ({ field }) => `${field} is not a whole number from 1 on, written with digits alone.`,
  AMBIGUOUS_USER: () => 'Username and UserID stand together: this is neither a registration nor a reset.',
  UNRECOGNISED_USER: () => 'There is neither a Username, for a registration, nor a UserID, for a reset.',
  NOT_FOR_RESET: ({ field }) => `${field} cannot stand in a reset.`,
  NO_PRINCIPAL: () => 'Nothing says which principal the user belongs to.',
  PASSWORDS_DIFFER: () => 'Password and ConfirmPassword differ.',
};

/** `code` tells which fault it is, `message` says it in English; `figures` are what is needed to say it in another language. */
export type SheetFault = {
  readonly [Code in FaultCode]: {
    readonly code: Code;
    readonly figures: FaultFigures[Code];
    readonly message: string;
  };
}[FaultCode];

export function fault<Code extends FaultCode>(code: Code, figures: FaultFigures[Code]): SheetFault {
  return { code, figures, message: sentences[code](figures) } as SheetFault;
}

/**
 * The sheet cannot be read, or not further. `switch (error.fault.code)` tells the figures of each.
 *
 * Names of columns stand in some figures and messages. In a file without a header these may be anything, a password
 * too: show them to whoever has the file, and write them to no log.
 */
export class SheetError extends Error {
  readonly fault: SheetFault;

  constructor(why: SheetFault) {
    super(why.message);
    this.name = 'SheetError';
    this.fault = why;
  }

  get code(): FaultCode {
    return this.fault.code;
  }
}

export function refusal<Code extends FaultCode>(code: Code, figures: FaultFigures[Code]): SheetError {
  return new SheetError(fault(code, figures));
}

const namesShown = 50;
const nameShown = 60;

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'nothing';
  const more = names.length > namesShown ? `, and ${names.length - namesShown} more` : '';
  return `${names
    .slice(0, namesShown)
    .map((name) => `"${shown(name)}"`)
    .join(', ')}${more}`;
}

/** Cut between two characters. */
function shown(name: string): string {
  return name.length > nameShown ? `${name.slice(0, nameShown).replace(/[\ud800-\udbff]$/, '')}…` : name;
}
