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

const NAME_LIMIT = 60;
const HALF_PAIR = /[\uD800-\uDBFF]$/;
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * Why a body was refused. It never carries any part of a value, which may be a password:
 * only the place, the position and the names of fields.
 */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly problem: JsonProblem;
  /** Position in the text, from 0, in UTF-16 units as JavaScript counts them; a byte order mark is not counted. */
  readonly offset: number;
  /** The value at fault, or the last one before the fault, such as `[3].Users[0].ID`; empty for the body itself. */
  readonly at: string;

  constructor(problem: JsonProblem, offset: number, at: string) {
    const where = at === '' ? '' : ` in ${at}`;
    super(`${SENTENCES[problem]}, at character ${offset}${where}`);
    this.problem = problem;
    this.offset = offset;
    this.at = at;
  }
}

/** Joins the steps from the body down to a value: a number is an index, a string the name of a field. */
export function placeOf(steps: readonly (number | string)[]): string {
  let place = '';
  for (const step of steps) {
    if (typeof step === 'number') place += `[${step}]`;
    else if (!PLAIN_NAME.test(step)) place += `[${JSON.stringify(clip(step))}]`;
    else place += place === '' ? clip(step) : `.${clip(step)}`;
  }
  return place;
}

function clip(name: string): string {
  return name.length <= NAME_LIMIT ? name : name.slice(0, NAME_LIMIT).replace(HALF_PAIR, '');
}
