import { ApiError } from '../errors.ts';

/** What became of a part of what was to be sent: an answer, or, of one thing alone, why the service does not take it. */
export type Part<Item, Answer> =
  | { readonly items: readonly Item[]; readonly answer: Answer; readonly refusal: null }
  | { readonly items: readonly [Item]; readonly answer: null; readonly refusal: string };

/**
 * Sends things together. Where the service does not take them as they are, since they are too many for it or one of them
 * is something it cannot read, they are sent in halves, until the one is found that is to blame.
 */
export async function inParts<Item, Answer>(
  items: readonly Item[],
  send: (some: readonly Item[]) => Promise<Answer>,
): Promise<Part<Item, Answer>[]> {
  const [first] = items;
  if (first === undefined) return [];
  try {
    return [{ items, answer: await send(items), refusal: null }];
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 400 && error.status !== 413)) throw error;
    if (items.length === 1) return [{ items: [first], answer: null, refusal: error.message }];
    const half = Math.ceil(items.length / 2);
    return [...(await inParts(items.slice(0, half), send)), ...(await inParts(items.slice(half), send))];
  }
}
