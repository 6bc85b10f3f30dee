import { newestListed, type Page } from '../lib/paging.ts';
import type { Database } from './database.ts';

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
