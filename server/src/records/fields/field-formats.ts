import type { FieldErrors } from '../../lib/field-errors.ts';
import { isAbsent, isObject, readString, shown, unreadableText, within } from '../../lib/request-fields.ts';
import { isTag, sortedTags, type Tags, tagLengthMax, tagsMax } from '../../lib/tags.ts';

/**
 * Further values of a user, by their names, such as `{"Department": "Sales"}`. Never empty: null means none. The database
 * returns an object, a parsed record has `AttributesText`.
 */
export type Attributes = Readonly<Record<string, string>> | AttributesText;

/**
 * Attributes as JSON with sorted names. Many objects with different names would take more than twice the memory of their
 * texts.
 */
export class AttributesText {
  readonly json: string;

  constructor(entries: readonly (readonly [name: string, value: string])[]) {
    const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
    const members = sorted.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    this.json = `{${members.join(',')}}`;
  }

  toJSON(): unknown {
    return JSON.parse(this.json);
  }
}

export const attributesMax = 20;
const attributeName = /^[A-Za-z0-9_.-]{1,64}$/;

/** Reads a language tag (BCP 47), such as `it` or `de-CH`, and returns its canonical form. */
export function readLanguage(value: unknown, max: number, place: string, errors: FieldErrors): string | null {
  const text = readString(value, place, errors);
  if (isAbsent(text)) return null;
  const tag = text.length <= max ? canonicalTag(text) : null;
  if (text === '') errors.add(place, 'TEXT_EMPTY', { variant: 'optional' });
  else if (text.length > max) errors.add(place, 'TEXT_TOO_LONG', { figures: { max } });
  else if (tag === null || tag.length > max) errors.add(place, 'LANGUAGE_INVALID');
  else return tag;
  return null;
}

function canonicalTag(text: string): string | null {
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

/**
 * Reads attributes; null for an object without values. As everywhere, a value that is null counts as absent. `max` is
 * the maximum length of a value in bytes.
 */
export function readAttributes(
  value: unknown,
  max: number,
  place: string,
  errors: FieldErrors,
): Attributes | null {
  if (isAbsent(value)) return null;
  if (!isObject(value)) {
    errors.add(place, 'WRONG_TYPE', { variant: 'object' });
    return null;
  }
  // Counted first, so that an object with a million names costs no more than one with 21.
  const names = Object.keys(value);
  if (names.length > attributesMax) {
    errors.add(place, 'ATTRIBUTES_TOO_MANY', { figures: { max: attributesMax, count: names.length } });
    return null;
  }
  const attributes: [name: string, value: string][] = [];
  let valid = true;
  for (const name of names) {
    if (isAbsent(value[name])) continue;
    const text = readAttribute(name, value[name], max, place, errors);
    if (text === null) valid = false;
    else attributes.push([name, text]);
  }
  return valid && attributes.length > 0 ? new AttributesText(attributes) : null;
}

function readAttribute(
  name: string,
  value: unknown,
  max: number,
  place: string,
  errors: FieldErrors,
): string | null {
  if (!attributeName.test(name)) {
    errors.add(place, 'ATTRIBUTE_NAME', { figures: { name: shown(name) } });
    return null;
  }
  const at = within(place, name);
  const text = readString(value, at, errors);
  if (isAbsent(text)) return null;
  if (text.length > max || Buffer.byteLength(text) > max)
    errors.add(at, 'ATTRIBUTE_TOO_LONG', { figures: { max } });
  else if (unreadableText(text)) errors.add(at, 'TEXT_CHARACTERS');
  else return text;
  return null;
}

/** Returns the attributes as JSON with sorted names. */
export function attributesJson(attributes: Attributes): string {
  return attributes instanceof AttributesText
    ? attributes.json
    : new AttributesText(Object.entries(attributes)).json;
}

/** Reads tags; null for an empty list. They are stored in lower case, sorted, each once. */
export function readTags(value: unknown, place: string, errors: FieldErrors): Tags | null {
  if (isAbsent(value)) return null;
  if (!Array.isArray(value)) {
    errors.add(place, 'WRONG_TYPE', { variant: 'array' });
    return null;
  }
  if (value.length > tagsMax) {
    errors.add(place, 'TAGS_TOO_MANY', { figures: { max: tagsMax, count: value.length } });
    return null;
  }
  const tags = value.map((tag, at) => readTag(tag, { place, at }, errors));
  return tags.length === 0 || tags.includes(null) ? null : sortedTags(tags as string[]);
}

/** The error of a tag is at the field of all tags, as forms show it. */
function readTag(
  value: unknown,
  { place, at }: { readonly place: string; readonly at: number },
  errors: FieldErrors,
): string | null {
  const text = isAbsent(value) ? '' : readString(value, `${place}[${at}]`, errors);
  if (isAbsent(text)) return null;
  if (isTag(text)) return text.toLowerCase();
  errors.add(place, 'TAG_INVALID', { figures: { tag: shown(text), max: tagLengthMax } });
  return null;
}

/** Compares attributes without regard to the order of their names, which `jsonb` does not keep. */
export function isSameAttributes(one: Attributes, other: Attributes): boolean {
  return attributesJson(one) === attributesJson(other);
}
