import type { QueryResultRow } from 'pg';
import { Semaphore } from '../lib/semaphore.ts';
import type { Database } from './database.ts';
import { withApiErrors } from './errors.ts';

export const orders = ['oldest', 'newest'] as const;
/** The sort order of a list, named after its first row. */
export type Order = (typeof orders)[number];

/** The number of newest rows that lists without a size limit can page through; an older row can be read by its ID. */
const newestListed = 10_000;

export interface Page {
  readonly page: number;
  readonly pageSize: number;
}

interface NewestRows {
  /** The FROM, WHERE and ORDER BY clauses. */
  readonly from: string;
  readonly values: readonly unknown[];
  /** Returns the statement that reads the rows of a page, which are `limited`: `from` with its LIMIT and OFFSET. */
  select(limited: string): string;
}

/** Reads a page of the newest `newestListed` rows, and counts them; the limit bounds the index scan on a large table. */
export async function readNewest<Row extends QueryResultRow>(
  database: Database,
  { page, pageSize }: Page,
  { from, values, select }: NewestRows,
): Promise<{ rows: Row[]; totalCount: number }> {
  const offset = Math.min(pageSize * (page - 1), newestListed);
  const limit = Math.min(pageSize, newestListed - offset);
  const limited = `${from} limit $${values.length + 1} offset $${values.length + 2}`;
  const [counted, rows] = await Promise.all([
    database.query<{ total: number }>(
      `select count(*) as total from (select ${from} limit ${newestListed}) as newest`,
      values,
    ),
    database.query<Row>(select(limited), [...values, limit, offset]),
  ]);
  return { rows, totalCount: counted[0]?.total ?? 0 };
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
