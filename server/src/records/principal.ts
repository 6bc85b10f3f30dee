import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent, readEmail, readText } from '../lib/request-fields.ts';

/** The descriptive fields of a principal. Null means that the field is not set. */
export interface PrincipalDetails {
  readonly externalKey: string | null;
  readonly denomination: string | null;
  readonly surname: string | null;
  readonly name: string | null;
  readonly vatnumber: string | null;
  readonly taxcode: string | null;
  readonly email: string | null;
}

export const externalKeyMax = 128;
export const principalFields = [
  'ExternalKey',
  'Denomination',
  'Surname',
  'Name',
  'Vatnumber',
  'Taxcode',
  'Email',
];

export function readPrincipal(fields: Fields, faults: FieldErrors): PrincipalDetails {
  if (principalFields.every((field) => isAbsent(fields[field]))) {
    faults.add('Denomination', 'EMPTY_PRINCIPAL', { fields: principalFields.join(', ') });
  }
  return {
    externalKey: readText(fields.ExternalKey, externalKeyMax, 'ExternalKey', faults),
    denomination: readText(fields.Denomination, 255, 'Denomination', faults),
    surname: readText(fields.Surname, 255, 'Surname', faults),
    name: readText(fields.Name, 255, 'Name', faults),
    vatnumber: readText(fields.Vatnumber, 64, 'Vatnumber', faults),
    taxcode: readText(fields.Taxcode, 64, 'Taxcode', faults),
    email: readEmail(fields.Email, 'Email', faults),
  };
}

export const states = ['active', 'disabled'] as const;

export type State = (typeof states)[number];
