import { Refusal } from '../faults.ts';
import { type Fields, isAbsent, isObject, shown } from '../fields/fields.ts';
import { meantBy } from '../fields/spelling.ts';

/** Longer than any username or password that could be right; anything beyond is not worth a look. */
const textMax = 4096;

/** The texts of a body that has these and nothing else. */
export function readTexts<Name extends string>(body: unknown, names: readonly Name[]): Record<Name, string> {
  if (!isObject(body)) throw new Refusal('INVALID_BODY', { variant: 'object' });
  const unknown = Object.keys(body).find((name) => !isAbsent(body[name]) && !names.includes(name as Name));
  if (unknown !== undefined) throw refuseUnknown(unknown, names);
  return Object.fromEntries(names.map((name) => [name, readText(body, name)])) as Record<Name, string>;
}

function readText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '' && value.length <= textMax) return value;
  throw new Refusal('INVALID_PARAMETER', { variant: 'text', figures: { name, max: textMax } });
}

function refuseUnknown(unknown: string, names: readonly string[]): Refusal {
  const meant = meantBy(unknown, names);
  return new Refusal('INVALID_PARAMETER', {
    variant: meant ? 'spelling' : 'unknown',
    figures: { name: shown(unknown), ...(meant && { meant }) },
  });
}
