import type { FieldErrorDetails } from '@anagrafe/client';
import type { ImportRow } from '../file/rows.ts';
import {
  columnOf,
  type FieldErrorsByPath,
  type Identity,
  type LookAlike,
  type RowError,
} from './row-errors.ts';

const lookAlikeCode = 'LOOKS_LIKE_ANOTHER';

export function isLookAlike(fieldErrors: FieldErrorsByPath): boolean {
  return Object.values(fieldErrors).some((found) => found.some(({ code }) => code === lookAlikeCode));
}

/** Returns the IDs of the stored principals that a refused record looks like, as far as the caller may read them. */
export function lookAlikeIds(fieldErrors: FieldErrorsByPath): readonly number[] {
  return Object.values(fieldErrors)
    .flat()
    .flatMap(({ code, details }) =>
      code === lookAlikeCode && typeof details?.PrincipalID === 'number' ? [details.PrincipalID] : [],
    );
}

/** Separates the errors of principals that look like others, which concern a record as a whole, from those of fields. */
export function splitLookAlikes(fieldErrors: FieldErrorsByPath): {
  readonly lookAlikes: FieldErrorsByPath;
  readonly others: FieldErrorsByPath;
} {
  if (!isLookAlike(fieldErrors)) return { lookAlikes: {}, others: fieldErrors };
  const those = (isWanted: (code: string) => boolean) =>
    Object.fromEntries(
      Object.entries(fieldErrors)
        .map(([path, found]) => [path, found.filter(({ code }) => isWanted(code))] as const)
        .filter(([, found]) => found.length > 0),
    );
  return {
    lookAlikes: those((code) => code === lookAlikeCode),
    others: those((code) => code !== lookAlikeCode),
  };
}

/** Returns one error for each principal that a record looks like, with the values of both. */
export function lookAlikeErrors(
  lookAlikes: FieldErrorsByPath,
  record: object,
  row: ImportRow,
): readonly RowError[] {
  const found = new Map<string, { columns: string[]; details: FieldErrorDetails | undefined }>();
  for (const [path, errors] of Object.entries(lookAlikes))
    for (const { details } of errors) {
      const key = JSON.stringify([details?.PrincipalID, details?.ExternalKey, details?.Denomination]);
      const known = found.get(key) ?? { columns: [], details };
      known.columns.push(columnOf(path, row));
      found.set(key, known);
    }
  const own = identityOf(record as Readonly<Record<string, unknown>>);
  return [...found.values()].map(({ columns, details }) => {
    const lookAlike = { columns, own, other: otherOf(details) };
    return { column: null, message: lookAlikeMessage(lookAlike), serviceCode: lookAlikeCode, lookAlike };
  });
}

function identityOf(record: Readonly<Record<string, unknown>>): Identity {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  const { ExternalKey, Denomination, Surname, Name, Vatnumber, Taxcode } = record;
  const person = [Surname, Name].map(text).filter((part) => part !== null);
  return {
    ExternalKey: text(ExternalKey),
    Denomination: text(Denomination) ?? text(person.join(' ')),
    Vatnumber: text(Vatnumber),
    Taxcode: text(Taxcode),
  };
}

function otherOf(details: FieldErrorDetails | undefined): LookAlike['other'] {
  // Only callers that may read the other principal get its numbers.
  if (details?.Vatnumber === undefined) return null;
  const { PrincipalID: ID, ExternalKey, Denomination, Vatnumber, Taxcode = null } = details;
  return { ID, ExternalKey, Denomination, Vatnumber, Taxcode };
}

function lookAlikeMessage({ columns, own, other }: LookAlike): string {
  const accept = 'If both are right, write "allow" in a column Similar, or use --similar allow.';
  const alike = `like another one (${columns.join(', ')})`;
  if (!other) return `The principal looks ${alike}. ${accept}`;
  const where = other.ID === null ? 'Earlier in the file' : `Stored with ID ${other.ID}`;
  return `The principal looks ${alike}. This row: ${identityText(own)}. ${where}: ${identityText(other)}. ${accept}`;
}

/** Formats the values of a principal: `ExternalKey 00123, Denomination Rossi Srl, Vatnumber –, Taxcode –`. */
export function identityText({ ExternalKey, Denomination, Vatnumber, Taxcode }: Identity): string {
  return Object.entries({ ExternalKey, Denomination, Vatnumber, Taxcode })
    .map(([field, value]) => `${field} ${value ?? '–'}`)
    .join(', ');
}
