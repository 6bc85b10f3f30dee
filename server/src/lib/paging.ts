export const orders = ['oldest', 'newest'] as const;
/** The sort order of a list, named after its first row. */
export type Order = (typeof orders)[number];

/** The number of newest rows that lists without a size limit can page through; an older row can be read by its ID. */
export const newestListed = 10_000;

export interface Page {
  readonly page: number;
  readonly pageSize: number;
}
