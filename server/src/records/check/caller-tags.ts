import { tagsMax } from '../../lib/tags.ts';
import type { StoredPrincipal } from '../fields/compared-values.ts';
import type { ParsedRecord } from '../parse/parsed-record.ts';
import type { CallOptions } from './operation.ts';

/**
 * Adds an error for tags that a limited caller may not send. It may give a principal those that it has itself, and may not
 * remove one: to take a principal out of its own sight, or out of another one's with the same tag, is for callers that are
 * not limited. `stored` is null for a new principal.
 */
export function refuseTags(
  { principal, errors }: ParsedRecord,
  stored: StoredPrincipal | null,
  { callerTags }: Pick<CallOptions, 'callerTags'>,
): void {
  const sent = principal?.fields.Tags;
  if (callerTags === null || sent === undefined || (sent === null && !stored)) return;
  const tags = sent ?? [];
  const isOther = tags.some((tag) => !callerTags.includes(tag));
  const isRemoved = stored?.fields.Tags?.some((tag) => !tags.includes(tag)) ?? false;
  const isFull = tags.length + (stored?.hiddenTags.length ?? 0) > tagsMax;
  if (isOther || isRemoved || isFull)
    errors.add('Tags', 'TAG_NOT_PERMITTED', { figures: { tags: callerTags.join(', ') } });
}
