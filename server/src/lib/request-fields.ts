import { closestName } from './did-you-mean.ts';
import type { FieldErrors } from './field-errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

const emailMax = 254;
const fieldNameShown = 60;
/** The maximum number of unknown fields that are named in errors; an object may have thousands of them. */
const unknownShown = 20;

/** The syntax that browsers accept for `<input type="email">`. */
const emailSyntax =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** Control characters, line separators, and characters that change or hide the visible text. */
const invisibleCharacter = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** The same without joiners and variation selectors, which Persian, Indian scripts, Japanese names and emoji need. */
const forbiddenCharacter = new RegExp(
  `${invisibleCharacter.source}(?<![\\u200c\\u200d\\p{Variation_Selector}])`,
  'u',
);

/** Returns true if the text has control characters or characters that change or hide the visible text. */
export function unreadableText(text: string): boolean {
  return forbiddenCharacter.test(text);
}

const invisibleCharacters = new RegExp(invisibleCharacter, 'gu');

export function withoutInvisible(text: string): string {
  return text.replace(invisibleCharacters, '');
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the unparsed users of a record; an empty array if `Users` is not an array. */
export function usersOf(record: Fields): readonly unknown[] {
  return Array.isArray(record.Users) ? record.Users : [];
}

/** Null counts as absent. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/** Appends a field to a place: `Users[0]` and `Password` give `Users[0].Password`. */
export function within(place: string, field: string): string {
  return place === '' ? field : `${place}.${field}`;
}

/** Adds an error for each unknown field, so that a misspelled field is never silently ignored. */
export function refuseUnknownFields(
  fields: Fields,
  known: readonly string[],
  place: string,
  errors: FieldErrors,
): void {
  let unknown = 0;
  for (const name of Object.keys(fields)) {
    if (isAbsent(fields[name]) || known.includes(name)) continue;
    if (++unknown > unknownShown) continue;
    const field = shown(name);
    // `$` is the place of the record as a whole.
    const at = place === '' && field === '$' ? '["$"]' : within(place, field);
    const meant = errors.isFull ? null : closestName(name, known);
    if (meant) errors.add(at, 'UNKNOWN_FIELD', { variant: 'spelling', figures: { field, known: meant } });
    else errors.add(at, 'UNKNOWN_FIELD', { variant: 'unknown', figures: { field } });
  }
  if (unknown > unknownShown) {
    const count = unknown - unknownShown;
    errors.add(place === '' ? 'Record' : place, 'UNKNOWN_FIELD', { variant: 'more', figures: { count } });
  }
}

export function shown(name: string): string {
  return name.length > fieldNameShown ? `${clip(name, fieldNameShown)}…` : name;
}

/** Shortens a text to at most `max` UTF-16 code units without splitting a surrogate pair. */
export function clip(text: string, max: number): string {
  return text.length > max ? text.slice(0, max).replace(/[\ud800-\udbff]$/, '') : text;
}

/** Returns the string, null if it is absent, or undefined (and adds an error) if the value is not a string. */
export function readString(value: unknown, place: string, errors: FieldErrors): string | null | undefined {
  if (isAbsent(value)) return null;
  if (typeof value === 'string') return value;
  errors.add(place, 'WRONG_TYPE', { variant: 'string' });
  return undefined;
}

export function isEmail(text: string): boolean {
  return text.length <= emailMax && emailSyntax.test(text);
}

export function readEmail(value: unknown, place: string, errors: FieldErrors): string | null {
  const text = readString(value, place, errors);
  if (isAbsent(text)) return null;
  if (text === '') errors.add(place, 'TEXT_EMPTY', { variant: 'optional' });
  else if (text.length > emailMax) errors.add(place, 'EMAIL_TOO_LONG', { figures: { max: emailMax } });
  else if (!emailSyntax.test(text)) errors.add(place, 'EMAIL_INVALID');
  else return text;
  return null;
}

/** Reads a descriptive text of at most `max` code points, unchanged; null if it is absent or invalid. */
export function readText(
  value: unknown,
  max: number,
  place: string,
  errors: FieldErrors,
  forbidden = forbiddenCharacter,
): string | null {
  const text = readString(value, place, errors);
  if (isAbsent(text)) return null;
  if (text.trim() === '') errors.add(place, 'TEXT_EMPTY', { variant: 'optional' });
  else if (text.length > max && (text.length > max * 2 || [...text].length > max))
    errors.add(place, 'TEXT_TOO_LONG', { figures: { max } });
  else if (forbidden.test(text)) errors.add(place, 'TEXT_CHARACTERS');
  else return text;
  return null;
}

/** Reads a text that is compared exactly, so that an invisible character does not make it another one. */
export function readKey(value: unknown, max: number, place: string, errors: FieldErrors): string | null {
  return readText(value, max, place, errors, invisibleCharacter);
}
