import { wrongParameter } from './request-fields.ts';

export const orders = ['oldest', 'newest'] as const;
/** The sort order of a list, named after its first row. */
export type Order = (typeof orders)[number];

/** Parses the `order` parameter; null means that it was not sent, and defaults to `oldest`. Throws an `ApiError`. */
export function readOrder(text: string | null): Order {
  if (text === null) return 'oldest';
  const known = orders.find((order) => order === text);
  if (known) return known;
  throw wrongParameter('order', 'choice', { takes: orders.join(', ') });
}

/** The number of newest rows that lists without a size limit can page through; an older row can be read by its ID. */
export const newestListed = 10_000;

export interface Page {
  readonly page: number;
  readonly pageSize: number;
}
