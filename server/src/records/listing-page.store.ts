import type { Database } from '../db/database.ts';
import type { Listing, PageOf } from './listing.ts';

/** A table with what is read of its rows. The table has the alias `shown` in `select`. */
export interface RowSource {
  readonly table: 'principals' | 'users';
  /** The clauses SELECT and FROM. */
  readonly select: string;
}

/** The conditions of a list on the columns of its table, with their parameters. */
export class Filter {
  readonly conditions: string[] = [];
  readonly values: unknown[] = [];

  add(condition: (value: string) => string, value: unknown): void {
    this.conditions.push(condition(this.value(value)));
  }

  /** Adds a parameter and returns its placeholder, such as `$1`. */
  value(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Returns the clauses FROM and WHERE or, for a page, also ORDER BY, OFFSET and LIMIT, with their parameters. */
  matches(table: string, page?: { readonly offset: number; readonly limit: number }) {
    const clauses = `from anagrafe.${table} where ${this.conditions.join(' and ')}`;
    if (!page) return { sql: clauses, values: this.values };
    const { length } = this.values;
    return {
      sql: `${clauses} order by id offset $${length + 1} limit $${length + 2}`,
      values: [...this.values, page.offset, page.limit],
    };
  }
}

/**
 * The way in which the matches of a filter are found and counted:
 * - `exact`: an index finds them in the order of IDs, and all are counted.
 * - `materialized`: they are found first, and then ordered. PostgreSQL cannot estimate how many rows match a search, and
 *   it expects recent changes anywhere among the IDs, though most are at the end; so it would read all rows in the order
 *   of IDs to find a few.
 * - `limited`: as `materialized`; but if there are more than `materializedMax`, the next of them are never far in the
 *   order of IDs, and the page is read in that order.
 * - `bounded`: an index finds them in the order of IDs, and they may be a million, so counting ends at `countedMax`.
 *
 * The total of the last two may be a lower bound. It is then greater than the number of rows up to the page as long as
 * there are more: a client that reads on while `page` is less than `totalPages` reads all of them.
 */
export type Counting = 'exact' | 'materialized' | 'limited' | 'bounded';

export const countedMax = 10_000;
const materializedMax = 100_000;

type Page = Pick<Listing, 'page' | 'pageSize'>;

/** Reads a page in the order of IDs, so that a client that reads all pages misses no row that changes meanwhile. */
export async function readPage<Row extends object>(
  database: Database,
  source: RowSource,
  filter: Filter,
  page: Page,
  counting: Counting,
): Promise<PageOf<readonly Row[]>> {
  if (filter.conditions.length === 0) return readWholePage(database, source, page);
  switch (counting) {
    case 'materialized':
      return readMaterialized(database, source, filter, page);
    case 'limited': {
      const found = await readMaterialized<Row>(database, source, filter, page, materializedMax + 1);
      if (found.totalCount <= materializedMax) return found;
      return readOrdered(database, source, filter, page, async () => materializedMax);
    }
    case 'bounded':
      return readOrdered(database, source, filter, page, () =>
        countMatches(database, source, filter, countedMax),
      );
    case 'exact':
      return readOrdered(database, source, filter, page, () => countMatches(database, source, filter));
  }
}

/** Reads a page and, unless it shows the end of the list, counts the matches, or as many as `count` does. */
async function readOrdered<Row extends object>(
  database: Database,
  { table, select }: RowSource,
  filter: Filter,
  { page, pageSize }: Page,
  count: () => Promise<number>,
): Promise<PageOf<readonly Row[]>> {
  const offset = (page - 1) * pageSize;
  const { sql, values } = filter.matches(table, { offset, limit: pageSize + 1 });
  // The IDs alone are read first: an index has them, and the rows before the page are not visited. One row more than
  // the page shows whether others follow.
  const rows = await database.query<Row>(
    `${select} where shown.id in (select id ${sql}) order by shown.id`,
    values,
  );
  const items = rows.slice(0, pageSize);
  const isLast = rows.length > 0 ? rows.length <= pageSize : offset === 0;
  const seen = rows.length > 0 ? offset + rows.length : 0;
  const totalCount = isLast ? seen : Math.max(await count(), seen);
  return { totalCount, count: items.length, items };
}

async function countMatches(
  database: Database,
  { table }: RowSource,
  filter: Filter,
  most?: number,
): Promise<number> {
  const { sql, values } = filter.matches(table);
  const [counted] = await database.query<{ count: number }>(
    `select count(*) from (select id ${sql} ${most === undefined ? '' : `limit ${most}`}) as found`,
    values,
  );
  return counted?.count ?? 0;
}

/** Finds the matches once, for the count and for the page. For an empty page, one row returns the count. */
async function readMaterialized<Row extends object>(
  database: Database,
  { table, select }: RowSource,
  filter: Filter,
  { page, pageSize }: Page,
  most?: number,
): Promise<PageOf<readonly Row[]>> {
  const { sql, values } = filter.matches(table);
  const rows = await database.query<Row & { id: number | null; total: number }>(
    `with found as materialized (
       select id ${sql} ${most === undefined ? '' : `limit ${most}`}
     ), page as (
       select id from found order by id offset ${(page - 1) * pageSize} limit ${pageSize}
     )
     select listed.*, (select count(*) from found) as total
       from (select) as always
       left join (${select} where shown.id in (select id from page)) as listed on true
      order by listed.id`,
    values,
  );
  const items = rows.filter(({ id }) => id !== null).map(({ total: _, ...row }) => row as unknown as Row);
  return { totalCount: rows[0]?.total ?? 0, count: items.length, items };
}

/**
 * Reads a page without filters. The row counts count the rows per block of 4096 IDs, so that the query can start at the
 * block of the page, and the last page is as fast as the first.
 */
async function readWholePage<Row extends object>(
  database: Database,
  { table, select }: RowSource,
  { page, pageSize }: Page,
): Promise<PageOf<readonly Row[]>> {
  const offset = (page - 1) * pageSize;
  const [start] = await database.query<{ total: number; block: number; before: number }>(
    `with blocks as (
       select block, sum(amount)::bigint as amount from anagrafe.row_counts where kind = $1 group by block
     ), running as (
       select block, (sum(amount) over (order by block) - amount)::bigint as before from blocks
     )
     select (select sum(amount)::bigint from blocks) as total, block, before
       from running where before <= $2 order by block desc limit 1`,
    [table, offset],
  );
  const totalCount = start?.total ?? 0;
  if (!start || offset >= totalCount) return { totalCount, count: 0, items: [] };
  const items = await database.query<Row>(
    `${select} where shown.id >= $1::bigint << 12 order by shown.id offset $2 limit $3`,
    [start.block, offset - start.before, pageSize],
  );
  return { totalCount, count: items.length, items };
}
