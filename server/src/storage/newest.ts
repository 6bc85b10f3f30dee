import type { Page } from '../core/jobs/job.ts';
import { newestListed } from '../core/listing/newest.ts';
import type { Database } from './database.ts';

/** The part of the newest rows that a page shows. */
export function pageOfNewest({ page, pageSize }: Page): { limit: number; offset: number } {
  const offset = Math.min(pageSize * (page - 1), newestListed);
  return { limit: Math.min(pageSize, newestListed - offset), offset };
}

/** How many rows are listed. Only as much of an index is read, however many there are. */
export async function countNewest(
  database: Database,
  /** From what, under which condition, and in which order. */
  rows: string,
  values: unknown[] = [],
): Promise<number> {
  const [counted] = await database.query<{ total: number }>(
    `select count(*) as total from (select ${rows} limit ${newestListed}) as newest`,
    values,
  );
  return counted?.total ?? 0;
}
