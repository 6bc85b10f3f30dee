import type { FieldErrors } from '../lib/field-errors.ts';
import { clip, isAbsent, readString } from '../lib/request-fields.ts';
import { mapUsername } from './precis-profiles.ts';

export const usernameMax = 128;

export interface Username {
  readonly asSent: string;
  /** The mapped form, which is unique in the whole service. */
  readonly key: string;
}

const errorCodes = {
  space: 'USERNAME_SPACES',
  character: 'USERNAME_CHARACTERS',
  surrogate: 'USERNAME_CHARACTERS',
  bidi: 'USERNAME_DIRECTION',
} as const;

export function readUsername(value: unknown, place: string, errors: FieldErrors): Username | null {
  const asSent = readString(value, place, errors);
  if (isAbsent(asSent)) return null;
  // Rejects huge input early. Mapping can shorten a text, but no accepted character takes more than four UTF-16 units.
  if (asSent.length > usernameMax * 4) {
    errors.add(place, 'USERNAME_TOO_LONG', { figures: { max: usernameMax } });
    return null;
  }
  const result = mapUsername(asSent);
  if ('error' in result) {
    if (result.error === 'empty') errors.add(place, 'TEXT_EMPTY', { variant: 'required' });
    else errors.add(place, errorCodes[result.error]);
  } else if (result.mapped.length > usernameMax && [...result.mapped].length > usernameMax)
    errors.add(place, 'USERNAME_TOO_LONG', { figures: { max: usernameMax } });
  else return { asSent, key: result.mapped };
  return null;
}

const termMax = 64;
/** The minimum number of digits in a tax or VAT number; a text with fewer digits does not count as one. */
const digitsMin = 5;
const countryPrefix = /^[a-z]{2}\d/;
const separators = /[^\p{L}\p{N}]+/u;

/** Splits texts into the words of the search index: distinct, in lower case, without accents. */
export function searchTerms(texts: readonly (string | null)[]): string[] {
  const words = new Set<string>();
  for (const text of texts) {
    if (text === null) continue;
    for (const word of fold(text).split(separators)) if (word !== '') words.add(clip(word, termMax));
  }
  return [...words];
}

/** Returns a tax or VAT number as one word without separators, and again without its country prefix if it has one. */
export function numberTerms(text: string | null): string[] {
  if (text === null) return [];
  const whole = clip(fold(text).split(separators).join(''), termMax);
  if ((whole.match(/\d/g) ?? []).length < digitsMin) return [];
  return countryPrefix.test(whole) ? [whole, whole.slice(2)] : [whole];
}

const ascii = /^\p{ASCII}*$/u;

function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .normalize('NFC');
}
