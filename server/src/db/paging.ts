import { Semaphore } from '../lib/semaphore.ts';
import type { Database } from './database.ts';
import { withApiErrors } from './errors.ts';

export const orders = ['oldest', 'newest'] as const;
/** The sort order of a list, named after its first row. */
export type Order = (typeof orders)[number];

/** The number of newest rows that lists without a size limit can page through; an older row can be read by its ID. */
export const newestListed = 10_000;

export interface Page {
  readonly page: number;
  readonly pageSize: number;
}

/** Returns LIMIT and OFFSET of a page within the newest `newestListed` rows. `page` is one-based. */
export function pageOfNewest({ page, pageSize }: Page): { limit: number; offset: number } {
  const offset = Math.min(pageSize * (page - 1), newestListed);
  return { limit: Math.min(pageSize, newestListed - offset), offset };
}

/** Counts the rows up to `newestListed`, which bounds the index scan on a large table. */
export async function countNewest(
  database: Database,
  /** The FROM, WHERE and ORDER BY clauses. */
  rows: string,
  values: unknown[] = [],
): Promise<number> {
  const [counted] = await database.query<{ total: number }>(
    `select count(*) as total from (select ${rows} limit ${newestListed}) as newest`,
    values,
  );
  return counted?.total ?? 0;
}

const groupReads = new Semaphore(2);
/** Number of rows that are read at once without waiting: they delay no other request. */
const fewRows = 10;

/**
 * Reads a group of the rows of a long answer. Two groups are read at once in the whole service: their rows may be large,
 * and many of them together would delay every other request. A group with few rows does not wait for them.
 */
export function readGroup<Result>(read: () => Promise<Result>, rows = Infinity): Promise<Result> {
  const checked = () => withApiErrors(read);
  return rows <= fewRows ? checked() : groupReads.run(checked);
}
