import type { Attributes } from '@anagrafe/client';
import type { ColumnMapping } from './columns.ts';
import { type FileError, fileError } from './errors.ts';
import {
  attributeOf,
  columnsOfPrincipal,
  type ImportField,
  isAttributeField,
  type PrincipalField,
  principalColumns,
  type UserField,
  userFieldNames,
} from './types.ts';

/** The principal fields of a row. `ID` refers to an existing principal, `ExternalKey` to one that may be new. */
export type RowPrincipal = { readonly ID?: number; readonly State?: string; readonly Similar?: string } & {
  readonly [Field in Exclude<PrincipalField, 'Tags'>]?: string;
} & { readonly Tags?: readonly string[] };

/** The fields of a user that a cell holds as they are sent. */
type TextField = Exclude<UserField, 'Attributes'>;

/** A user to register, in the form of the API. */
export type RowRegistration = { readonly [Field in TextField]?: string } & {
  readonly Username: string;
  readonly Attributes?: Attributes;
  readonly State?: string;
  readonly Password?: string;
  readonly ConfirmPassword?: string;
  readonly PasswordHash?: string;
  /** The way in which the user gets a code to set its password. No column has it. */
  readonly Invite?: string;
  readonly ID?: never;
};

/** A password to reset. The API takes only the `ID` of the user: the caller must look up the ID of a `Username`. */
export type RowReset = { readonly [Field in UserField]?: never } & {
  readonly State?: never;
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
  /** Null if the row describes a principal and no user, as in an export of a principal without users. */
  readonly user: RowRegistration | RowReset | null;
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
  if (!options.resets && principal && errors.length === 0 && describesOnlyPrincipal(values))
    return { principal, user: null };
  const user = readUserFields(values, options, errors);
  return errors.length === 0 && user ? { principal: principal ?? {}, user } : errors;
}

const described: readonly ImportField[] = [...principalColumns.values()].filter(
  (column) => column !== 'ExternalKey',
);

/** Returns true for a row without any value of a user. A reference alone is not enough: the user was forgotten. */
function describesOnlyPrincipal(values: Values): boolean {
  if (values.Username !== undefined) return false;
  return (
    Object.keys(values).every((field) => columnsOfPrincipal.includes(field)) &&
    described.some((column) => values[column] !== undefined)
  );
}

const secrets = ['Password', 'ConfirmPassword'] as const;
const textFields = userFieldNames.filter((field) => field !== 'Attributes') as TextField[];
const registrationFields = [...textFields, 'State', ...secrets, 'PasswordHash'] as const;
const invalidForReset = [...userFieldNames, 'State', 'PasswordHash'] as const;
/** Ignores the user fields of a file that resets passwords, because a list of users often has addresses. */
const invalidInResetFile = ['PasswordHash'] as const;

function readPrincipal(values: Values, errors: FileError[]): RowPrincipal | null {
  const principal: { -readonly [Name in keyof RowPrincipal]: RowPrincipal[Name] } = {};
  if (values.ID !== undefined) principal.ID = readId('ID', values.ID, errors);
  for (const [field, column] of principalColumns) {
    const text = values[column];
    if (text === undefined) continue;
    if (field !== 'Tags') principal[field] = text;
    else if (tagsIn(text).length > 0) principal.Tags = tagsIn(text);
  }
  if (Object.keys(principal).length === 0) return null;
  if (values.PrincipalState !== undefined) principal.State = values.PrincipalState;
  if (values.Similar !== undefined) principal.Similar = values.Similar.toLowerCase();
  return principal;
}

/** Returns the tags of a cell as they are stored: in lower case, sorted, each once. */
export function tagsIn(text: string): string[] {
  return [...new Set(text.toLowerCase().split(/[\s,;|]+/))].filter((tag) => tag !== '').sort();
}

function readUserFields(values: Values, { resets }: InterpretOptions, errors: FileError[]): RowUser['user'] {
  const { Username, UserID } = values;
  if (values.Password !== values.ConfirmPassword) errors.push(fileError('PASSWORDS_DIFFER', {}));
  if (Username !== undefined && UserID !== undefined) errors.push(fileError('AMBIGUOUS_USER', {}));
  else if (Username !== undefined && !resets) {
    const attributes = readAttributes(values, errors);
    const user = copyTexts(values, registrationFields, { Username });
    return attributes ? { ...user, Attributes: attributes } : user;
  } else if (UserID === undefined && Username === undefined) errors.push(fileError('UNRECOGNISED_USER', {}));
  else {
    const single = resets ? [] : (Object.keys(values) as ImportField[]).filter(isAttributeField);
    for (const field of [...(resets ? invalidInResetFile : invalidForReset), ...single])
      if (values[field] !== undefined) errors.push(fileError('NOT_FOR_RESET', { field }));
    const user = UserID === undefined ? { Username } : { ID: readId('UserID', UserID, errors) };
    return copyTexts(values, secrets, user as RowReset);
  }
  return null;
}

/**
 * Returns the attributes of the JSON in the column `Attributes` and of the columns of single attributes; null if all
 * are empty. The service validates their names and values.
 */
function readAttributes(values: Values, errors: FileError[]): Attributes | null {
  const fields = Object.keys(values).filter(isAttributeField);
  if (values.Attributes === undefined && fields.length === 0) return null;
  const attributes = new Map<string, string>();
  if (values.Attributes !== undefined) {
    const object = parseObject(values.Attributes);
    if (!object) errors.push(fileError('ATTRIBUTES_NOT_JSON', {}));
    for (const [name, value] of Object.entries(object ?? {})) attributes.set(name, value as string);
  }
  for (const field of fields) {
    const value = values[field];
    if (value === undefined) continue;
    const name = attributeOf(field);
    if (attributes.has(name) && attributes.get(name) !== value)
      errors.push(fileError('DUPLICATE_COLUMN', { field, columns: ['Attributes', field] }));
    attributes.set(name, value);
  }
  return attributes.size > 0 ? Object.fromEntries(attributes) : null;
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
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
