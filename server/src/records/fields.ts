import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, readEmail, readText, within } from '../lib/request-fields.ts';

/** A descriptive field of a principal or of a user: an optional text that is stored as sent. */
export interface FieldDefinition {
  readonly column: string;
  readonly format: 'text' | 'email';
  /** Maximum length in code points. */
  readonly maxLength: number;
  /** `number`: the search also finds the value by its digits and letters alone. */
  readonly search?: 'number';
  /** Column headings of imported files that mean the field, in English and Italian, besides its name. */
  readonly headings: readonly string[];
}

/**
 * The fields of a principal, by their names on the wire. Requests, answers, SQL and search terms are derived from this
 * table; `npm run generate` copies it to the client package, from which the importer and the console derive their
 * columns and forms. A new field also needs its column in a migration and its label in the console's en.ts and it.ts.
 */
export const principalFields = {
  ExternalKey: {
    column: 'external_key',
    format: 'text',
    maxLength: 128,
    headings: ['Codice cliente', 'Codice esterno', 'Chiave esterna', 'Customer code'],
  },
  Denomination: {
    column: 'denomination',
    format: 'text',
    maxLength: 255,
    headings: ['Ragione sociale', 'Denominazione', 'Company', 'Company name', 'Azienda'],
  },
  Surname: { column: 'surname', format: 'text', maxLength: 255, headings: ['Cognome', 'Last name'] },
  Name: { column: 'name', format: 'text', maxLength: 255, headings: ['Nome', 'First name'] },
  Vatnumber: {
    column: 'vatnumber',
    format: 'text',
    maxLength: 64,
    search: 'number',
    headings: ['Partita IVA', 'P.IVA', 'VAT'],
  },
  Taxcode: {
    column: 'taxcode',
    format: 'text',
    maxLength: 64,
    search: 'number',
    headings: ['Codice fiscale'],
  },
  Email: { column: 'email', format: 'email', maxLength: 254, headings: ['Email azienda', 'Company email'] },
} as const satisfies Record<string, FieldDefinition>;

/** The fields of a user, besides `ID`, `Username`, the password and `State`, which have rules of their own. */
export const userFields = {
  Email: {
    column: 'email',
    format: 'email',
    maxLength: 254,
    headings: ['Posta elettronica', 'Mail', 'Email address', 'Indirizzo email'],
  },
  Phone: {
    column: 'phone',
    format: 'text',
    maxLength: 64,
    headings: ['Telefono', 'Phone number', 'Cellulare'],
  },
} as const satisfies Record<string, FieldDefinition>;

export const states = ['active', 'disabled'] as const;

/** A disabled user cannot sign in; under a disabled principal no user can. */
export type State = (typeof states)[number];

type Definitions = Readonly<Record<string, FieldDefinition>>;

/** The values of the fields. Null means that the field is not set. */
export type FieldValues<Table extends Definitions> = { readonly [Name in keyof Table]: string | null };

export type PrincipalFields = FieldValues<typeof principalFields>;
export type UserFields = FieldValues<typeof userFields>;

export const principalFieldNames = Object.keys(principalFields) as (keyof PrincipalFields)[];
export const userFieldNames = Object.keys(userFields) as (keyof UserFields)[];

/** Reads the fields of an object in a request. A field that is absent or invalid is null. */
export function readFields<Table extends Definitions>(
  sent: Fields,
  table: Table,
  place: string,
  errors: FieldErrors,
): FieldValues<Table> {
  const values = Object.entries(table).map(([name, definition]) => [
    name,
    readField(sent[name], definition, within(place, name), errors),
  ]);
  return Object.fromEntries(values) as FieldValues<Table>;
}

export function readField(
  value: unknown,
  { format, maxLength }: FieldDefinition,
  place: string,
  errors: FieldErrors,
): string | null {
  return format === 'email' ? readEmail(value, place, errors) : readText(value, maxLength, place, errors);
}

export function valuesOf<Table extends Definitions>(
  table: Table,
  row: FieldValues<Table>,
): FieldValues<Table> {
  return Object.fromEntries(Object.keys(table).map((name) => [name, row[name]])) as FieldValues<Table>;
}

/** Returns the select list: `external_key as "ExternalKey", ...`. */
export function selectedColumns(table: Definitions): string {
  return Object.entries(table)
    .map(([name, { column }]) => `${column} as "${name}"`)
    .join(', ');
}

export function columnNames(table: Definitions, source?: string): string {
  return Object.values(table)
    .map(({ column }) => (source ? `${source}.${column}` : column))
    .join(', ');
}

/** Returns the type of each column, for `rowsParameter`. */
export function columnTypes(table: Definitions): Record<string, 'text'> {
  return Object.fromEntries(Object.values(table).map(({ column }) => [column, 'text']));
}

export function columnValues<Table extends Definitions>(
  table: Table,
  values: FieldValues<Table>,
): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { column }]) => [column, values[name] ?? null]),
  );
}
