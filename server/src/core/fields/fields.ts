import type { Faults } from '../faults.ts';
import { meantBy } from './spelling.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const idMax = Number.MAX_SAFE_INTEGER;
const emailMax = 254;
const fieldNameShown = 60;
/** So many fields of no meaning are named; an object may have thousands of them. */
const unknownShown = 20;

/** The syntax that browsers accept for `<input type="email">`. */
const emailSyntax =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/**
 * Control characters, and those that change or hide what a reader sees: marks and overrides of the writing direction, zero-width
 * spaces, word joiners. The joiners U+200C and U+200D stay: Persian, Indian scripts and emoji need them.
 */
const forbiddenCharacter = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The users of a record, as they were sent; none where they are no array. */
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

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** A place inside a place: `Users[0]` and `Password` give `Users[0].Password`. */
export function within(place: string, field: string): string {
  return place === '' ? field : `${place}.${field}`;
}

/** Nothing that a client sends is dropped in silence: a field of no meaning is a fault. */
export function refuseUnknownFields(
  fields: Fields,
  known: readonly string[],
  place: string,
  faults: Faults,
): void {
  let unknown = 0;
  for (const name of Object.keys(fields)) {
    if (isAbsent(fields[name]) || known.includes(name)) continue;
    if (++unknown > unknownShown) continue;
    const field = shown(name);
    // `$` stands for the record as a whole among the places of errors.
    const at = place === '' && field === '$' ? '["$"]' : within(place, field);
    const meant = faults.isFull ? null : meantBy(name, known);
    if (meant) faults.add(at, 'UNKNOWN_FIELD', { field, known: meant }, 'spelling');
    else faults.add(at, 'UNKNOWN_FIELD', { field }, 'unknown');
  }
  if (unknown > unknownShown) {
    const count = unknown - unknownShown;
    faults.add(place === '' ? 'Record' : place, 'UNKNOWN_FIELD', { count }, 'more');
  }
}

/** A name that a caller made up, short enough to be repeated; cut between two characters. */
export function shown(name: string): string {
  return name.length > fieldNameShown
    ? `${name.slice(0, fieldNameShown).replace(/[\ud800-\udbff]$/, '')}…`
    : name;
}

/** The string at a place, null where it is absent, undefined where it is no string (and a fault says so). */
export function readString(value: unknown, place: string, faults: Faults): string | null | undefined {
  if (isAbsent(value)) return null;
  if (typeof value === 'string') return value;
  faults.add(place, 'WRONG_TYPE', undefined, 'string');
  return undefined;
}

export function isEmail(text: string): boolean {
  return text.length <= emailMax && emailSyntax.test(text);
}

export function readEmail(value: unknown, place: string, faults: Faults): string | null {
  const text = readString(value, place, faults);
  if (isAbsent(text)) return null;
  if (text === '') faults.add(place, 'TEXT_EMPTY', undefined, 'optional');
  else if (text.length > emailMax) faults.add(place, 'EMAIL_TOO_LONG', { max: emailMax });
  else if (!emailSyntax.test(text)) faults.add(place, 'EMAIL_INVALID');
  else return text;
  return null;
}

/** A descriptive text, stored as sent. */
export function readText(value: unknown, max: number, place: string, faults: Faults): string | null {
  const text = readString(value, place, faults);
  if (isAbsent(text)) return null;
  if (text.trim() === '') faults.add(place, 'TEXT_EMPTY', undefined, 'optional');
  else if (text.length > max * 2 || [...text].length > max) faults.add(place, 'TEXT_TOO_LONG', { max });
  else if (forbiddenCharacter.test(text)) faults.add(place, 'TEXT_CHARACTERS');
  else return text;
  return null;
}
