/** The tags of a principal, or those that a client or operator is limited to: sorted, in lower case, each once. Never empty. */
export type Tags = readonly string[];

export const tagsMax = 20;
export const tagLengthMax = 40;
export const tagPattern = '^[A-Za-z0-9][A-Za-z0-9._-]*$';
const tagSyntax = new RegExp(tagPattern);

export function isTag(text: string): boolean {
  return text.length <= tagLengthMax && tagSyntax.test(text);
}

export function sortedTags(tags: readonly string[]): Tags {
  return [...new Set(tags.map((tag) => tag.toLowerCase()))].toSorted();
}
