import { Type } from 'typebox';
import { nullable, optional } from '../http/schemas.ts';
import { tagLengthMax, tagPattern, tagsMax } from '../lib/tags.ts';

const description =
  'Limits it to the principals that have one of these tags. They cannot be changed. Null: it is not limited.';

/** The tags of a new client or operator. */
export const NewCallerTags = optional(
  Type.Array(Type.String({ maxLength: tagLengthMax, pattern: tagPattern }), {
    minItems: 1,
    maxItems: tagsMax,
    description,
  }),
);

export const ShownCallerTags = nullable(Type.Array(Type.String(), { description }));
