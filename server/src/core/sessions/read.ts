import type { Fields } from '../fields/fields.ts';
import { readParameters, wrongParameter } from '../fields/parameters.ts';

/** Longer than any username or password that could be right; anything beyond is not worth a look. */
const textMax = 4096;

/** The texts of a body that has these and nothing else. */
export function readTexts<Name extends string>(body: unknown, names: readonly Name[]): Record<Name, string> {
  const fields = readParameters(body, names);
  return Object.fromEntries(names.map((name) => [name, readText(fields, name)])) as Record<Name, string>;
}

function readText(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === 'string' && value !== '' && value.length <= textMax) return value;
  throw wrongParameter(name, 'text', { max: textMax });
}
