import type { FieldErrors } from '../../lib/field-errors.ts';
import {
  type Fields,
  isAbsent,
  isObject,
  readEmail,
  readKey,
  readText,
  within,
} from '../../lib/request-fields.ts';
import { type Tags, tagLengthMax } from '../../lib/tags.ts';
import {
  type Attributes,
  attributesJson,
  isSameAttributes,
  readAttributes,
  readLanguage,
  readTags,
} from './field-formats.ts';

/** The type of a value by its format. Attributes are stored as `jsonb`, tags as `text[]`, the others as text. */
interface FormatValues {
  readonly text: string;
  readonly key: string;
  readonly email: string;
  readonly language: string;
  readonly attributes: Attributes;
  readonly tags: Tags;
}

export type FieldFormat = keyof FormatValues;
export type FieldValue = FormatValues[FieldFormat];

/** A descriptive field of a principal or of a user: an optional value that is stored as sent. */
export interface FieldDefinition {
  readonly column: string;
  readonly format: FieldFormat;
  /** Maximum length in code points, of tags that of each; for attributes, the maximum length of each value in bytes (UTF-8). */
  readonly maxLength: number;
  /**
   * `number`: the search of principals also finds the value by its digits and letters alone. `name`: the words of the
   * value are in `name_terms`, by which users are found.
   */
  readonly search?: 'number' | 'name';
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
    format: 'key',
    maxLength: 128,
    headings: ['Codice cliente', 'Codice esterno', 'Chiave esterna', 'Customer code'],
  },
  Denomination: {
    column: 'denomination',
    format: 'text',
    maxLength: 255,
    headings: ['Ragione sociale', 'Denominazione', 'Company', 'Company name', 'Azienda'],
  },
  Surname: { column: 'surname', format: 'text', maxLength: 255, headings: ['Cognome'] },
  Name: { column: 'name', format: 'text', maxLength: 255, headings: ['Nome'] },
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
  Tags: { column: 'tags', format: 'tags', maxLength: tagLengthMax, headings: ['Etichette', 'Tag', 'Labels'] },
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
  FirstName: {
    column: 'first_name',
    format: 'text',
    maxLength: 255,
    search: 'name',
    headings: ['Given name', 'Nome di battesimo'],
  },
  LastName: {
    column: 'last_name',
    format: 'text',
    maxLength: 255,
    search: 'name',
    headings: ['Family name'],
  },
  Language: { column: 'language', format: 'language', maxLength: 35, headings: ['Lingua', 'Locale'] },
  Attributes: { column: 'attributes', format: 'attributes', maxLength: 1024, headings: ['Attributi'] },
} as const satisfies Record<string, FieldDefinition>;

export const states = ['active', 'disabled'] as const;

/** A disabled user cannot sign in; under a disabled principal no user can. */
export type State = (typeof states)[number];

/** The states of a user in answers. An invited user is enabled and cannot sign in either, because it has no password. */
export const shownStates = [...states, 'invited'] as const;
export type ShownState = (typeof shownStates)[number];

/** Reads a state; null if it is absent or invalid. */
export function readState(value: unknown, place: string, errors: FieldErrors): State | null {
  if (isAbsent(value)) return null;
  const state = states.find((known) => known === value);
  if (!state) errors.add(place, 'INVALID_STATE');
  return state ?? null;
}

export type Definitions = Readonly<Record<string, FieldDefinition>>;

/** The values of the fields. Null means that the field is not set. */
export type FieldValues<Table extends Definitions> = {
  readonly [Name in keyof Table]: FormatValues[Table[Name]['format']] | null;
};

/** The values that a record sends for existing fields. An absent field stays as it is; null clears it. */
export type FieldEdits<Table extends Definitions> = Partial<FieldValues<Table>>;

export type PrincipalFields = FieldValues<typeof principalFields>;
export type UserFields = FieldValues<typeof userFields>;

/** The fields of a principal that a record can change. `ExternalKey` names the principal. */
export const { ExternalKey: externalKeyField, ...editablePrincipalFields } = principalFields;

export const principalFieldNames = Object.keys(principalFields) as (keyof PrincipalFields)[];
export const userFieldNames = Object.keys(userFields) as (keyof UserFields)[];

/** Reads the fields of a new object in a request. A field that is absent or invalid is null. */
export function readFields<Table extends Definitions>(
  sent: Fields,
  table: Table,
  place: string,
  errors: FieldErrors,
): FieldValues<Table> {
  const values: Record<string, FieldValue | null> = {};
  for (const [name, definition] of Object.entries(table)) {
    const value = sent[name];
    values[name] = isAbsent(value) ? null : readField(value, definition, within(place, name), errors);
  }
  return values as FieldValues<Table>;
}

/**
 * Reads the fields of a request that changes an existing object. A field that is absent or null stays absent in the
 * result, and `""` (or `{}` for attributes, `[]` for tags) becomes null, which clears the field. An invalid field stays absent.
 */
export function readFieldEdits<Table extends Definitions>(
  sent: Fields,
  table: Table,
  place: string,
  errors: FieldErrors,
): FieldEdits<Table> {
  const values: Record<string, FieldValue | null> = {};
  for (const [name, definition] of Object.entries(table)) {
    const value = sent[name];
    if (isAbsent(value)) continue;
    const read = value === '' ? null : readField(value, definition, within(place, name), errors);
    if (read !== null || isCleared(value)) values[name] = read;
  }
  return values as FieldEdits<Table>;
}

function isCleared(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || (isObject(value) && Object.values(value).every(isAbsent));
}

export function readField<Format extends FieldFormat>(
  value: unknown,
  definition: FieldDefinition & { readonly format: Format },
  place: string,
  errors: FieldErrors,
): FormatValues[Format] | null {
  return readers[definition.format](value, definition.maxLength, place, errors);
}

type Reader<Value> = (value: unknown, max: number, place: string, errors: FieldErrors) => Value | null;

const readers: { readonly [Format in FieldFormat]: Reader<FormatValues[Format]> } = {
  text: readText,
  key: readKey,
  email: (value, _, place, errors) => readEmail(value, place, errors),
  language: readLanguage,
  attributes: readAttributes,
  tags: (value, _, place, errors) => readTags(value, place, errors),
};

/** Returns the names of the sent fields whose values differ from the stored ones, in the order of the table. */
export function changedFields<Table extends Definitions>(
  table: Table,
  stored: FieldEdits<Table>,
  sent: FieldEdits<Table>,
): (keyof Table & string)[] {
  return Object.keys(table).filter(
    (name) => sent[name] !== undefined && !isSameValue(stored[name] ?? null, sent[name] ?? null),
  );
}

export function isSameValue(one: FieldValue | null, other: FieldValue | null): boolean {
  if (one === null || other === null || typeof one === 'string' || typeof other === 'string')
    return one === other;
  if (isTags(one) || isTags(other)) return columnText(one) === columnText(other);
  return isSameAttributes(one, other);
}

export function valuesOf<Table extends Definitions>(
  table: Table,
  row: FieldValues<Table>,
): FieldValues<Table> {
  return Object.fromEntries(Object.keys(table).map((name) => [name, row[name]])) as FieldValues<Table>;
}

/** Returns the value as a cell of a CSV file: attributes become JSON, and tags have commas between them. */
export function columnText(value: FieldValue | null): string | null {
  if (value === null || typeof value === 'string') return value;
  return isTags(value) ? value.join(', ') : attributesJson(value);
}

export function isTags(value: FieldValue | null): value is Tags {
  return Array.isArray(value);
}
