import { clip } from '../lib/request-fields.ts';

export type JsonProblem =
  | 'syntax'
  | 'utf8'
  | 'empty'
  | 'duplicate'
  | 'deep'
  | 'names'
  | 'values'
  | 'surrogate'
  | 'number';

const SENTENCES: Record<JsonProblem, string> = {
  syntax: 'The body is not valid JSON',
  utf8: 'The body is not valid UTF-8',
  empty: 'The body is empty',
  duplicate: 'A field occurs twice in one object',
  deep: 'The body nests too deeply',
  names: 'The body has too many names of fields, or too long a one',
  values: 'The body has too many values',
  surrogate: 'A string holds half of a surrogate pair',
  number: 'A number is too large or too long',
};

/**
 * The first error of a JSON body. It contains the place, the offset and names of fields, but never a part of a value,
 * which may be a password.
 */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly problem: JsonProblem;
  /** Zero-based offset in the text in UTF-16 code units, without a byte order mark. */
  readonly offset: number;
  /** The place of the invalid value, or of the last value before the error: `[3].Users[0].ID`; empty for the body. */
  readonly at: string;

  constructor(problem: JsonProblem, offset: number, at: string) {
    const where = at === '' ? '' : ` in ${at}`;
    super(`${SENTENCES[problem]}, at character ${offset}${where}`);
    this.problem = problem;
    this.offset = offset;
    this.at = at;
  }
}

const NAME_LIMIT = 60;
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/** Formats the path from the body to a value; a number is a zero-based array index, a string is the name of a field. */
export function placeOf(steps: readonly (number | string)[]): string {
  let place = '';
  for (const step of steps) {
    if (typeof step === 'number') place += `[${step}]`;
    else if (!PLAIN_NAME.test(step)) place += `[${JSON.stringify(clip(step, NAME_LIMIT))}]`;
    else place += place === '' ? clip(step, NAME_LIMIT) : `.${clip(step, NAME_LIMIT)}`;
  }
  return place;
}
