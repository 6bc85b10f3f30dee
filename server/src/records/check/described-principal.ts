import { clip } from '../../lib/request-fields.ts';
import type { StoredPrincipal } from '../fields/compared-values.ts';
import type { PrincipalFields } from '../fields/fields.ts';

type NamingFields = Partial<Pick<PrincipalFields, 'ExternalKey' | 'Denomination' | 'Surname' | 'Name'>>;

/** Maximum number of characters of a value in an error. */
const shownLength = 100;

/**
 * Returns the part of another principal that an error shows: its key, its denomination or, without it, the surname and
 * name, and both for a message: ` (00123, Rossi Srl)`.
 */
export function describePrincipal(fields: NamingFields) {
  const { ExternalKey: key, Denomination, Surname, Name } = fields;
  const name = Denomination || [Surname, Name].filter(Boolean).join(' ');
  const parts = [key, name]
    .filter((part): part is string => Boolean(part))
    .map((part) => clip(part, shownLength));
  return {
    ...(key && { key: clip(key, shownLength) }),
    ...(name && { name: clip(name, shownLength) }),
    label: parts.length === 0 ? '' : ` (${parts.join(', ')})`,
  };
}

/** Returns the figures of an error about a stored principal. */
export function figuresOf({ id, fields }: Pick<StoredPrincipal, 'id'> & { readonly fields: NamingFields }) {
  return { id, ...describePrincipal(fields) };
}

type NumberFields = Partial<Pick<PrincipalFields, 'Vatnumber' | 'Taxcode'>>;

/** Returns the numbers of a principal for the details of an error; an empty text for a missing one. */
export function numbersOf({ Vatnumber, Taxcode }: NumberFields) {
  return { vatnumber: clip(Vatnumber ?? '', shownLength), taxcode: clip(Taxcode ?? '', shownLength) };
}
