import { ApiError } from '../errors.ts';

/** The result for a part of the items: an answer or, for a single item, the message of the `ApiError`. */
export type Part<Item, Answer> =
  | { readonly items: readonly Item[]; readonly answer: Answer; readonly refusal: null }
  | { readonly items: readonly [Item]; readonly answer: null; readonly refusal: string };

/**
 * Sends all items in one call. If the service rejects the call as too large or invalid (status 413 or 400), bisects the
 * items until the call succeeds or the invalid item is alone. Rethrows every other error.
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
