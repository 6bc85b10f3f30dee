import type { FieldErrors } from '../lib/field-errors.ts';
import { type Fields, isAbsent } from '../lib/request-fields.ts';
import { numberTerms, searchTerms } from '../usernames/username.ts';
import {
  type FieldDefinition,
  type PrincipalFields,
  principalFieldNames,
  principalFields,
  readFields,
} from './fields.ts';

export const states = ['active', 'disabled'] as const;

/** A disabled user cannot sign in; under a disabled principal no user can. */
export type State = (typeof states)[number];

/** Reads the fields of a new principal, which needs at least one of them. */
export function readPrincipal(fields: Fields, errors: FieldErrors): PrincipalFields {
  if (principalFieldNames.every((name) => isAbsent(fields[name])))
    errors.add('Denomination', 'EMPTY_PRINCIPAL', { fields: principalFieldNames.join(', ') });
  return readFields(fields, principalFields, '', errors);
}

/** Returns the terms by which a search finds the principal. */
export function termsOf(fields: PrincipalFields): string[] {
  const numbers = principalFieldNames.filter((name) => {
    const definition: FieldDefinition = principalFields[name];
    return definition.search === 'number';
  });
  return [
    ...new Set([
      ...searchTerms(Object.values(fields)),
      ...numbers.flatMap((name) => numberTerms(fields[name])),
    ]),
  ];
}
