import type { ColumnMapping } from './columns.ts';
import { type FileError, fileError } from './errors.ts';
import {
  type ImportField,
  type PrincipalField,
  principalColumns,
  type UserField,
  userFieldNames,
} from './types.ts';

/** The principal fields of a row. `ID` refers to an existing principal; the other fields are then only informative. */
export type RowPrincipal = { readonly ID?: number } & { readonly [Field in PrincipalField]?: string };

/** A user to register, in the form of the API. */
export type RowRegistration = { readonly [Field in UserField]?: string } & {
  readonly Username: string;
  readonly Password?: string;
  readonly ConfirmPassword?: string;
  readonly PasswordHash?: string;
  readonly ID?: never;
};

/** A password to reset. The API takes only the `ID` of the user: the caller must look up the ID of a `Username`. */
export type RowReset = { readonly [Field in UserField]?: never } & {
  readonly ID?: number;
  readonly Username?: string;
  readonly Password?: string;
  readonly ConfirmPassword?: string;
  readonly PasswordHash?: never;
};

/** The cells of a row by field. An empty cell is absent. */
export type Values = { readonly [Field in ImportField]?: string };

export interface RowUser {
  readonly principal: RowPrincipal;
  readonly user: RowRegistration | RowReset;
}

/** Rejects "1e3" and "1.5", which are not IDs, and "007", which may be another code. */
const wholeNumber = /^[1-9]\d*$/;

export interface InterpretOptions {
  /** Maps columns whose names are not recognised: `{ "Login name": "Username", "Note": null }`. */
  readonly columns?: ColumnMapping;
  /** The principal of rows that have no principal fields. */
  readonly principal?: RowPrincipal;
  /** The file resets passwords: `Username` refers to an existing user, and a row with it needs no principal. */
  readonly resets?: boolean;
  /** Allows a file without a column for passwords or password hashes, for a caller that generates the passwords. */
  readonly withoutPasswords?: boolean;
}

/** Interprets the cells of a row. It does not validate the values of the fields, which the service does. */
export function readUser(values: Values, options: InterpretOptions): RowUser | FileError[] {
  const errors: FileError[] = [];
  const principal = readPrincipal(values, errors) ?? options.principal;
  const resetsByName = options.resets && values.Username !== undefined;
  if (!principal && !resetsByName) errors.push(fileError('NO_PRINCIPAL', {}));
  const user = readUserFields(values, options, errors);
  return errors.length === 0 && user ? { principal: principal ?? {}, user } : errors;
}

const secrets = ['Password', 'ConfirmPassword'] as const;
const registrationFields = [...userFieldNames, ...secrets, 'PasswordHash'] as const;
const invalidForReset = [...userFieldNames, 'PasswordHash'] as const;
/** Ignores the user fields of a file that resets passwords, because a list of users often has addresses. */
const invalidInResetFile = ['PasswordHash'] as const;

function readPrincipal(values: Values, errors: FileError[]): RowPrincipal | null {
  const principal: { -readonly [Name in keyof RowPrincipal]: RowPrincipal[Name] } = {};
  if (values.ID !== undefined) principal.ID = readId('ID', values.ID, errors);
  for (const [field, column] of principalColumns) {
    const text = values[column];
    if (text !== undefined) principal[field] = text;
  }
  return Object.keys(principal).length > 0 ? principal : null;
}

function readUserFields(
  values: Values,
  { resets }: InterpretOptions,
  errors: FileError[],
): RowUser['user'] | null {
  const { Username, UserID } = values;
  if (values.Password !== values.ConfirmPassword) errors.push(fileError('PASSWORDS_DIFFER', {}));
  if (Username !== undefined && UserID !== undefined) errors.push(fileError('AMBIGUOUS_USER', {}));
  else if (Username !== undefined && !resets) return copyTexts(values, registrationFields, { Username });
  else if (UserID === undefined && Username === undefined) errors.push(fileError('UNRECOGNISED_USER', {}));
  else {
    for (const field of resets ? invalidInResetFile : invalidForReset)
      if (values[field] !== undefined) errors.push(fileError('NOT_FOR_RESET', { field }));
    const user = UserID === undefined ? { Username } : { ID: readId('UserID', UserID, errors) };
    return copyTexts(values, secrets, user as RowReset);
  }
  return null;
}

function readId(field: ImportField, text: string, errors: FileError[]): number {
  const id = Number(text);
  if (!wholeNumber.test(text) || !Number.isSafeInteger(id)) errors.push(fileError('INVALID_ID', { field }));
  return id;
}

function copyTexts<Target extends object, Field extends ImportField>(
  values: Values,
  fields: readonly Field[],
  target: Target,
): Target & { readonly [Name in Field]?: string } {
  const copy = target as Record<string, unknown>;
  for (const field of fields) {
    if (values[field] !== undefined) copy[field] = values[field];
  }
  return target;
}
