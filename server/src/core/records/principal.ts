import type { Faults } from '../faults.ts';
import { type Fields, isAbsent, readEmail, readText } from '../fields/fields.ts';

/** What is known of a principal beside its users. */
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

export function readPrincipal(fields: Fields, faults: Faults): PrincipalDetails {
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
