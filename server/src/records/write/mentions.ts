import { hasDetails } from '../../lib/error-codes.ts';
import type { FieldErrors } from '../../lib/field-errors.ts';
import { type Fields, isId, isObject, usersOf, withoutInvisible } from '../../lib/request-fields.ts';
import { TimeSlice } from '../../lib/yield-to-event-loop.ts';
import { secretNames } from '../../passwords/policy.ts';
import { mapUsername } from '../../usernames/precis-profiles.ts';

/** Texts longer than this without the spaces around them, in UTF-16 code units, name no principal or user. */
const textMax = 512;
/** The most code points of a key or username. */
const nameMax = 128;
/** Maximum number of elements of a list that was sent instead of a text. */
const elementsMax = 10;

/**
 * Returns the principals and users that a failed record names, as the column `mentions` stores them. Its names may be
 * the very values that were refused, so they count in any form that can be corrected to a valid one: a number for a
 * text, a text for an ID, spaces around, invisible characters. A principal that one of its errors describes counts, too.
 */
export async function mentionsOf(record: Fields, errors: FieldErrors): Promise<string[]> {
  const timeSlice = new TimeSlice();
  const mentions = new Set<string>();
  const secrets = new Set([record, ...usersOf(record)].filter(isObject).flatMap(secretTexts));
  const add = (prefix: string, values: readonly unknown[], formsOf: (text: string) => readonly string[]) => {
    for (const text of values.flatMap(textsOf)) {
      // A password in the place of a name must not be stored.
      if (secrets.has(text)) continue;
      for (const form of formsOf(text)) if ([...form].length <= nameMax) mentions.add(`${prefix}:${form}`);
    }
  };
  for (const error of [...errors.byPlace.values()].flat())
    if (hasDetails(error)) add('principal', [error.figures?.id], idForms);
  const from = isObject(record.From) ? record.From : {};
  add('principal', [record.ID, from.ID], idForms);
  add('key', [record.ExternalKey, record.NewExternalKey, from.ExternalKey], keyForms);
  for (const user of usersOf(record)) {
    if (timeSlice.isOver) await timeSlice.yield();
    if (!isObject(user)) continue;
    add('user', [user.ID], idForms);
    add('name', [user.Username, user.NewUsername], usernameForms);
  }
  return [...mentions];
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value))
    return value.slice(0, elementsMax).flatMap((element) => (Array.isArray(element) ? [] : textsOf(element)));
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (typeof value !== 'string') return [];
  const text = value.trim();
  return text.length <= textMax ? [text] : [];
}

function secretTexts(fields: Fields): string[] {
  return secretNames.flatMap((name) => textsOf(fields[name]));
}

function idForms(text: string): string[] {
  const id = Number(withoutInvisible(text).normalize('NFKC'));
  return isId(id) ? [String(id)] : [];
}

function keyForms(text: string): string[] {
  return [text, withoutInvisible(text).trim()];
}

function usernameForms(text: string): string[] {
  const mapped = mapUsername(text);
  if ('mapped' in mapped) return [mapped.mapped];
  // A tab or a line break may stand for a space, or for nothing.
  return [text, text.replace(/\s/g, ' ')].flatMap((form) => {
    const tidied = withoutInvisible(form).normalize('NFKC').replace(/ +/g, ' ').trim();
    const corrected = mapUsername(tidied);
    return 'mapped' in corrected ? [corrected.mapped] : [];
  });
}
