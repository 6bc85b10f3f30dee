import type { Figures } from '../codes.ts';
import { Refusal } from '../faults.ts';
import { type Fields, isAbsent, isObject, shown } from './fields.ts';
import { meantBy } from './spelling.ts';

/** The body of a call that is about one thing: an object with these parameters and no others. */
export function readParameters(body: unknown, known: readonly string[]): Fields {
  if (!isObject(body)) throw new Refusal('INVALID_BODY', { variant: 'object' });
  const unknown = Object.keys(body).find((name) => !isAbsent(body[name]) && !known.includes(name));
  if (unknown !== undefined) throw unknownParameter(unknown, known);
  return body;
}

export function unknownParameter(name: string, known: readonly string[]): Refusal {
  const meant = meantBy(name, known);
  return wrongParameter(shown(name), meant ? 'spelling' : 'unknown', meant ? { meant } : {});
}

/** The variant says what the parameter takes. */
export function wrongParameter(name: string, variant: string, figures: Figures = {}): Refusal {
  return new Refusal('INVALID_PARAMETER', { variant, figures: { name, ...figures } });
}
