import { principalFields, userFields } from '@anagrafe/client';
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

export type FileFormat = 'csv' | 'json' | 'ndjson';

/** The unit that a row is counted in: an element of a JSON array need not begin on a line of its own. */
export type RowUnit = 'line' | 'record';

export function rowUnit({ format }: Pick<FileLayout, 'format'>): RowUnit {
  return format === 'json' ? 'record' : 'line';
}

export interface FileLayout {
  readonly format: FileFormat;
  /** Null while only ASCII was read, which does not determine the encoding. */
  readonly encoding: Encoding | null;
  /** The character between the cells of a CSV; empty for JSON. */
  readonly separator: string;
  /** The sheet of a workbook, whose rows are treated like those of a CSV; absent for every other file. */
  readonly sheet?: string;
  /** The column names as written in the file. For JSON, the names in the first row if that is a flat object. */
  readonly header: readonly string[];
}

/** A position in the file. Both numbers count from 1; `column` counts UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** A row as written in the file: the cells of a CSV or a JSON object. Null if it could not be parsed. */
export type RowSource = readonly string[] | JsonObject | null;

export interface SourceRow<Source extends RowSource = RowSource> {
  /** Row number, from 1: the first row after the header or, in JSON, the first element. */
  readonly number: number;
  /** Number of the line on which the row begins or, in a JSON array, of the record, from 1. See `rowUnit`. */
  readonly line: number;
  readonly source: Source;
}

export type PrincipalField = keyof typeof principalFields;
export type UserField = keyof typeof userFields;

/** The column of a principal field: its name, with `Principal` before it if users have a field of that name too. */
export type PrincipalColumn<Field extends PrincipalField = PrincipalField> = Field extends UserField
  ? `Principal${Field}`
  : Field;

/** One attribute of the user, such as `Attributes.Department`. The field `Attributes` holds all of them as JSON. */
export type AttributeField = `Attributes.${string}`;

/**
 * All fields that a column can map to, named as in the API. `ID` is that of the principal; `UserID` is the ID of the
 * user whose password is reset. `State` is that of the user. `Similar` accepts a principal that looks like another one.
 */
export type ImportField =
  | 'ID'
  | PrincipalColumn
  | 'PrincipalState'
  | 'Similar'
  | 'UserID'
  | 'Username'
  | UserField
  | AttributeField
  | 'State'
  | 'Password'
  | 'ConfirmPassword'
  | 'PasswordHash';

const principalFieldNames = Object.keys(principalFields) as PrincipalField[];
export const userFieldNames = Object.keys(userFields) as UserField[];

/** The fields that describe a principal, with their columns. */
export const principalColumns: ReadonlyMap<PrincipalField, PrincipalColumn> = new Map(
  principalFieldNames.map((field) => [
    field,
    (Object.hasOwn(userFields, field) ? `Principal${field}` : field) as PrincipalColumn,
  ]),
);

/** The columns that state or name a principal; all others are of its user. */
export const columnsOfPrincipal: readonly string[] = [
  'ID',
  'PrincipalState',
  'Similar',
  ...principalColumns.values(),
];

export const principalImportFields: readonly ImportField[] = ['ID', ...principalColumns.values()];

/** The fields, without those of single attributes, whose names are known only from the file. */
export const importFields: readonly ImportField[] = [
  ...principalImportFields,
  'PrincipalState',
  'Similar',
  'UserID',
  'Username',
  ...userFieldNames,
  'State',
  'Password',
  'ConfirmPassword',
  'PasswordHash',
];

export function isImportField(name: string): name is ImportField {
  return (importFields as readonly string[]).includes(name) || isAttributeField(name);
}

export function isAttributeField(name: string): name is AttributeField {
  return name.startsWith(attributePrefix) && name.length > attributePrefix.length;
}

/** Returns the name of the attribute: `Department` for `Attributes.Department`. */
export function attributeOf(field: AttributeField): string {
  return field.slice(attributePrefix.length);
}

export const attributePrefix = 'Attributes.';
