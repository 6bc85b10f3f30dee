import { Type } from 'typebox';
import type { CallerTags } from '../db/visibility.ts';
import { nullable, optional } from '../http/schemas.ts';
import { sortedTags, tagLengthMax, tagPattern, tagsMax } from '../lib/tags.ts';

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

/** Returns the tags that were sent as `NewCallerTags`. */
export function tagsOf(sent: readonly string[] | undefined): CallerTags {
  return sent ? sortedTags(sent) : null;
}
