import type { Admin } from '@anagrafe/client';

/** The positions between which the journal has rows; `last` is 0 where there is none. */
export interface JournalSpan {
  readonly first: number;
  readonly last: number;
}

/**
 * The journal is read in order and does not tell where it ends: it is asked for ever later rows until there is none, and then
 * between the two. Positions have no gaps, but what is old may have been removed.
 * `known` is a position that it had before: from there it is not far.
 */
export async function findJournalSpan(
  { audit }: Admin,
  signal: AbortSignal,
  known = 0,
): Promise<JournalSpan> {
  const hasMore = async (after: number) =>
    (await audit.rows({ pageSize: 1, signal }).page(after)).records.length > 0;
  const [oldest] = (await audit.rows({ pageSize: 1, signal }).page()).records;
  if (!oldest) return { first: 1, last: 0 };
  let low = Math.max(known, oldest.Position);
  let step = known > 0 ? 1 : 64;
  while (await hasMore(low + step)) {
    low += step;
    step *= 2;
  }
  let high = low + step;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await hasMore(middle)) low = middle + 1;
    else high = middle;
  }
  return { first: oldest.Position, last: low };
}
